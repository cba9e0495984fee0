// The tree "Configs": the benchmark configs of the workspace with their worst finding.
import * as vscode from 'vscode';
import { counted } from '../figures';
import type { Configs, KnownConfig } from './configs';
import { FILES_SETTING } from './workspace-files';

export class ConfigsTree implements vscode.TreeDataProvider<KnownConfig> {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private view: vscode.TreeView<KnownConfig> | undefined;

  constructor(private readonly configs: Configs) {
    configs.onDidChange(() => this.changed.fire(undefined));
  }

  /** The line above the list, in VS Code's own place for it. */
  show(view: vscode.TreeView<KnownConfig>): vscode.TreeView<KnownConfig> {
    this.view = view;
    return view;
  }

  async getChildren(parent?: KnownConfig): Promise<KnownConfig[]> {
    if (parent) return [];
    const { entries, leftOut } = await this.configs.all();
    if (this.view) this.view.message = leftOutWords(leftOut, 'YAML file');
    return [...entries];
  }

  getTreeItem(config: KnownConfig): vscode.TreeItem {
    const item = new vscode.TreeItem(config.uri.path.split('/').at(-1) ?? '');
    const folder = vscode.workspace.asRelativePath(vscode.Uri.joinPath(config.uri, '..'));
    const findings = findingWords(config);
    item.id = config.uri.toString();
    item.description = [findings, folder === '.' || folder.startsWith('/') ? '' : folder].filter(Boolean).join(' · ');
    item.tooltip = `${vscode.workspace.asRelativePath(config.uri)}: ${findings}`;
    item.contextValue = 'config';
    item.iconPath = iconOf(config);
    item.command = { command: 'vscode.open', title: 'Open', arguments: [config.uri] };
    return item;
  }
}

/** Nothing is left out without a word; where nothing is, '' takes the line away. */
export function leftOutWords(count: number, noun: string): string {
  if (count === 0) return '';
  return `${counted(count, noun)} beyond the limit ${count === 1 ? 'was' : 'were'} not looked at (setting ${FILES_SETTING}).`;
}

function findingWords({ errors, warnings, notes }: KnownConfig): string {
  const parts = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
    ...(notes > 0 ? [counted(notes, 'note')] : []),
  ];
  return parts.length === 0 ? 'no findings' : parts.join(', ');
}

function iconOf({ errors, warnings, notes }: KnownConfig): vscode.ThemeIcon {
  if (errors > 0) return new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground'));
  if (warnings > 0) return new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  return new vscode.ThemeIcon(notes > 0 ? 'info' : 'pass');
}
