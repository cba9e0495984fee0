// The server counts whole stages: requests that alignment leaves out of a window are nobody else's.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { RunManifest } from '../../../src/folder/manifest';
import { syntheticRun } from '../support/synthetic-run';

/** The server answered this many requests in the one stage. */
const run = (seed: number, answered: number) =>
  syntheticRun({
    seed,
    manifest: (manifest: RunManifest): RunManifest => ({
      ...manifest,
      serverMetrics: [
        {
          stage: 0,
          source: 'scrape',
          url: 'http://127.0.0.1:8000/metrics',
          startSeconds: 0,
          endSeconds: 20,
          metrics: { requests: { kind: 'counter', name: 'vllm:request_success', total: answered } },
          absent: [],
        },
      ],
    }),
  });

describe('telemetry of a cut window', () => {
  const sent = syntheticRun({ seed: 1 }).records!.length;
  const compared = (answered: number) =>
    compare(run(1, answered), run(2, answered), {
      align: ['warmup-window'],
      cut: { kind: 'requests', requests: Math.floor(sent / 3), text: String(Math.floor(sent / 3)) },
      resamples: 200,
    });

  it('accuses nobody of the requests that were cut', () => {
    const comparison = compared(sent);
    expect(comparison.notes.join('\n')).toContain('are left out');
    expect(comparison.notes.join('\n')).not.toContain('somebody else used it');
    expect(comparison.notes.join('\n')).not.toContain('the first requests after a start are in the numbers');
    const window = comparison.findings.find(({ dimension }) => dimension === 'warmup-window')!;
    expect([window.state, window.message]).toEqual(['same', expect.stringMatching(/Aligned: the first \d+ requests/)]);
    const found = comparison.findings.find(({ dimension }) => dimension === 'telemetry')!;
    expect(found.a.summary).toContain(`server answered ${sent} requests, client had ${sent}`);
  });

  it('says of windows that were not cut what they begin with', () => {
    const { notes } = compare(run(1, sent), run(2, sent), { resamples: 200 });
    expect(notes.join('\n')).toContain('the first requests after a start are in the numbers');
  });

  it('still sees others', () => {
    expect(compared(2 * sent).notes.join('\n')).toContain(
      `A: the server answered ${2 * sent} requests while the client had ${sent}: somebody else used it`,
    );
  });
});
