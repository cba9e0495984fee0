// The commands: each asks for what it was not given, says in words why it cannot, and hands over to the part that does it.
import * as vscode from 'vscode';
import { looksLikeConfig } from '../config/find/detect';
import { reportPlace, workingFolder } from './folders';
import { factsLine, firstSight, firstSightWords, runLabel } from './run-facts';
import { trySimulator } from './sample';
import type { RunController } from './run-controller';
import { terminalLine } from './run-command';
import type { KnownRun } from './runs';
import { askForKey, askForUrl, originOf } from './secrets';
import type { Services } from './services';
import { pickTarget, rememberedTarget, rememberTarget, type Target } from './targets';
import { workersFor } from './workers-setting';
import * as path from 'node:path';

const languageRoom = () => import('./language-room');

/** What a command may be called with: a place, a tree item, or nothing. */
type Argument = vscode.Uri | { readonly uri: vscode.Uri } | { readonly folder: vscode.Uri } | undefined;

export function registerCommands(services: Services, controller: RunController): vscode.Disposable {
  const commands: Readonly<Record<string, (...args: never[]) => unknown>> = {
    'isoperf.run': (config: Argument, region?: unknown, named?: unknown) =>
      run(services, controller, config, region, named !== true),
    'isoperf.runAgainst': (config: Argument, region?: unknown) => run(services, controller, config, region, true),
    'isoperf.trySimulator': () => trySimulator(services, controller),
    'isoperf.stop': () => controller.stop(false),
    'isoperf.showLive': () => controller.showLive(),
    'isoperf.openReport': (folder: Argument) => openReport(services, folder),
    'isoperf.openComparison': (file: Argument) => openComparison(services, file),
    'isoperf.compareWith': (folder: Argument) => compareWith(services, folder),
    'isoperf.compareSelected': (_: Argument, selected?: readonly Argument[]) => compareSelected(services, selected),
    'isoperf.compareWithLast': (config: Argument) => compareWithLast(services, config),
    'isoperf.setApiKey': (url?: string) => setApiKey(services, url),
    'isoperf.forgetApiKey': () => forgetApiKey(services),
    'isoperf.copyCliCommand': (config: Argument) => copyCliCommand(services, config),
    'isoperf.explain': (code?: string) => explain(services, code),
    'isoperf.showLog': () => services.log.show(true),
    'isoperf.refreshRuns': () => services.runs.refresh(),
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([id, handler]) => vscode.commands.registerCommand(id, guarded(services, handler))),
  );
}

/** An error nobody expected is told once, with a way to the log, never as a bare stack. */
function guarded(services: Services, handler: (...args: never[]) => unknown): (...args: never[]) => Promise<void> {
  return async (...args) => {
    try {
      await handler(...args);
    } catch (error) {
      services.log.error(error instanceof Error ? error : String(error));
      const message = error instanceof Error ? error.message : String(error);
      if ((await vscode.window.showErrorMessage(`IsoPerf: ${message}`, 'Show Log')) !== undefined)
        services.log.show(true);
    }
  };
}

function uriOf(argument: Argument): vscode.Uri | undefined {
  if (argument === undefined || argument instanceof vscode.Uri) return argument;
  return 'uri' in argument ? argument.uri : argument.folder;
}

/** The config a command is about: the one it was given, else the open editor's. Saved, on a disk, and one of ours. */
async function configOf(argument: Argument): Promise<vscode.TextDocument | undefined> {
  const uri = uriOf(argument);
  const document = uri ? await vscode.workspace.openTextDocument(uri) : vscode.window.activeTextEditor?.document;
  if (!document || !looksLikeConfig(document.getText())) {
    void vscode.window.showInformationMessage(
      'Open a benchmark config first: a YAML file with sections such as load, data and server.',
    );
    return undefined;
  }
  return document;
}

/** @param ask where to run; the lens has named the target, every other way to run names it in the picker first */
async function run(
  services: Services,
  controller: RunController,
  argument: Argument,
  given: unknown,
  ask: boolean,
): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    const chosen = await vscode.window.showWarningMessage(
      'IsoPerf runs benchmarks only in trusted workspaces: a config decides where requests go.',
      'Manage Workspace Trust',
    );
    if (chosen !== undefined) await vscode.commands.executeCommand('workbench.trust.manage');
    return;
  }
  const document = await configOf(argument);
  if (!document) return;
  if (document.uri.scheme !== 'file' || ((document.isDirty || document.isUntitled) && !(await document.save()))) {
    void vscode.window.showErrorMessage(
      'The config must be saved on a disk of this machine before it can run: the engine reads it from there.',
    );
    return;
  }
  const { baseUrlOf, errorCount } = await languageRoom();
  const text = document.getText();
  const region = typeof given === 'string' && given !== '' ? given : undefined;
  const errors = errorCount(text, region);
  if (errors > 0) {
    await sayErrors(errors);
    return;
  }
  const baseUrl = baseUrlOf(text, region);
  const last = rememberedTarget(services.context.workspaceState, document.uri);
  const target = last && !ask ? last : await pickTarget(services.keys, baseUrl, last);
  if (!target) return;
  await rememberTarget(services.context.workspaceState, document.uri, target);
  await controller.run({ config: document.uri, target, baseUrl, ...(region === undefined ? {} : { region }) });
}

