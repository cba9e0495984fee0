// One webview panel: its page, its policy, typed messages both ways. What it shows is the owner's; nothing is kept here.
import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import * as vscode from 'vscode';
import { parseWebviewMessage, type HostMessage, type ViewKind, type WebviewMessage } from '../messages';
import { viewHtml } from './html';

export const VIEW_TYPES = { report: 'isoperf.report', comparison: 'isoperf.comparison' } as const;
export type PanelKind = keyof typeof VIEW_TYPES;

export interface PanelOwner {
  /** Answers `ready`, and everything else the page asks for. */
  receive(message: WebviewMessage, panel: Panel): Promise<void> | void;
  onUnexpected(error: unknown): void;
  /** Called when the panel is closed. */
  dispose?(): void;
}

export class Panel {
  private ready = false;
  /** The last message of each page load: answered again when VS Code loads the page anew after hiding it. */
  private last: HostMessage | undefined;

  private constructor(
    readonly view: vscode.WebviewPanel,
    /** Changes once: a live view becomes the report in place. */
    public owner: PanelOwner,
  ) {}

  static create(extension: vscode.Uri, kind: PanelKind, title: string, owner: PanelOwner): Panel {
    const view = vscode.window.createWebviewPanel(VIEW_TYPES[kind], title, vscode.ViewColumn.Active);
    return Panel.adopt(extension, view, kind, title, owner);
  }

  /** Takes over a panel that VS Code kept over a reload; its options still name the old version's folder. */
  static adopt(
    extension: vscode.Uri,
    view: vscode.WebviewPanel,
    kind: ViewKind,
    title: string,
    owner: PanelOwner,
  ): Panel {
    const panel = new Panel(view, owner);
    const dist = vscode.Uri.joinPath(extension, 'dist');
    view.title = title;
    view.iconPath = vscode.Uri.joinPath(extension, 'media', 'icon.svg');
    view.webview.options = { enableScripts: true, localResourceRoots: [dist] };
    view.onDidDispose(() => {
      // An answer that comes now has nowhere to go.
      panel.ready = false;
      panel.owner.dispose?.();
    });
    view.webview.onDidReceiveMessage((raw: unknown) => panel.receive(raw));
    view.webview.html = viewHtml({
      kind,
      title,
      nonce: randomBytes(16).toString('base64url'),
      cspSource: view.webview.cspSource,
      scriptUri: view.webview.asWebviewUri(vscode.Uri.joinPath(dist, 'webview.js')).toString(),
      styleUri: view.webview.asWebviewUri(vscode.Uri.joinPath(dist, 'style.css')).toString(),
    });
    return panel;
  }

  /** A page that is hidden or still loading gets it when it says it is ready. */
  show(message: HostMessage): void {
    if (message.type !== 'copied') this.last = message;
    if (this.ready) void this.view.webview.postMessage(message);
  }

  private receive(raw: unknown): void {
    const message = parseWebviewMessage(raw);
    if (!message) {
      this.owner.onUnexpected(
        new Error(`a view said something it may not: ${inspect(raw, { depth: 1, maxStringLength: 200 })}`),
      );
      return;
    }
    if (message.type === 'ready') {
      this.ready = true;
      if (this.last) void this.view.webview.postMessage(this.last);
      return;
    }
    Promise.resolve(this.owner.receive(message, this)).catch((error: unknown) => this.owner.onUnexpected(error));
  }
}
