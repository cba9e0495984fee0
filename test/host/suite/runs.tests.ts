// Commands that start nothing, and what is kept where.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually, workspaceFile } from './support';

describe('commands', () => {
  it('copies the command line of a config without secrets', async () => {
    const document = await vscode.workspace.openTextDocument(workspaceFile('baseline.yaml'));
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('isoperf.copyCliCommand', document.uri);
    const line = await eventually('the clipboard', async () => (await vscode.env.clipboard.readText()) || undefined);
    assert.match(line, /cli\.js"? run baseline\.yaml/);
    assert.doesNotMatch(line, /api.?key/i);
  });

  it('opens a report of inference-perf from its folder', async () => {
    const folder = workspaceFile('reports-foreign');
    const report = {
      load_summary: { count: 1, schedule_delay: null },
      successes: { count: 1, latency: {}, throughput: {} },
      failures: { count: 0 },
    };
    await vscode.workspace.fs.createDirectory(folder);
    const file = vscode.Uri.joinPath(folder, 'summary_lifecycle_metrics.json');
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(JSON.stringify(report)));
    await vscode.commands.executeCommand('isoperf.openReport', folder);
    await eventually('the report tab', () =>
      vscode.window.tabGroups.all.flatMap((group) => group.tabs).find((tab) => tab.label.includes('reports-foreign')),
    );
  });
});
