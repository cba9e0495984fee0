// What the parts of the extension share. Cheap to make: everything heavy is imported when it is first needed.
import type * as vscode from 'vscode';
import type { ReportPanels } from './report-panels';
import type { Runs } from './runs';
import type { ApiKeys } from './secrets';

export interface Services {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly runs: Runs;
  readonly keys: ApiKeys;
  readonly reports: ReportPanels;
}
