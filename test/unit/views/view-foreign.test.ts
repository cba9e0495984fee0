// The report view of another tool's file: who wrote it, what was assumed, what is missing, which identities are violated.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import { readRun } from '../../../src/readers/read';
import { reportView } from '../../../src/views/report/view';
import type { ReportView } from '../../../src/views/report/model';
import { FOREIGN_FILE, VLLM_RESULT } from '../../page/sample-foreign';
import { TOOL_FILES } from '../readers/tool-files';
import { memoryFolder } from '../support/memory-folder';
import { syntheticRun } from '../support/synthetic-run';

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

describe('the state of another tool’s run', () => {
  it.each(TOOL_FILES)('%s: the same in its report and in a comparison with it', async (_, files) => {
    const read = await readRun(memoryFolder(files));
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const compared = compare(read.value, read.value, { resamples: 20 }).a.state;
    const [word] = reportView(read.value).state.words.split(/[:. ]/);
    const same = { Complete: /^complete/, Incomplete: /^incomplete/, Whether: /^not recorded/ }[word!];
    expect(compared).toMatch(same!);
  });

  it.each(TOOL_FILES)('%s: no row of all stages without a number in it', async (_, files) => {
    const read = await readRun(memoryFolder(files));
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const whole = reportView(read.value).stages.rows.filter(({ stage }) => stage === undefined);
    for (const { cells } of whole) expect(cells.some(({ text }) => /[1-9]/.test(text))).toBe(true);
  });
});

describe('what a figure of another tool says of itself', () => {
  it('its file, its window, who counted, and where its definition is another', async () => {
    const view = await viewOf(VLLM_RESULT);
    const notes = view.stages.rows[0]!.cells.map(({ note }) => note ?? '');
    expect(notes.filter((note) => note.includes('lifecycle_metrics'))).toEqual([]);
    const ttft = notes.find((note) => note.startsWith('TTFT p50'))!;
    expect(ttft).toContain(`n = 500 requests in 50 s (${FOREIGN_FILE})`);
    expect(ttft).toContain('the first chunk counts, be it empty');
    const tpot = notes.find((note) => note.startsWith('TPOT p50'))!;
    expect(tpot).toContain("tokens counted by the server where it did, by the client's tokenizer elsewhere");
  });

  it('whether what was planned ended, where the file says both', async () => {
    expect((await viewOf(VLLM_RESULT)).state).toEqual({
      tone: 'good',
      words: 'Complete: 500 planned requests, all ok.',
    });
    const short = await viewOf({ ...VLLM_RESULT, completed: 450, failed: 20 });
    expect(short.state).toEqual({ tone: 'bad', words: 'Incomplete: 470 of 500 planned requests are in it.' });
    const failing = await viewOf({ ...VLLM_RESULT, completed: 480, failed: 20 });
    expect(failing.state.words).toBe('Complete: 500 planned requests, 480 ok, 20 failed.');
  });
});

describe('gaps in the report view', () => {
  const groups = (view: ReportView): readonly string[] => view.stages.groups.map(({ label }) => label);
  const choices = (view: ReportView, id: string): readonly string[] =>
    view.charts.find((group) => group.id === id)!.choices.map(({ label }) => label);

  it('of vLLM are chunk gaps, under that name and with its numbers, in table and chart', async () => {
    const view = await viewOf(VLLM_RESULT);
    expect(groups(view)).toContain('Chunk gap');
    expect(groups(view)).not.toContain('ITL');
    expect(choices(view, 'latency-by-stage')).toContain('Chunk gap');
    const columns = view.stages.groups.flatMap(({ label, columns: names }) => names.map((name) => `${label} ${name}`));
    const cells = view.stages.rows[0]!.cells;
    expect(cells[columns.indexOf('Chunk gap p50')]!.text).toBe('9.80');
    expect(cells[columns.indexOf('Chunk gap p99')]!.text).toBe('20.0');
    expect(cells[columns.indexOf('Chunk gap p50')]!.note).toContain('between consecutive chunks');
  });

  it('of our own run: between tokens, between chunks, or both', () => {
    const run = syntheticRun({
      tokenizer: true,
      tokensPerChunk: 3,
      seed: 3,
      stages: [{ rateRps: 20, durationSeconds: 4 }],
    });
    const tokens = (itl: 'tokens' | 'chunks'): ReportView => {
      const manifest = { ...run.manifest!, tokens: { ...run.manifest!.tokens!, itl } };
      return reportView({ ...run, manifest });
    };
    expect(groups(tokens('tokens'))).toEqual(expect.arrayContaining(['ITL', 'Chunk gap']));
    const byChunks = tokens('chunks');
    expect(groups(byChunks)).not.toContain('ITL');
    for (const id of ['latency-by-stage', 'distributions', 'over-time'])
      expect(choices(byChunks, id)).toContain('Chunk gap');
    const single = syntheticRun({ tokenizer: true, seed: 3, stages: [{ rateRps: 20, durationSeconds: 4 }] });
    const manifest = { ...single.manifest!, tokens: { ...single.manifest!.tokens!, itl: 'tokens' as const } };
    expect(groups(reportView({ ...single, manifest }))).not.toContain('Chunk gap');
  });
});
