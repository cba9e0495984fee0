// The panels that show reports and comparisons: opened, found again, restored after a reload, answered.
import * as vscode from 'vscode';
import type { DimensionId } from '../comparability/comparison';
import { parseRestore, type Restore, type Side, type WebviewMessage } from '../messages';
import type { Result } from '../problem';
import { distinctPaths } from '../readers/distinct';
import type { Run } from '../readers/run';
import { parentOf, reportPlace } from './folders';
import { OpenTabs } from './open-tabs';
import { questionOf, restoreQuestion, saveComparison, showMistake, turned } from './comparison-question';
import { Panel, VIEW_TYPES, type PanelOwner } from './panel';
import type { OpenComparison, OpenReport, Pair, Question } from './read-run';
import { openAsText } from './report-editor';

/** Loaded with the first panel: reading and judging reports is the heavy part of the extension. */
const readers = () => import('./read-run');

export class ReportPanels {
  private readonly open = new Map<string, Panel>();
  private readonly tabs: OpenTabs;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly log: vscode.LogOutputChannel,
    memory: vscode.Memento,
  ) {
    this.tabs = new OpenTabs(memory);
  }

  /** Shows the report of a folder; a panel that shows it already comes to the front. */
  async showReport(folder: vscode.Uri): Promise<void> {
    const key = `report ${folder.toString()}`;
    const known = this.open.get(key);
    if (known) {
      known.view.reveal();
      return;
    }
    const owner = new ReportOwner(folder, this);
    const panel = Panel.create(this.extension, 'report', nameOf(folder), owner);
    this.keep(key, panel);
    if (await owner.load(panel)) await this.closeDouble(key, panel);
  }

  /** A live view has ended: the same panel becomes the report. */
  async becomeReport(panel: Panel, folder: vscode.Uri): Promise<void> {
    const owner = new ReportOwner(folder, this);
    panel.owner = owner;
    this.keep(`report ${folder.toString()}`, panel);
    await owner.load(panel);
  }

  async showComparison(folders: Pair, question: Question = { intended: [], aligned: [] }): Promise<void> {
    const key = `comparison ${folders.join(' ')}`;
    const known = this.open.get(key);
    if (known) {
      known.view.reveal();
      return;
    }
    const owner = new ComparisonOwner(folders, question, this);
    const panel = Panel.create(this.extension, 'comparison', pairName(folders), owner);
    this.keep(key, panel);
    if (await owner.load(panel)) await this.closeDouble(key, panel);
  }

  /** A comparison file: its runs are compared as it says. */
  async showComparisonFile(file: vscode.Uri): Promise<void> {
    const { openComparisonFile } = await readers();
    const read = await openComparisonFile(file);
    if (read.ok) {
      await this.showComparison(read.value.folders, read.value.question);
      return;
    }
    await showMistake(file, read.problems);
  }

  /** Panels that were open when the window was reloaded find their folders again. */
  registerSerializers(): vscode.Disposable {
    const restore = (view: vscode.WebviewPanel, state: unknown): Promise<void> => this.restore(view, state);
    return vscode.Disposable.from(
      vscode.window.registerWebviewPanelSerializer(VIEW_TYPES.report, { deserializeWebviewPanel: restore }),
      vscode.window.registerWebviewPanelSerializer(VIEW_TYPES.comparison, { deserializeWebviewPanel: restore }),
    );
  }

  private async restore(view: vscode.WebviewPanel, state: unknown): Promise<void> {
    const saved = typeof state === 'object' && state !== null ? (state as { restore?: unknown }).restore : undefined;
    const restore = parseRestore(saved);
    if (!restore) {
      this.log.warn(`a ${view.viewType} panel could not be restored: what it had saved is not readable`);
      view.dispose();
      return;
    }
    const folders = restore.folders.map((uri) => vscode.Uri.parse(uri));
    const [first, second] = folders;
    if (restore.kind === 'comparison' && first && second) {
      const owner = new ComparisonOwner([first, second], await questionOf(restore), this);
      const panel = Panel.adopt(this.extension, view, 'comparison', view.title, owner);
      this.keep(`comparison ${folders.join(' ')}`, panel);
      await owner.load(panel);
    } else if (first) {
      // A run that was live when the window closed has ended with it; what it left is a report.
      const owner = new ReportOwner(first, this);
      const panel = Panel.adopt(this.extension, view, 'report', view.title, owner);
      this.keep(`report ${first.toString()}`, panel);
      await owner.load(panel);
    }
  }

  private keep(key: string, panel: Panel): void {
    this.open.set(key, panel);
    panel.view.onDidDispose(() => {
      if (this.open.get(key) !== panel) return;
      this.open.delete(key);
      this.tabs.forget(key);
    });
  }

  /** The title of a tab, once it is known what it shows. */
  entitle(panel: Panel, title: string): void {
    panel.view.title = title;
    for (const [key, known] of this.open) if (known === panel) this.tabs.remember(key, title);
  }

  /** A report file opened as an editor of its own, which can be turned into the text editor. */
  async showInEditor(view: vscode.WebviewPanel, file: vscode.Uri): Promise<void> {
    const owner = new ReportOwner(reportPlace(file), this, file);
    await owner.load(Panel.adopt(this.extension, view, 'report', view.title, owner));
  }

  /**
   * After a reload VS Code keeps a hidden tab without asking anybody for its content, so that nothing here knows of it.
   * When the same report is opened anew, the old tab would be its double: it is closed.
   */
  private async closeDouble(key: string, panel: Panel): Promise<void> {
    const { title, viewType, visible } = panel.view;
    // A tab nobody has asked for its content is hidden; with our own one in front, no hidden tab is ours.
    if (!visible || !this.tabs.isOnly(key, title)) return;
    for (const known of this.open.values()) if (known !== panel && known.view.title === title) return;
    const doubles = vscode.window.tabGroups.all.flatMap((group) =>
      group.tabs.filter(
        ({ input, label, isActive }) =>
          label === title &&
          input instanceof vscode.TabInputWebview &&
          // VS Code puts a prefix of its own before the type.
          input.viewType.endsWith(viewType) &&
          !isActive,
      ),
    );
    if (doubles.length > 0) await vscode.window.tabGroups.close(doubles, true);
  }

  unexpected(error: unknown): void {
    this.log.error(error instanceof Error ? error : String(error));
  }

  async swap(panel: Panel, owner: ComparisonOwner): Promise<void> {
    for (const [key, known] of this.open) {
      if (known !== panel) continue;
      this.open.delete(key);
      this.tabs.forget(key);
    }
    this.keep(`comparison ${owner.folders.join(' ')}`, panel);
    panel.view.title = pairName(owner.folders);
    await owner.load(panel);
  }
}

