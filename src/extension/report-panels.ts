// The panels that show reports and comparisons: opened, found again, restored after a reload, answered.
import * as vscode from 'vscode';
import { parseRestore, type WebviewMessage } from '../messages';
import type { Problem, Result } from '../problem';
import type { OpenComparison, OpenReport, Pair, Question } from '../reader-messages';
import {
  openComparisonFile,
  questionOf,
  restoreQuestion,
  saveComparison,
  showMistake,
  turned,
} from './comparison-question';
import { showEvidence } from './evidence';
import { readFiles } from './files';
import { placeOf, reportPlace, uriOf } from './folders';
import { OpenTabs } from './open-tabs';
import { Panel, VIEW_TYPES, type PanelOwner } from './panel';
import {
  failureOf,
  indexOf,
  nameOf,
  openFile,
  pairName,
  placesOf,
  receiveCommon,
  restoreOf,
  tabName,
} from './panel-parts';
import { newestOnly, Reader, ReaderGone } from './reader';
import { openAsText } from './report-editor';

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

  /** A process for one panel; nothing is read or judged in this host. */
  reader(): Reader {
    const cli = vscode.Uri.joinPath(this.extension, 'dist', 'cli.js').fsPath;
    return new Reader({ cli, readFiles, onText: (line) => this.log.warn(line) });
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

  async showComparison(
    uris: Pair<vscode.Uri>,
    question: Question = { intended: [], aligned: [] },
    reader = this.reader(),
  ): Promise<void> {
    const key = `comparison ${uris.join(' ')}`;
    const known = this.open.get(key);
    if (known) {
      reader.dispose();
      known.view.reveal();
      return;
    }
    const owner = new ComparisonOwner(placesOf(uris), question, this, reader);
    const panel = Panel.create(this.extension, 'comparison', pairName(uris), owner);
    this.keep(key, panel);
    if (await owner.load(panel)) await this.closeDouble(key, panel);
  }

  /** A comparison file: its runs are compared as it says. */
  async showComparisonFile(file: vscode.Uri): Promise<void> {
    const reader = this.reader();
    const read = await openComparisonFile(file, reader).catch((error: unknown) => {
      reader.dispose();
      throw error;
    });
    if (read.ok) {
      const { folders, question } = read.value;
      await this.showComparison([uriOf(folders[0]), uriOf(folders[1])], question, reader);
      return;
    }
    reader.dispose();
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
      const reader = this.reader();
      const question = await questionOf(restore, reader);
      const owner = new ComparisonOwner(placesOf([first, second]), question, this, reader);
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

  /** Of a reader that failed: said in the panel, its details in the log. */
  notRead(error: unknown): { readonly ok: false; readonly problems: readonly Problem[] } {
    this.unexpected(error);
    const message =
      error instanceof ReaderGone
        ? `The process that reads reports ended before it answered: ${error.message}`
        : 'Reading the report failed for a mistake of this extension';
    const remedy = 'Close this tab and open it again. The log (IsoPerf: Show Log) says more.';
    return { ok: false, problems: [{ code: 'REP199', severity: 'error', path: [], message, remedy }] };
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
    const uris = [uriOf(owner.folders[0]), uriOf(owner.folders[1])] as const;
    this.keep(`comparison ${uris.join(' ')}`, panel);
    panel.view.title = pairName(uris);
    await owner.load(panel);
  }
}

class ReportOwner implements PanelOwner {
  private report: OpenReport | undefined;
  private reader: Reader | undefined;

  constructor(
    private folder: vscode.Uri,
    private readonly panels: ReportPanels,
    /** The file whose editor this is; absent for panels. An editor's title is its file's, and it is not ours to look for doubles of. */
    private readonly file?: vscode.Uri,
  ) {}

  /** True when it is shown in a tab of ours, whose title now says what it is. */
  async load(panel: Panel): Promise<boolean> {
    panel.show({ type: 'loading', words: `Reading ${nameOf(this.folder)} …` });
    const asText = this.file !== undefined;
    this.reader?.dispose();
    const reader = (this.reader = this.panels.reader());
    const read = await this.read(reader).catch((error: unknown) => this.panels.notRead(error));
    reader.dispose();
    if (!read.ok) {
      panel.show({ type: 'failed', ...failureOf(read.problems), asText });
      return false;
    }
    this.report = read.value;
    const { label, view } = read.value;
    panel.show({ type: 'report', view, restore: restoreOf('report', [this.folder]), asText });
    if (asText) return false;
    this.panels.entitle(panel, `Report: ${tabName(label, this.folder)}`);
    return true;
  }

  /** A file whose folder cannot be read as one run (it holds several, or other things) is read by itself. */
  private async read(reader: Reader): Promise<Result<OpenReport>> {
    const read = await reader.ask('report', { place: placeOf(this.folder), alone: false });
    if (read.ok || !this.file) return read;
    const alone = await reader.ask('report', { place: placeOf(this.file), alone: true });
    if (!alone.ok) return read;
    this.folder = this.file;
    return alone;
  }

  async receive(message: WebviewMessage, panel: Panel): Promise<void> {
    if (message.type === 'openAsText' && this.file) await openAsText(this.file, panel.view);
    else if (message.type === 'compareWith') {
      await vscode.commands.executeCommand('isoperf.compareWith', this.folder);
    } else if (message.type === 'copyMarkdown' && this.report) {
      await vscode.env.clipboard.writeText(this.report.markdown);
      panel.show({ type: 'copied' });
    } else if (message.type === 'openFile') {
      await openFile(this.folder, this.report?.view.files, message.file);
    } else await receiveCommon(message);
  }

  onUnexpected(error: unknown): void {
    this.panels.unexpected(error);
  }

  dispose(): void {
    this.reader?.dispose();
  }
}

class ComparisonOwner implements PanelOwner {
  private opened: OpenComparison | undefined;

  constructor(
    public folders: Pair,
    private question: Question,
    private readonly panels: ReportPanels,
    private readonly reader: Reader,
  ) {}

  /** True when it is shown in a tab of ours, whose title now says what it is. */
  async load(panel: Panel): Promise<boolean> {
    this.opened = undefined;
    panel.show({ type: 'loading', words: 'Reading and comparing both runs …' });
    await this.judge(panel);
    return this.isOpen();
  }

  private isOpen(): boolean {
    return this.opened !== undefined;
  }

  /** With something asked otherwise. */
  private async ask(change: Partial<Question>, panel: Panel): Promise<void> {
    this.question = { ...this.question, ...change };
    await this.judge(panel);
  }

  /** A question asked while another is judged is judged next, and the answer to the older one is not drawn. */
  private readonly judge = newestOnly(
    async (panel: Panel) => {
      const read = await this.reader
        .ask('comparison', { folders: this.folders, question: this.question })
        .catch((error: unknown) => this.panels.notRead(error));
      return { read, panel };
    },
    ({ read, panel }) => {
      if (read.ok) {
        this.opened = read.value;
        this.send(panel, read.value);
      } else panel.show({ type: 'failed', ...failureOf(read.problems) });
    },
  );

  private send(panel: Panel, { view, labels }: OpenComparison): void {
    const [a, b] = [0, 1].map((i) => tabName(labels[i], uriOf(this.folders[i]!)));
    this.panels.entitle(panel, `${a} ↔ ${b}`);
    const restore = { ...restoreOf('comparison', this.folders.map(uriOf)), ...restoreQuestion(this.question) };
    panel.show({ type: 'comparison', view, restore });
  }

  async receive(message: WebviewMessage, panel: Panel): Promise<void> {
    const opened = this.opened;
    if (!opened) return;
    switch (message.type) {
      case 'copyMarkdown': {
        await vscode.env.clipboard.writeText(opened.markdown);
        panel.show({ type: 'copied' });
        break;
      }
      case 'swap':
        this.folders = [this.folders[1], this.folders[0]];
        this.question = turned(this.question);
        await this.panels.swap(panel, this);
        break;
      case 'intend': {
        const chosen = opened.view.intendable.find(({ id }) => id === message.dimension);
        await this.ask({ intended: chosen ? [chosen.id] : [] }, panel);
        break;
      }
      case 'align': {
        const others = this.question.aligned.filter((dimension) => dimension !== message.dimension);
        await this.ask({ aligned: message.on ? [...others, message.dimension] : others }, panel);
        break;
      }
      case 'cut': {
        // A cut is what aligning the warm-up does.
        const aligned = [...new Set([...this.question.aligned, 'warmup-window'])];
        await this.ask({ cut: message.cut, aligned }, panel);
        break;
      }
      case 'interpolate':
        await this.ask({ interpolate: message.on }, panel);
        break;
      case 'saveComparison':
        await saveComparison(this.folders, this.question, this.reader);
        break;
      case 'openReport':
        await this.panels.showReport(uriOf(this.folders[indexOf(message.side)]));
        break;
      case 'openFile':
        await openFile(uriOf(this.folders[indexOf(message.side)]), opened.view.files[message.side], message.file);
        break;
      case 'openEvidence': {
        const { finding, side } = message;
        const { folders, question } = this;
        const ask = { folders, question, finding, ...(side === undefined ? {} : { side }) };
        await showEvidence(folders, await this.reader.ask('evidence', ask));
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

  dispose(): void {
    this.reader.dispose();
  }
}
