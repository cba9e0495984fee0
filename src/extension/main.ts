// The extension's entry: registers, and looks at YAML files with one cheap test. Everything else is imported when it is needed.
import * as vscode from 'vscode';
import { registerCommands } from './commands';
import { Configs } from './configs';
import { ConfigsTree } from './configs-tree';
import { registerLanguage } from './language';
import { registerReportEditor } from './report-editor';
import { ReportPanels } from './report-panels';
import { RunController } from './run-controller';
import { Runs } from './runs';
import { RunsTree } from './runs-tree';
import { ApiKeys } from './secrets';
import type { Services } from './services';

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('IsoPerf', { log: true });
  const reports = new ReportPanels(context.extensionUri, log, context.workspaceState);
  const services: Services = {
    context,
    log,
    runs: new Runs(context.workspaceState, () => reports.reader()),
    keys: new ApiKeys(context.secrets, context.globalState),
    reports,
  };
  const configs = new Configs();
  const configsTree = new ConfigsTree(configs);
  const runsTree = new RunsTree(services.runs);
  const controller = new RunController(services);
  context.subscriptions.push(
    log,
    services.runs,
    configs,
    controller,
    services.reports.registerSerializers(),
    registerReportEditor(services.reports),
    registerCommands(services, controller),
    registerLanguage(services, controller),
    configsTree.show(vscode.window.createTreeView('isoperf.configs', { treeDataProvider: configsTree })),
    runsTree.show(vscode.window.createTreeView('isoperf.runs', { treeDataProvider: runsTree, canSelectMany: true })),
  );
}
