// The report view against figures that can be worked out by hand.
import { describe, expect, it } from 'vitest';
import { reportMarkdown } from '../../../src/views/report/markdown';
import { reportView } from '../../../src/views/report/view';
import type { ChartView, ReportView } from '../../../src/views/report/model';
import { sampleRun, USUAL } from '../../page/sample-run';
import type { RequestRecord } from '../../../src/metrics/record';

const view = reportView(sampleRun());

function cell(
  report: ReportView,
  stage: number,
  group: string,
  column: string,
): ReportView['stages']['rows'][0]['cells'][0] {
  let index = 0;
  for (const candidate of report.stages.groups) {
    const at = candidate.columns.indexOf(column);
    if (candidate.label === group && at >= 0) {
      return report.stages.rows.find((row) => row.stage === stage)!.cells[index + at]!;
    }
    index += candidate.columns.length;
  }
  throw new Error(`no column ${group} ${column}`);
}

function chart(report: ReportView, id: string, label: string): ChartView {
  const found = report.charts.find((group) => group.id === id)?.choices.find((choice) => choice.label === label);
  if (!found) throw new Error(`no chart ${id} ${label}`);
  return found;
}

/** A copy that lacks some of its optional parts. */
function without<T extends object, K extends keyof T>(whole: T, ...keys: readonly K[]): Omit<T, K> {
  const rest = Object.entries(whole).filter(([key]) => !keys.includes(key as K));
  return Object.fromEntries(rest) as Omit<T, K>;
}

/** n requests in one stage, each with the same figures. */
function plainRun(n: number, change: (record: RequestRecord, index: number) => RequestRecord = (record) => record) {
  const run = sampleRun({ ...USUAL, warmup: false, rates: [1], failing: 0 });
  const template = run.records![0]!;
  const records = Array.from({ length: n }, (_, i): RequestRecord =>
    change(
      {
        ...template,
        id: i,
        scheduledSeconds: i,
        sentSeconds: i + 0.01,
        firstTokenSeconds: i + 0.11,
        lastTokenSeconds: i + 0.41,
        endSeconds: i + 0.51,
        chunkSeconds: [i + 0.11, i + 0.21, i + 0.31, i + 0.41],
        chunkTokens: [1, 1, 1, 1],
        usage: { promptTokens: 10, completionTokens: 4 },
      },
      i,
    ),
  );
  const stage = { ...run.manifest!.stages[0]!, planned: n };
  const counts = { planned: n, ok: n, failed: 0, cancelled: 0, notSent: 0 };
  return { ...run, records, manifest: { ...run.manifest!, stages: [stage], counts } };
}

describe('the stages table', () => {
  const small = reportView(plainRun(20));

  it('shows latencies in milliseconds with three significant digits', () => {
    expect(cell(small, 0, 'TTFT', 'p50').text).toBe('100');
    expect(cell(small, 0, 'TPOT', 'p50').text).toBe('100');
    expect(cell(small, 0, 'Request latency', 'p50').text).toBe('500');
    expect(cell(small, 0, 'Schedule delay', 'p95').text).toBe('10.0');
  });

  it('greys percentiles that n cannot carry, and says how many it takes', () => {
    expect(cell(small, 0, 'TTFT', 'p50').weak).toBeUndefined();
    expect(cell(small, 0, 'TTFT', 'p95')).toMatchObject({ weak: true });
    expect(cell(small, 0, 'TTFT', 'p95').note).toContain('p95 needs 59 requests');
    expect(cell(reportView(plainRun(59)), 0, 'TTFT', 'p95').weak).toBeUndefined();
  });

  it('shows latencies above ten seconds in seconds', () => {
    const slow = reportView(plainRun(20, (record) => ({ ...record, endSeconds: record.sentSeconds! + 12.34 })));
    expect(slow.stages.groups.find((group) => group.label === 'Request latency')?.unit).toBe('s');
    expect(cell(slow, 0, 'Request latency', 'p50').text).toBe('12.3');
  });

  it('says why a latency is missing instead of showing a number', () => {
    const closed = reportView(
      plainRun(20, (record) => ({
        ...without(record, 'firstTokenSeconds', 'firstContentSeconds'),
        chunkSeconds: [],
        chunkTokens: [],
      })),
    );
    expect(cell(closed, 0, 'TTFT', 'p50')).toMatchObject({ text: '–', weak: true });
    expect(cell(closed, 0, 'TTFT', 'p50').note).toContain('not streamed');
  });

  it('leaves the warm-up out of the row of all measured stages', () => {
    const rows = view.stages.rows;
    expect(rows.map((row) => row.label)).toEqual([
      '0: 5 rps, 20 s',
      '1: 5 rps, 20 s',
      '2: 10 rps, 20 s',
      '3: 20 rps, 20 s',
      'all measured',
    ]);
    const n = (index: number): number => Number(rows[index]!.cells[2]!.text);
    expect(n(4)).toBe(n(1) + n(2) + n(3));
  });

  it('does not repeat a single measured stage as "all"', () => {
    expect(small.stages.rows).toHaveLength(1);
  });
});