/** The engine would refuse it; better to say so where the errors can be seen. */
async function sayErrors(count: number): Promise<void> {
  const words = count === 1 ? 'The config has an error' : `The config has ${count} errors`;
  const chosen = await vscode.window.showErrorMessage(`${words}: it cannot run as it is.`, 'Show Problems');
  if (chosen !== undefined) await vscode.commands.executeCommand('workbench.actions.view.problems');
}

async function openReport(services: Services, argument: Argument): Promise<void> {
  const given = uriOf(argument) ?? (await pickReport(services));
  if (given) await services.reports.showReport(reportPlace(given));
}

/** A run of the list, or results of any tool from anywhere. */
async function pickReport(services: Services): Promise<vscode.Uri | undefined> {
  return (await pickRun(services, 'Open Report', undefined))?.folder;
}

async function openComparison(services: Services, argument: Argument): Promise<void> {
  const [picked] = uriOf(argument)
    ? []
    : ((await vscode.window.showOpenDialog({
        title: 'Open a Comparison File',
        openLabel: 'Open Comparison',
        filters: { 'Comparison file': ['yaml', 'yml', 'json'] },
      })) ?? []);
  const file = uriOf(argument) ?? picked;
  if (file) await services.reports.showComparisonFile(file);
}

async function compareWith(services: Services, argument: Argument): Promise<void> {
  const given = uriOf(argument);
  const one = given
    ? await knownOf(services, reportPlace(given))
    : await pickRun(services, 'Compare: the First Run (A)', undefined);
  if (!one) return;
  const other = await pickRun(services, `Compare ${one.facts.name} With`, one);
  // As they were picked: the first is A.
  if (other) await services.reports.showComparison([one.folder, other.folder]);
}

/** A place that is in no list has its name, and that is all. */
async function knownOf(services: Services, folder: vscode.Uri): Promise<KnownRun> {
  const known = (await services.runs.all()).find((run) => run.folder.toString() === folder.toString());
  return known ?? { folder, facts: { name: path.basename(folder.path), state: 'unknown' } };
}

/** From the tree of runs, or from the explorer: files and folders. */
async function compareSelected(services: Services, selected: readonly Argument[] | undefined): Promise<void> {
  const [first, second, ...more] = (selected ?? []).flatMap((one) => uriOf(one) ?? []);
  if (!first || !second || more.length > 0) {
    void vscode.window.showInformationMessage(
      'Select two runs to compare (Ctrl or Cmd and a click selects the second).',
    );
    return;
  }
  await compareInTime(
    services,
    await knownOf(services, reportPlace(first)),
    await knownOf(services, reportPlace(second)),
  );
}

/** The earlier run is A: it is what the later one is measured against. Without times, as they were selected. */
async function compareInTime(services: Services, first: KnownRun, second: KnownRun): Promise<void> {
  const [before, after] = [first.facts.startedAt, second.facts.startedAt];
  const isInOrder = before === undefined || after === undefined || before <= after;
  const [a, b] = isInOrder ? [first, second] : [second, first];
  await services.reports.showComparison([a.folder, b.folder]);
}

/** The newest run of the config (without one, of all) against the run before it, of the same config. */
async function compareWithLast(services: Services, argument: Argument): Promise<void> {
  const all = await services.runs.all();
  const uri = uriOf(argument) ?? vscode.window.activeTextEditor?.document.uri;
  const config = uri && /\.ya?ml$/.test(uri.path) ? uri : undefined;
  const last = all[0]?.facts.configFile;
  const [newest, before] = config
    ? await services.runs.of(config)
    : all.filter(({ facts }) => facts.configFile === last);
  if (!newest || !before) {
    const which =
      config === undefined
        ? 'There are no two runs'
        : `There are no two runs of ${vscode.workspace.asRelativePath(config)}`;
    void vscode.window.showInformationMessage(`${which} to compare yet: run it, change one thing, run it again.`);
    return;
  }
  await services.reports.showComparison([before.folder, newest.folder]);
}

