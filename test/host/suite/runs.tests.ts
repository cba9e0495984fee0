// Commands that start nothing, and what is kept where.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { FOREIGN_FILE, VLLM_RESULT } from '../../page/sample-foreign';
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

  it('has the threads of the setting in the command line, and nothing where it is auto', async () => {
    const uri = workspaceFile('baseline.yaml');
    const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('isoperf', uri);
    const copied = async (): Promise<string> => {
      await vscode.env.clipboard.writeText('');
      await vscode.commands.executeCommand('isoperf.copyCliCommand', uri);
      return eventually('the clipboard', async () => (await vscode.env.clipboard.readText()) || undefined);
    };
    assert.equal(settings().get('run.workers'), 'auto');
    assert.doesNotMatch(await copied(), /--workers/);
    await settings().update('run.workers', '3', vscode.ConfigurationTarget.Workspace);
    try {
      assert.match(await copied(), / --workers 3$/);
    } finally {
      await settings().update('run.workers', undefined, vscode.ConfigurationTarget.Workspace);
    }
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

  it('opens a result file of vLLM, and a report file as an editor of its own', async () => {
    const tabs = (): readonly vscode.Tab[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const result = workspaceFile(FOREIGN_FILE);
    await vscode.workspace.fs.writeFile(result, new TextEncoder().encode(JSON.stringify(VLLM_RESULT)));
    await vscode.commands.executeCommand('isoperf.openReport', result);
    await eventually('the report of the file', () => tabs().find((tab) => tab.label === `Report: ${FOREIGN_FILE}`));
    const file = workspaceFile('reports-foreign/summary_lifecycle_metrics.json');
    await vscode.commands.executeCommand('vscode.openWith', file, 'isoperf.reportEditor');
    const custom = await eventually('the editor', () =>
      tabs().find((tab) => tab.input instanceof vscode.TabInputCustom && tab.input.uri.toString() === file.toString()),
    );
    assert.equal((custom.input as vscode.TabInputCustom).viewType, 'isoperf.reportEditor');
    await vscode.workspace.fs.delete(result);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('opens a comparison file with the runs that it names', async () => {
    const tabs = (): readonly vscode.Tab[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const write = (name: string, text: string): Thenable<void> =>
      vscode.workspace.fs.writeFile(workspaceFile(name), new TextEncoder().encode(text));
    const report = {
      load_summary: { count: 1, schedule_delay: null },
      successes: { count: 1, latency: {}, throughput: {} },
      failures: { count: 0 },
    };
    for (const name of ['left', 'right']) {
      await vscode.workspace.fs.createDirectory(workspaceFile(`campaign/${name}`));
      await write(`campaign/${name}/summary_lifecycle_metrics.json`, JSON.stringify(report));
    }
    await write('campaign/comparison.yaml', 'a: left\nb: right\nintended: server\n');
    await vscode.commands.executeCommand('isoperf.openComparison', workspaceFile('campaign/comparison.yaml'));
    await eventually('the comparison', () => tabs().find((tab) => tab.label === 'left ↔ right'));
    await vscode.workspace.fs.delete(workspaceFile('campaign'), { recursive: true });
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
});
