// Report files as editors: "Reopen Editor With… IsoPerf Report" on run.json and on inference-perf's lifecycle files.
import * as vscode from 'vscode';
import { reportPlace } from './folders';
import type { ReportPanels } from './report-panels';

const VIEW_TYPE = 'isoperf.reportEditor';

/** The file only names the report: everything is read through its folder. */
class ReportEditor implements vscode.CustomReadonlyEditorProvider {
  constructor(private readonly reports: ReportPanels) {}

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => undefined };
  }

  async resolveCustomEditor({ uri }: vscode.CustomDocument, view: vscode.WebviewPanel): Promise<void> {
    await this.reports.showInEditor(view, reportPlace(uri));
  }
}

export function registerReportEditor(reports: ReportPanels): vscode.Disposable {
  return vscode.window.registerCustomEditorProvider(VIEW_TYPE, new ReportEditor(reports));
}