class ReportOwner implements PanelOwner {
  private report: OpenReport | undefined;

  constructor(
    private folder: vscode.Uri,
    private readonly panels: ReportPanels,
    /** The file whose editor this is; absent for panels. An editor's title is its file's, and it is not ours to look for doubles of. */
    private readonly file?: vscode.Uri,
  ) {}

  /** True when it is shown in a tab of ours, whose title now says what it is. */
  async load(panel: Panel): Promise<boolean> {
    panel.show({ type: 'loading', words: `Reading ${nameOf(this.folder)} …` });
    const { failureOf } = await readers();
    const asText = this.file !== undefined;
    const read = await this.read();
    if (!read.ok) {
      panel.show({ type: 'failed', ...failureOf(read.problems), asText });
      return false;
    }
    this.report = read.value;
    const { run, view } = read.value;
    panel.show({ type: 'report', view, restore: restoreOf('report', [this.folder]), asText });
    if (asText) return false;
    this.panels.entitle(panel, `Report: ${tabName(run, this.folder)}`);
    return true;
  }

  /** A file whose folder cannot be read as one run (it holds several, or other things) is read by itself. */
  private async read(): Promise<Result<OpenReport>> {
    const { openReport } = await readers();
    const read = await openReport(this.folder);
    if (read.ok || !this.file) return read;
    const alone = await openReport(this.file, true);
    if (!alone.ok) return read;
    this.folder = this.file;
    return alone;
  }

  async receive(message: WebviewMessage, panel: Panel): Promise<void> {
    if (message.type === 'openAsText' && this.file) await openAsText(this.file, panel.view);
    else if (message.type === 'compareWith') {
      await vscode.commands.executeCommand('isoperf.compareWith', this.folder);
    } else if (message.type === 'copyMarkdown' && this.report) {
      const { asMarkdown } = await readers();
      await vscode.env.clipboard.writeText(asMarkdown(this.report));
      panel.show({ type: 'copied' });
    } else if (message.type === 'openFile') {
      await openFile(this.folder, this.report?.run, message.file);
    } else await receiveCommon(message);
  }

  onUnexpected(error: unknown): void {
    this.panels.unexpected(error);
  }
}

class ComparisonOwner implements PanelOwner {
  private opened: OpenComparison | undefined;

  constructor(
    public folders: Pair,
    private question: Question,
    private readonly panels: ReportPanels,
  ) {}

