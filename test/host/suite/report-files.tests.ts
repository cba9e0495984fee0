// What opening a file of the explorer gives: reports as reports, everything else as text, and the way from one to the other.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { VLLM_RESULT } from '../../page/sample-foreign';
import { eventually, workspaceFile } from './support';

const REPORT = {
  load_summary: { count: 1, schedule_delay: null },
  successes: { count: 1, latency: {}, throughput: {} },
  failures: { count: 0 },
};

async function write(name: string, content: unknown): Promise<vscode.Uri> {
  const uri = workspaceFile(name);
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  return uri;
}

/** As a double click in the explorer does. */
async function open(uri: vscode.Uri): Promise<void> {
  await vscode.commands.executeCommand('vscode.open', uri);
}

function tabsOf(uri: vscode.Uri): readonly vscode.Tab[] {
  const all = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return all.filter(
    ({ input }) =>
      (input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom) &&
      input.uri.toString() === uri.toString(),
  );
}

function kindOf(uri: vscode.Uri): string {
  return tabsOf(uri)
    .map(({ input }) => (input instanceof vscode.TabInputCustom ? input.viewType : 'text'))
    .join(', ');
}

async function becomes(uri: vscode.Uri, kind: string): Promise<void> {
  await eventually(`${uri.path} as ${kind}, not ${kindOf(uri)}`, () => (kindOf(uri) === kind ? true : undefined));
}

describe('a file of the explorer', () => {
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('opens as the report when its name is one that only reports have', async () => {
    const names = [
      'opened/summary_lifecycle_metrics.json',
      'opened/run1-stage_0_lifecycle_metrics.json',
      'opened/openai-1.0qps-Qwen2.5-VL-3B-Instruct-20260722-060114.json',
      'opened/vllm-infqps-concurrency32-Llama-3.2-3B-20250530-204006.json',
      'opened/profile_export_aiperf.json',
      'opened/profile_export_genai_perf.json',
    ];
    for (const name of names) {
      const uri = await write(name, name.includes('lifecycle') ? REPORT : VLLM_RESULT);
      await open(uri);
      await becomes(uri, 'isoperf.reportEditor');
    }
  });

  it('stays text when it merely is JSON', async () => {
    for (const name of ['package.json', 'results.json', 'benchmarks.json', 'metrics.json', 'my-run.json', 'a.jsonl']) {
      const uri = await write(`plain/${name}`, { load_summary: 1 });
      await open(uri);
      await becomes(uri, 'text');
    }
  });

  it('named run.json is the report when IsoPerf wrote it, and text when it did not', async () => {
    const foreign = await write('plain/run.json', { steps: ['build', 'test'] });
    await open(foreign);
    await becomes(foreign, 'text');
    const ours = await write('opened/run.json', { format: 'isoperf-run', version: 1 });
    await open(ours);
    await becomes(ours, 'isoperf.reportEditor');
  });

  it('becomes text by the button of its title, in the same place, kept open or not', async () => {
    const uri = await write('opened/summary_lifecycle_metrics.json', REPORT);
    for (const keep of [false, true]) {
      await open(uri);
      await becomes(uri, 'isoperf.reportEditor');
      if (keep) await vscode.commands.executeCommand('workbench.action.keepEditor');
      await vscode.commands.executeCommand('isoperf.reopenAsText');
      await becomes(uri, 'text');
      assert.equal(tabsOf(uri)[0]!.isActive, true);
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    }
  });
});
