// One benchmark at a time: starts the engine, keeps its live state, shows it, stops it. Two at once would disturb each other.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { workingFolder } from './folders';
import type { LiveView, WebviewMessage } from '../messages';
import type { RunEvent } from '../events';
import { startEngine, type Engine, type EngineEnd } from './engine';
import { KEPT_LINES, reasonOf } from './engine-words';
import {
  failed,
  hasMeasured,
  liveView,
  runningWords,
  startState,
  stopping,
  withEvent,
  type LiveState,
} from './live-model';
import { Panel, type PanelOwner } from './panel';
import { API_KEY_VARIABLE, runArguments } from './run-command';
import type { Services } from './services';
import type { Target } from './targets';
import { workersFor } from './workers-setting';

export interface RunRequest {
  readonly config: vscode.Uri;
  readonly target: Target;
  /** The config's own endpoint, for its API key. */
  readonly baseUrl: string | undefined;
  /** Which config, when the file holds several. */
  readonly region?: string;
}

interface Current {
  readonly request: RunRequest;
  state: LiveState;
  engine: Engine | undefined;
  panel: Panel | undefined;
  stopAsked: 'no' | 'graceful' | 'now';
  /** What the engine said beside its events, the last lines. */
  said: string[];
}

export class RunController implements PanelOwner, vscode.Disposable {
  private current: Current | undefined;
  private readonly status = vscode.window.createStatusBarItem('isoperf.run', vscode.StatusBarAlignment.Left, 0);
  private readonly startedOrEnded = new vscode.EventEmitter<void>();
  readonly onDidStartOrEnd = this.startedOrEnded.event;

  constructor(private readonly services: Services) {
    this.status.name = 'IsoPerf Run';
    this.status.command = 'isoperf.showLive';
  }

  get isRunning(): boolean {
    return this.current !== undefined;
  }

  /**
   * Runs one benchmark to its end; resolves when the engine is gone, with the report's folder where the run came to its end. Never
   * rejects for what a run may meet.
   */
  async run(request: RunRequest): Promise<vscode.Uri | undefined> {
    if (this.current) {
      await this.refuseSecond();
      return undefined;
    }
    const name = path.basename(request.config.path).replace(/\.ya?ml$/, '');
    const current: Current = {
      request,
      state: startState(name),
      engine: undefined,
      panel: undefined,
      stopAsked: 'no',
      said: [],
    };
    this.current = current;
    this.startedOrEnded.fire();
    await vscode.commands.executeCommand('setContext', 'isoperf.running', true);
    this.showLive();
    this.update();
    try {
      await this.execute(current);
    } catch (error) {
      this.services.log.error(error instanceof Error ? error : String(error));
      current.state = failed(current.state, error instanceof Error ? error.message : String(error));
      this.update();
    } finally {
      this.current = undefined;
      this.status.hide();
      await vscode.commands.executeCommand('setContext', 'isoperf.running', false);
      this.startedOrEnded.fire();
    }
    const folder = await this.conclude(current);
    return current.state.finished?.state === 'complete' ? folder : undefined;
  }

  private async refuseSecond(): Promise<void> {
    const show = 'Show the Run';
    const words = 'A benchmark is running: a second one beside it would change what both measure.';
    if ((await vscode.window.showWarningMessage(words, show)) === show) this.showLive();
  }

  private async execute(current: Current): Promise<void> {
    const { request } = current;
    const { log, context } = this.services;
    const cli = context.asAbsolutePath(path.join('dist', 'cli.js'));
    const cwd = workingFolder(request.config);
    const onText = (line: string): void => {
      current.said = [...current.said, line].slice(-KEPT_LINES);
      log.info(line);
    };
    const key = await this.keyFor(request);
    const { asked: workers, wrong } = workersFor(request.config);
    if (wrong !== undefined) {
      current.state = failed(current.state, wrong);
      this.update();
      return;
    }
    const { target, region } = request;
    const args = runArguments({ config: path.relative(cwd, request.config.fsPath), target, region, workers });
    log.info(`isoperf ${args.join(' ')}`);
    if (current.stopAsked !== 'no') {
      current.state = failed(current.state, 'Stopped before the first request');
      this.update();
      return;
    }
    const engine = startEngine({
      cli,
      args,
      cwd,
      env: key === undefined ? {} : { [API_KEY_VARIABLE]: key },
      onText,
      onEvent: (event) => this.onEvent(current, event),
    });
    current.engine = engine;
    this.afterEnd(current, await engine.ended);
  }

  /** The simulator gets no key: one of a real server has no business there. */
  private async keyFor({ target, baseUrl }: RunRequest): Promise<string | undefined> {
    const url = target.kind === 'url' ? target.url : target.kind === 'config' ? baseUrl : undefined;
    return url === undefined ? undefined : this.services.keys.get(url);
  }

