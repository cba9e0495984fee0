// The report view of another tool's file: who wrote it, what was assumed, what is missing, which identities are violated.
import { describe, expect, it } from 'vitest';
import { readRun } from '../../../src/report/read';
import { reportView } from '../../../src/report/view';
import type { ReportView } from '../../../src/report/view-model';
import { FOREIGN_FILE, VLLM_RESULT } from '../../page/sample-foreign';
import { memoryFolder } from '../support/memory-folder';

async function viewOf(content: unknown): Promise<ReportView> {
  const read = await readRun(memoryFolder({ [FOREIGN_FILE]: JSON.stringify(content) }));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return reportView(read.value);
}

describe('the report view of a vLLM result', () => {
  it('names the tool, its version class with evidence, assumptions and gaps', async () => {
    const view = await viewOf(VLLM_RESULT);
    expect(view.identity[0]).toMatch(/^vllm.*, read as /);
    expect(view.identity.join()).toContain('org/model-8b');
    const facts = view.provenance.flatMap(({ facts: list }) => list);
    expect(facts.find(({ label }) => label === 'Version')?.note).toMatch(/^recognised by /);
    expect(view.notes.find(({ title }) => title.includes('not recorded'))?.detail).toContain('ignore_eos');
    expect(view.notes.map(({ title }) => title).join('\n')).toMatch(/had to be assumed[^]*not recorded/);
    expect(view.files).toContain(FOREIGN_FILE);
    expect(view.stages.rows).not.toEqual([]);
  });

  it('puts a violated identity first, with its cause or tolerance; a sound file has none', async () => {
    const broken = await viewOf({ ...VLLM_RESULT, request_throughput: 4.5 });
    expect(broken.notes[0]).toMatchObject({ tone: 'bad' });
    expect(broken.notes[0]!.detail).toMatch(/Checked: /);
    expect((await viewOf(VLLM_RESULT)).notes.filter(({ tone }) => tone === 'bad')).toEqual([]);
  });
});
