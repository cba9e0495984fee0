// Do the server's own counts agree with the client's? Where they do not, one of them counts something else.
import type { RequestRecord } from '../../metrics/record';
import type { Evidence } from '../comparison';
import { assumption, confounds, dimension, moved, same, type Context, type SideEvidence } from '../dimension';
import { percent } from '../../report/figures';
import { inConfig, inRecords, inReport } from '../evidence';
import { configValue, round, type Side } from '../side';
import { comparedSuccesses } from '../workload';

interface Telemetry extends SideEvidence {
  /** Server's over client's output tokens, of answers that both counted. */
  readonly ratio: number | undefined;
  /** Requests the server's own metrics saw over those the client ended, where a scrape is in the folder. */
  readonly requests: { readonly server: number; readonly client: number; readonly file: string } | undefined;
  readonly zeros: readonly string[];
}

/** Counters that agree this well count the same thing. */
const RATIO_TOLERANCE = 0.02;
const COUNT_TOLERANCE = 0.05;

function ratioOf(records: readonly RequestRecord[] | undefined): number | undefined {
  let server = 0;
  let client = 0;
  for (const { usage, clientOutputTokens } of records ?? []) {
    if (usage?.completionTokens === undefined || clientOutputTokens === undefined) continue;
    server += usage.completionTokens;
    client += clientOutputTokens;
  }
  return client > 0 ? server / client : undefined;
}

function telemetryOf(side: Side, context: Context): Telemetry {
  const ratio = ratioOf(comparedSuccesses(side, context));
  const scraped = side.run.canonical?.scopes.flatMap((scope) =>
    scope.server?.count === undefined || scope.counts.total === undefined
      ? []
      : [{ server: scope.server.count, client: scope.counts.total, file: scope.server.file }],
  );
  const requests = scraped?.at(-1);
  const zeros = [...new Set(side.run.canonical?.scopes.flatMap((scope) => scope.server?.zeros ?? []) ?? [])];
  const file = side.run.files.find((name) => /prometheus_metrics\.json$/.test(name));
  const evidence: Evidence[] = [
    inRecords(
      'server’s over client’s output tokens',
      ratio === undefined ? undefined : round(Number(ratio.toPrecision(4))),
    ),
    inReport(
      requests?.file ?? file ?? 'stage_N_prometheus_metrics.json',
      'requests by the server / by the client',
      requests && `${requests.server} / ${requests.client}`,
    ),
    ...(zeros.length > 0
      ? [inReport(requests?.file ?? file ?? 'prometheus', 'exactly 0', zeros.slice(0, 6).join(', '))]
      : []),
    inConfig(side, ['metrics', 'type'], configValue(side.run, ['metrics', 'type'])),
  ];
  const parts = [
    ratio === undefined ? undefined : `server counts ${round(Number(ratio.toPrecision(4)))} times the client’s tokens`,
    requests && `server saw ${requests.server} requests, client ${requests.client}`,
  ].filter((part) => part !== undefined);
  return { ratio, requests, zeros, summary: parts.join('; ') || 'no server-side counts', evidence };
}

export const telemetry = dimension<Telemetry>({
  id: 'telemetry',
  title: 'Server telemetry',
  question: 'Do the server’s counts agree with the client’s, alike on both sides?',
  tolerance: `The server’s over the client’s output tokens within ${RATIO_TOLERANCE * 100} % of each other on both sides. Metrics of a server are not compared here; a metric that is missing is never read as 0.`,
  pitfall: 'CMP072',
  affects: moved(['tpot', 'ntpot', 'output_tokens_per_sec', 'total_tokens_per_sec']),
  remedy:
    'Check that tokenizer.pretrained_model_name_or_path is the served model’s, and what the server counts (reasoning, stop tokens).',
  evidence: telemetryOf,
  judge: (a, b) => {
    const note = noteOf(a, b);
    if (a.ratio === undefined || b.ratio === undefined) {
      return assumption(
        'Not both sides have the server’s and the client’s counts of the same answers, so they cannot be checked against each other. No server metric is compared.',
        'that the servers’ own counts would agree with the clients’',
        note,
      );
    }
    if (Math.abs(Math.log(a.ratio / b.ratio)) > RATIO_TOLERANCE) {
      return confounds(
        `The server counts ${percent(a.ratio)} of the client’s output tokens on A and ${percent(b.ratio)} on B: another tokenizer, or tokens that the client does not see.`,
        note,
      );
    }
    return same(`The server counts ${percent(a.ratio)} and ${percent(b.ratio)} of the client’s output tokens.`, note);
  },
});

/** A scrape that counts other requests than the client, or zeros where nobody measured. */
function noteOf(a: Telemetry, b: Telemetry): { note?: string } {
  const notes = [a, b].flatMap(({ requests, zeros }, i) => {
    const name = i === 0 ? 'A' : 'B';
    const words: string[] = [];
    if (requests && Math.abs(requests.server / Math.max(1, requests.client) - 1) > COUNT_TOLERANCE) {
      words.push(`${name}: the server’s metrics count ${requests.server} requests, the client ${requests.client}`);
    }
    if (zeros.length > 0)
      words.push(`${name}: ${zeros.slice(0, 4).join(', ')} are exactly 0 in the scrape, missing as likely as true`);
    return words;
  });
  return notes.length > 0 ? { note: `${notes.join('. ')}.` } : {};
}