describe('what to know before reading', () => {
  it('is nothing but a hint for a whole run without warm-up', () => {
    const { state, notes } = reportView(plainRun(20));
    expect(state).toMatchObject({ tone: 'good', words: 'Complete: 20 requests, all ok.' });
    expect(notes.map((note) => note.tone)).toEqual(['neutral']);
  });

  it('names an incomplete run, with how far it came', () => {
    const run = plainRun(20);
    const stage = { ...run.manifest.stages[0]!, planned: 50 };
    const manifest = without(run.manifest, 'counts');
    const broken = reportView({ ...run, manifest: { ...manifest, state: 'running', stages: [stage] } });
    expect(broken.state.words).toBe('Incomplete: 20 of 50 requests ended; the engine ended before the run did.');
    expect(broken.notes[0]).toMatchObject({ tone: 'bad' });
  });

  it('names a limited client and failures, worst first', () => {
    const run = sampleRun();
    const health = [{ stage: 2, verdict: 'client-limited' as const, reasons: ['lag grows by 0.2 s/s'] }];
    const { state, notes } = reportView({ ...run, manifest: { ...run.manifest!, health } });
    expect(state.words).toContain('Client-limited in stage 2');
    expect(notes.map((note) => note.tone)).toEqual(['bad', 'caution']);
    expect(notes[0]).toMatchObject({
      title: 'The client was the bottleneck in stage 2',
      detail: 'lag grows by 0.2 s/s',
    });
  });

  it('does not pretend to know the state of a folder of another tool', () => {
    const foreign = without(sampleRun(), 'manifest');
    const shown = reportView({ ...foreign, tool: { name: 'inference-perf' } });
    expect(shown.state.tone).toBe('neutral');
    expect(shown.identity).toEqual(['inference-perf', '4 stages']);
  });
});

describe('the charts', () => {
  it('draw a distribution that ends at 100 % and say its percentiles', () => {
    const ttft = chart(reportView(plainRun(100)), 'distributions', 'TTFT');
    expect(ttft.series[0]!.y.at(-1)).toBe(100);
    expect(ttft.sentence).toBe(
      'Half of the requests had their first token within 100 ms, 95 % within 100 ms, 99 % within 100 ms (100 requests).',
    );
  });

  it('keep every failure in the bins of time', () => {
    const errors = view.charts.find((group) => group.id === 'errors')!.choices[0]!;
    const failed = sampleRun().records!.filter((record) => record.outcome.kind === 'failed').length;
    const total = errors.series.flatMap((series) => series.y).reduce<number>((sum, value) => sum + (value ?? 0), 0);
    expect(total).toBe(failed);
    expect(errors.sentence).toContain(`${failed} requests failed`);
  });

  it('shade the warm-up and name the stages', () => {
    const { bands } = chart(view, 'over-time', 'Request latency');
    expect(bands.map((band) => [band.label, band.shaded])).toEqual([
      ['warm-up', true],
      ['stage 1', false],
      ['stage 2', false],
      ['stage 3', false],
    ]);
  });

  it('say that nothing was measured rather than draw nothing', () => {
    const tokens = chart(
      reportView(plainRun(5, (record) => without(record, 'usage', 'clientOutputTokens'))),
      'lengths',
      'output',
    );
    expect(tokens.series).toEqual([]);
    expect(tokens.sentence).toBe('Nobody counted the output tokens.');
  });

  it('have a table of the same width throughout', () => {
    for (const group of view.charts) {
      for (const { table } of group.choices) {
        expect(new Set(table.rows.map((row) => row.length)).size, group.id).toBeLessThanOrEqual(1);
        if (table.rows[0]) expect(table.rows[0]).toHaveLength(table.head.length);
      }
    }
  });
});

