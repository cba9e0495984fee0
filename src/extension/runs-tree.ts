// The tree "Runs": newest first, what each one was at a glance, and what differs from the run before on hover.
import * as vscode from 'vscode';
import { moment } from '../figures';
import { leftOutWords } from './configs-tree';
import { factsLine, firstSight, firstSightWords, runLabel, stateWords, type RunFacts } from './run-facts';
import type { KnownRun, Runs } from './runs';

const ICONS: Readonly<Record<RunFacts['state'], string>> = {
  complete: 'pass',
  incomplete: 'warning',
  running: 'question',
  unknown: 'graph',
};

export class RunsTree implements vscode.TreeDataProvider<KnownRun> {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private order: readonly KnownRun[] = [];
  private view: vscode.TreeView<KnownRun> | undefined;

  constructor(private readonly runs: Runs) {
    runs.onDidChange(() => this.changed.fire(undefined));
  }

  show(view: vscode.TreeView<KnownRun>): vscode.TreeView<KnownRun> {
    this.view = view;
    return view;
  }

  async getChildren(parent?: KnownRun): Promise<KnownRun[]> {
    if (parent) return [];
    const { runs, leftOut } = await this.runs.everything();
    this.order = runs;
    if (this.view) this.view.message = leftOutWords(leftOut, 'file');
    await vscode.commands.executeCommand('setContext', 'isoperf.runCount', this.order.length);
    return [...this.order];
  }

  getTreeItem(run: KnownRun): vscode.TreeItem {
    const { facts, folder } = run;
    const label = runLabel(
      facts,
      this.order.map((other) => other.facts),
    );
    const item = new vscode.TreeItem(label);
    item.id = folder.toString();
    item.description = factsLine(facts);
    item.iconPath = new vscode.ThemeIcon(ICONS[facts.state]);
    item.contextValue = 'run';
    item.command = { command: 'isoperf.openReport', title: 'Open Report', arguments: [folder] };
    item.accessibilityInformation = { label: `${label}, ${stateWords(facts)}, ${factsLine(facts)}` };
    return item;
  }

  /** Only when somebody points at it. */
  resolveTreeItem(item: vscode.TreeItem, run: KnownRun): vscode.TreeItem {
    const index = this.order.indexOf(run);
    const before = this.order[index + 1];
    item.tooltip = tooltip(run, before);
    return item;
  }
}

function tooltip({ facts, folder }: KnownRun, before: KnownRun | undefined): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.appendText(`${facts.name}: ${stateWords(facts)}\n`);
  if (facts.startedAt !== undefined) text.appendText(`\nStarted ${moment(facts.startedAt)}\n`);
  if (facts.endpoint !== undefined)
    text.appendText(`\n${facts.endpoint}${facts.model === undefined ? '' : `, ${facts.model}`}\n`);
  text.appendText(`\n${vscode.workspace.asRelativePath(folder)}\n`);
  if (before) {
    const sight = firstSight(before.facts, facts);
    text.appendText(`\nAgainst the run before (${before.facts.name}):\n`);
    for (const line of sight.differs.length > 0 ? sight.differs : [firstSightWords(sight)]) {
      text.appendText(`\n- ${line}\n`);
    }
  }
  return text;
}