  /** True when it is shown in a tab of ours, whose title now says what it is. */
  async load(panel: Panel): Promise<boolean> {
    panel.show({ type: 'loading', words: 'Reading and comparing both runs …' });
    const { openComparison, failureOf } = await readers();
    const read = await openComparison(this.folders, this.question);
    if (!read.ok) {
      panel.show({ type: 'failed', ...failureOf(read.problems) });
      return false;
    }
    this.opened = read.value;
    this.send(panel);
    return true;
  }

  /** With something asked otherwise. */
  private async ask(change: Partial<Question>, opened: OpenComparison, panel: Panel): Promise<void> {
    const { judged } = await readers();
    this.question = { ...this.question, ...change };
    this.opened = judged(opened, this.question);
    this.send(panel);
  }

  private send(panel: Panel): void {
    if (!this.opened) return;
    const { a, b } = this.opened;
    this.panels.entitle(panel, `${tabName(a, this.folders[0])} ↔ ${tabName(b, this.folders[1])}`);
    const restore = { ...restoreOf('comparison', this.folders), ...restoreQuestion(this.question) };
    panel.show({ type: 'comparison', view: this.opened.view, restore });
  }

  async receive(message: WebviewMessage, panel: Panel): Promise<void> {
    const opened = this.opened;
    if (!opened) return;
    switch (message.type) {
      case 'copyMarkdown': {
        const { comparisonAsMarkdown } = await readers();
        await vscode.env.clipboard.writeText(comparisonAsMarkdown(opened));
        panel.show({ type: 'copied' });
        break;
      }
      case 'swap':
        this.folders = [this.folders[1], this.folders[0]];
        this.question = turned(this.question);
        await this.panels.swap(panel, this);
        break;
      case 'intend': {
        const dimension = opened.comparison.findings.find(
          (finding) => finding.dimension === message.dimension,
        )?.dimension;
        await this.ask({ intended: dimension === undefined ? [] : [dimension] }, opened, panel);
        break;
      }
      case 'align': {
        const others = this.question.aligned.filter((dimension) => dimension !== message.dimension);
        await this.ask({ aligned: message.on ? [...others, message.dimension] : others }, opened, panel);
        break;
      }
      case 'cut': {
        // A cut is what aligning the warm-up does.
        const aligned = [...new Set([...this.question.aligned, 'warmup-window'])];
        await this.ask({ cut: message.cut, aligned }, opened, panel);
        break;
      }
      case 'interpolate':
        await this.ask({ interpolate: message.on }, opened, panel);
        break;
      case 'saveComparison':
        await saveComparison(this.folders, this.question);
        break;
      case 'openReport':
        await this.panels.showReport(this.folders[indexOf(message.side)]);
        break;
      case 'openFile':
        await openFile(this.folders[indexOf(message.side)], opened[message.side], message.file);
        break;
      case 'openEvidence': {
        const { showEvidence } = await readers();
        await showEvidence(opened, this.folders, message.finding, message.side);
        break;
      }
      case 'explain':
      case 'showLog':
      case 'ready':
      case 'compareWith':
      case 'openAsText':
      case 'stop':
        await receiveCommon(message);
    }
  }

  onUnexpected(error: unknown): void {
    this.panels.unexpected(error);
  }
}

const indexOf = (side: Side): 0 | 1 => (side === 'a' ? 0 : 1);

async function receiveCommon(message: WebviewMessage): Promise<void> {
  if (message.type === 'explain') await vscode.commands.executeCommand('isoperf.explain', message.code);
  else if (message.type === 'showLog') await vscode.commands.executeCommand('isoperf.showLog');
}

/** Only files the reader listed: a view cannot name its way out of the folder. */
async function openFile(folder: vscode.Uri, run: Run | undefined, file: string): Promise<void> {
  if (!run?.files.includes(file)) return;
  // A single file of results is its own folder.
  const base = nameOf(folder) === file ? parentOf(folder) : folder;
  await vscode.window.showTextDocument(vscode.Uri.joinPath(base, file), { viewColumn: vscode.ViewColumn.Beside });
}

function restoreOf(
  kind: Restore['kind'],
  folders: readonly vscode.Uri[],
  intended: readonly DimensionId[] = [],
): Restore {
  return { kind, folders: folders.map((uri) => uri.toString()), intended };
}

export function nameOf(folder: vscode.Uri): string {
  return folder.path.split('/').filter(Boolean).at(-1) ?? folder.toString();
}

function pairName([a, b]: Pair): string {
  return distinctPaths(a.path, b.path).join(' ↔ ');
}

/** Tells runs of one config apart: "chat-8b, 11-29 16:54". */
function tabName({ manifest }: Run, folder: vscode.Uri): string {
  if (!manifest) return nameOf(folder);
  return `${manifest.name}, ${manifest.clock.startedAt.slice(5, 16).replace('T', ' ')}`;
}
