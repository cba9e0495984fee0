// Report files as editors: names that only reports have open as the report, others by "Reopen Editor With…"; text is one click away.
import * as vscode from 'vscode';
import { MANIFEST_FILE, MANIFEST_FORMAT } from '../folder/run-files';

/** The first is the default for its names (package.json), the second is offered for names that others use, too. */
const VIEW_TYPES = ['isoperf.reportEditor', 'isoperf.resultEditor'] as const;
const HEAD_BYTES = 64 * 1024;

interface Reports {
  showInEditor(view: vscode.WebviewPanel, uri: vscode.Uri): Promise<void>;
}

/** The file only names the report: everything is read through its folder. */
class ReportEditor implements vscode.CustomReadonlyEditorProvider {
  constructor(private readonly reports: Reports) {}

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => undefined };
  }

  async resolveCustomEditor({ uri }: vscode.CustomDocument, view: vscode.WebviewPanel): Promise<void> {
    if (uri.path.endsWith(`/${MANIFEST_FILE}`) && !(await isOurs(uri))) {
      // "run.json" is a name that other programs use: their file is opened as it would be without this extension.
      await openAsText(uri, view);
      return;
    }
    await this.reports.showInEditor(view, uri);
  }
}

async function isOurs(uri: vscode.Uri): Promise<boolean> {
  try {
    const bytes = await vscode.workspace.fs.readFile(uri);
    return new TextDecoder().decode(bytes.subarray(0, HEAD_BYTES)).includes(`"${MANIFEST_FORMAT}"`);
  } catch {
    // What cannot be read is no less ours: the view says why.
    return true;
  }
}

/** Puts the text editor into the place of a report editor. */
export async function openAsText(uri: vscode.Uri, view: vscode.WebviewPanel): Promise<void> {
  await vscode.commands.executeCommand('vscode.openWith', uri, 'default', view.viewColumn ?? vscode.ViewColumn.Active);
  view.dispose();
}

/** The active report editor as text: the button in its title. */
export async function reopenAsText(): Promise<void> {
  const group = vscode.window.tabGroups.activeTabGroup;
  const shown = customUri(group.activeTab);
  if (!shown) return;
  await vscode.commands.executeCommand('vscode.openWith', shown, 'default', group.viewColumn);
  // A preview tab was replaced; one that was kept open is still there.
  const left = vscode.window.tabGroups.all
    .filter(({ viewColumn }) => viewColumn === group.viewColumn)
    .flatMap(({ tabs }) => tabs.filter((tab) => customUri(tab)?.toString() === shown.toString()));
  if (left.length > 0) await vscode.window.tabGroups.close(left, true);
}

function customUri(tab: vscode.Tab | undefined): vscode.Uri | undefined {
  return tab?.input instanceof vscode.TabInputCustom ? tab.input.uri : undefined;
}

export function registerReportEditor(reports: Reports): vscode.Disposable {
  return vscode.Disposable.from(
    ...VIEW_TYPES.map((type) => vscode.window.registerCustomEditorProvider(type, new ReportEditor(reports))),
    vscode.commands.registerCommand('isoperf.reopenAsText', reopenAsText),
  );
}