interface RunItem extends vscode.QuickPickItem {
  readonly run: KnownRun;
}

function runItem(known: KnownRun, against: KnownRun | undefined): RunItem {
  const place = vscode.workspace.asRelativePath(known.folder);
  return {
    label: runLabel(known.facts),
    description: factsLine(known.facts),
    detail: against
      ? firstSightWords(firstSight(against.facts, known.facts))
      : `${known.facts.model ?? 'model not recorded'} · ${place}`,
    run: known,
  };
}

/** A run of the list, or results from anywhere: two files that are in no list can be compared, too. */
async function pickRun(
  services: Services,
  title: string,
  against: KnownRun | undefined,
): Promise<KnownRun | undefined> {
  const elsewhere = [
    { label: '$(folder-opened) A Folder…', description: 'of results: IsoPerf, inference-perf, vLLM, GuideLLM, …' },
    { label: '$(file) A File…', description: 'of results: JSON, JSON lines or YAML' },
  ];
  const all = (await services.runs.all()).filter((known) => known.folder.toString() !== against?.folder.toString());
  const items = all.map((known) => runItem(known, against));
  const chosen = await vscode.window.showQuickPick<vscode.QuickPickItem & { readonly run?: KnownRun }>(
    [...items, { label: 'elsewhere', kind: vscode.QuickPickItemKind.Separator }, ...elsewhere],
    { title, matchOnDescription: true, matchOnDetail: true },
  );
  if (!chosen || chosen.run) return chosen?.run;
  const isFolder = chosen.label === elsewhere[0]!.label;
  const [place] =
    (await vscode.window.showOpenDialog({
      title,
      canSelectFiles: !isFolder,
      canSelectFolders: isFolder,
      openLabel: 'Open',
      ...(isFolder ? {} : { filters: { Results: ['json', 'jsonl', 'ndjson', 'yaml', 'yml', 'txt'] } }),
    })) ?? [];
  return place && knownOf(services, place);
}

async function setApiKey(services: Services, given: string | undefined): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const { baseUrlOf } = await languageRoom();
  const suggestion =
    document && looksLikeConfig(document.getText()) ? baseUrlOf(document.getText(), undefined) : undefined;
  const url = typeof given === 'string' ? given : await askForUrl('Set API Key: for Which Endpoint?', suggestion ?? '');
  if (url === undefined) return;
  const key = await askForKey(url);
  if (key === undefined || key === '') return;
  await services.keys.set(url, key);
  void vscode.window.showInformationMessage(
    `The key for ${originOf(url) ?? url} is in the secret storage. Runs against it use it.`,
  );
}

async function forgetApiKey(services: Services): Promise<void> {
  const origins = services.keys.origins();
  if (origins.length === 0) {
    void vscode.window.showInformationMessage('No API key is stored.');
    return;
  }
  const origin = await vscode.window.showQuickPick(origins, { title: 'Forget API Key', placeHolder: 'Whose key?' });
  if (origin === undefined) return;
  await services.keys.forget(origin);
  void vscode.window.showInformationMessage(`The key for ${origin} is forgotten.`);
}

async function copyCliCommand(services: Services, argument: Argument): Promise<void> {
  const document = await configOf(argument);
  if (!document) return;
  const { baseUrlOf } = await languageRoom();
  const target: Target = rememberedTarget(services.context.workspaceState, document.uri) ?? { kind: 'config' };
  const url =
    target.kind === 'url'
      ? target.url
      : target.kind === 'config'
        ? baseUrlOf(document.getText(), undefined)
        : undefined;
  const needsKey = url !== undefined && (await services.keys.get(url)) !== undefined;
  const cli = services.context.asAbsolutePath(path.join('dist', 'cli.js'));
  const config = path.relative(workingFolder(document.uri), document.uri.fsPath);
  const { asked: workers } = workersFor(document.uri);
  await vscode.env.clipboard.writeText(terminalLine(cli, { config, target, workers }, needsKey));
  void vscode.window.setStatusBarMessage('The command is on the clipboard', 3000);
}

/** Opens the page of a code: the catalogue of pitfalls, or what is wrong with a file. */
async function explain(services: Services, code: string | undefined): Promise<void> {
  const page = vscode.Uri.joinPath(
    services.context.extensionUri,
    'docs',
    /^(CFG|YML)/i.test(code ?? '') ? 'findings.md' : 'pitfalls.md',
  );
  const fragment = typeof code === 'string' ? code.toLowerCase().replace(/[^a-z0-9-]/g, '') : '';
  await vscode.commands.executeCommand('markdown.showPreview', page.with({ fragment }));
}