  private onEvent(current: Current, event: RunEvent): void {
    current.state = withEvent(current.state, event);
    if (event.type === 'problem') this.services.log.warn(`${event.problem.code} ${event.problem.message}`);
    this.update();
  }

  private afterEnd(current: Current, end: EngineEnd): void {
    if (current.state.phase === 'finished') return;
    const refused = current.state.problems.findLast((problem) => problem.severity === 'error');
    const how =
      end.error ??
      (end.signal ? `the engine was ended by ${end.signal}` : `the engine ended with code ${end.code ?? '?'}`);
    const reason = reasonOf(current.said);
    const what = hasMeasured(current.state) ? 'The run broke off' : 'The run broke before its first request';
    const why = refused ? 'The run did not start' : `${what}: ${reason ?? how}`;
    if (!refused) this.services.log.error(`${what}: ${how}`);
    current.state = failed(current.state, why);
    this.update();
  }

  /** The report in place of the live view; a notification only when nobody is looking at it. */
  private async conclude(current: Current): Promise<vscode.Uri | undefined> {
    const { log, reports, runs } = this.services;
    const { state, panel } = current;
    const folderPath = state.finished?.folder ?? state.planned?.folder;
    // A run that broke before its first request left no report: the view stays and says why.
    if (folderPath === undefined || (state.phase === 'failed' && !hasMeasured(state))) {
      void this.tell(current, undefined);
      return undefined;
    }
    const folder = vscode.Uri.file(path.resolve(workingFolder(current.request.config), folderPath));
    await runs.remember(folder);
    log.info(`report in ${folder.fsPath}`);
    const wasVisible = panel?.view.visible ?? false;
    if (panel) await reports.becomeReport(panel, folder);
    // Whoever started the run need not wait until a notification is answered.
    if (!wasVisible) void this.tell(current, folder);
    return folder;
  }

  private async tell({ request, state, panel }: Current, folder: vscode.Uri | undefined): Promise<void> {
    if (folder === undefined && panel?.view.visible) return;
    const view = liveView(state);
    const words = `${view.title}: ${view.words}`;
    const actions = folder ? ['Open Report', 'Compare With Last Run'] : ['Show Log'];
    const chosen = await (state.phase === 'finished'
      ? vscode.window.showInformationMessage(words, ...actions)
      : vscode.window.showErrorMessage(words, ...actions));
    if (chosen === 'Open Report' && folder) await this.services.reports.showReport(folder);
    else if (chosen === 'Show Log') await vscode.commands.executeCommand('isoperf.showLog');
    else if (chosen !== undefined) await vscode.commands.executeCommand('isoperf.compareWithLast', request.config);
  }

  stop(now: boolean): void {
    const current = this.current;
    if (!current) return;
    // Asking twice means it: what was a graceful stop becomes one at once.
    const isNow = now || current.stopAsked !== 'no';
    current.stopAsked = isNow ? 'now' : 'graceful';
    current.engine?.stop(isNow);
    current.state = stopping(current.state);
    this.update();
  }

  /** Brings the live view to the front, made anew when it was closed. */
  showLive(): void {
    const current = this.current;
    if (!current) return;
    if (current.panel) {
      current.panel.view.reveal();
      return;
    }
    const panel = Panel.create(this.services.context.extensionUri, 'report', `Run: ${current.state.name}`, this);
    current.panel = panel;
    panel.view.onDidDispose(() => {
      if (current.panel === panel) current.panel = undefined;
    });
    this.update();
  }

  private update(): void {
    const current = this.current;
    if (!current) return;
    const view = liveView(current.state);
    const folder = current.state.planned?.folder;
    const uri =
      folder === undefined
        ? ''
        : vscode.Uri.file(path.resolve(workingFolder(current.request.config), folder)).toString();
    current.panel?.show({ type: 'live', view, restore: { kind: 'live', folders: [uri], intended: [] } });
    this.status.text = `$(sync~spin) ${view.phase === 'running' ? runningWords(current.state) : view.words}`;
    this.status.tooltip = tooltip(view);
    this.status.show();
  }

  receive(message: WebviewMessage): void {
    if (message.type === 'stop') this.stop(message.now);
    else if (message.type === 'showLog') void vscode.commands.executeCommand('isoperf.showLog');
  }

  onUnexpected(error: unknown): void {
    this.services.log.error(error instanceof Error ? error : String(error));
  }

  dispose(): void {
    this.current?.engine?.stop(true);
    this.status.dispose();
    this.startedOrEnded.dispose();
  }
}

function tooltip(view: LiveView): string {
  return [
    `IsoPerf: ${view.title}`,
    ...view.counts.map(({ label, value }) => `${label}: ${value}`),
    ...view.figures.map(
      ({ label, value, detail }) => `${label}: ${value}${detail === undefined ? '' : ` (${detail})`}`,
    ),
    'Click to show the run',
  ].join('\n');
}