describe('the Markdown of a report', () => {
  it('is the same as the page, with nothing of it acting as markup', () => {
    const run = sampleRun();
    const manifest = { ...run.manifest!, name: 'a|b <script>' };
    const text = reportMarkdown(reportView({ ...run, manifest }));
    expect(text).toContain('## a\\|b \\<script\\>');
    expect(text).toContain('| 3: 20 rps, 20 s |');
    const rows = text.split('\n').filter((line) => line.startsWith('|'));
    expect(new Set(rows.map((row) => row.split(/(?<!\\)\|/).length)).size).toBe(1);
  });
});

describe('who sent', () => {
  const client = (workers: number, more: object): ReportView['provenance'][0]['facts'] => {
    const run = sampleRun();
    const { manifest } = run;
    const changed = {
      ...manifest!,
      runtime: { ...manifest!.runtime, workers, workersReason: 'auto: much' },
      health: manifest!.health.map((stage) => ({ ...stage, eventLoopUse: 0.42, ...more })),
    };
    return reportView({ ...run, manifest: changed }).provenance.find(({ title }) => title === 'Client')!.facts;
  };

  it('is the number of threads with its reason, and the event loop of the busiest', () => {
    const thread = { requests: 5, eventLoopUse: 0.42, eventLoopDelayP99Seconds: 0 };
    const several = client(2, { workers: [thread, { ...thread, eventLoopUse: 0.3 }] });
    expect(several[0]).toEqual({ label: 'Sending threads', value: '2', note: 'auto: much' });
    expect(several[1]!.note).toMatch(/busiest of 2 threads 42(\.0)? ?% busy/);
    const one = client(1, {});
    expect(one[0]).toMatchObject({ value: '1' });
    expect(one[1]!.note).toMatch(/event loop 42(\.0)? ?% busy/);
  });
});

describe('the first screen', () => {
  it('has the numbers of the highest load of a sweep, and says which', () => {
    expect(view.key.where).toBe('3: 20 rps, 20 s, 1 of 3 loads');
    const texts = Object.fromEntries(view.key.numbers.map(({ label, figure }) => [label, figure.text]));
    expect(texts).toMatchObject({
      Answered: cell(view, 3, 'Requests', 'n').text,
      'TTFT p95': cell(view, 3, 'TTFT', 'p95').text,
      Sent: expect.stringMatching(/^[\d.]+ of 20\.0$/) as string,
    });
  });

  it('has the numbers of all stages where they are of one load', () => {
    const twice = reportView(sampleRun({ ...USUAL, rates: [5, 5], warmup: false }));
    expect(twice.key.where).toBe('all measured stages');
  });

  it('says all notices in one line, and underlines what they affect', () => {
    const failing = reportView(sampleRun({ ...USUAL, failing: 0.3 }));
    expect(failing.notice).toMatch(/^\d warnings?(, \d notes?)?: \d+ of 800 requests failed/);
    const doubted = view.stages.rows.flatMap((row) => row.cells.filter(({ doubted: is }) => is === true));
    for (const { note } of doubted) expect(note).toMatch(/^Affected: /);
  });

  it('tells a run that was stopped in one notice', () => {
    const whole = plainRun(20);
    const stage = { ...whole.manifest.stages[0]!, planned: 200, requestedDurationSeconds: 200 };
    const manifest = {
      ...whole.manifest,
      state: 'incomplete' as const,
      stateReason: 'stopped by SIGINT',
      stages: [stage],
    };
    const stopped = reportView({ ...whole, manifest });
    expect(stopped.state.words).toBe('Incomplete: 20 of 200 requests ended; stopped by SIGINT.');
    const codes = stopped.notes.flatMap(({ code }) => (code === undefined ? [] : [code]));
    expect(codes).not.toEqual(expect.arrayContaining([expect.stringMatching(/^CMP0(10|11|22)$/)]));
    expect(JSON.stringify(stopped)).not.toContain('nothing else in it says so');
  });
});
