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
  const services: Services = {
    context,
    log,
    runs: new Runs(context.workspaceState),
    keys: new ApiKeys(context.secrets, context.globalState),
    reports: new ReportPanels(context.extensionUri, log, context.workspaceState),
  };
  const configs = new Configs();
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
    vscode.window.createTreeView('isoperf.configs', { treeDataProvider: new ConfigsTree(configs) }),
    vscode.window.createTreeView('isoperf.runs', {
      treeDataProvider: new RunsTree(services.runs),
      canSelectMany: true,
    }),
  );
}
