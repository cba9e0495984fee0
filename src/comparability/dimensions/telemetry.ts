// Do the server's own counts agree with the client's? Where they do not, one of them counts something else.
import type { RequestRecord } from '../../metrics/record';
import { isSuccess, outputTokens } from '../../metrics/request-metrics';
import { mainFile } from '../../readers/facts-of';
import type { Evidence } from '../comparison';
import { ALL, assumption, confounds, dimension, moved, same, type Context, type SideEvidence } from '../dimension';
import { percent, rounded } from '../../figures';
import { inManifest, inRecords, inReport, inSetting } from '../evidence';
import { type Side } from '../side';
import { comparedStages, comparedSuccesses } from '../workload';

interface Telemetry extends SideEvidence {
  /** Server's over client's output tokens, of answers that both counted. */
  readonly ratio: number | undefined;
  /** Requests the server's own metrics saw over those the client ended, where a scrape is in the folder. */
  readonly requests: { readonly server: number; readonly client: number; readonly file: string } | undefined;
  readonly zeros: readonly string[];
  /** What the server's own counters grew by while the compared stages ran, over what the client saw of them. */
  readonly scraped: Scraped | undefined;
}

interface Scraped {
  /** Answers: above 1, somebody else used the server. */
  readonly requests: { readonly server: number; readonly client: number } | undefined;
  /** Output tokens a request, server's over client's. */
  readonly tokens: number | undefined;
}

/** Counters that agree this well count the same thing. */
const RATIO_TOLERANCE = 0.02;
const COUNT_TOLERANCE = 0.05;
/** Answers of other users, as a share of the client's, that queue noticeably; a few requests prove nothing. */
const OTHERS_TOLERANCE = 0.1;
const FEWEST = 20;

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

/** Of our own runs: the windows of the compared stages, all of them or nothing. */
function scrapedBy(side: Side, context: Context): Scraped | undefined {
  const stages = comparedStages(side, context);
  const windows = stages.map(({ id }) =>
    side.run.manifest?.serverMetrics?.find(({ stage, source }) => stage === id && source === 'scrape'),
  );
  const total = (key: string): number | undefined => {
    const parts = windows.map((window) => window?.metrics[key]?.total);
    return parts.length === 0 || parts.some((part) => part === undefined)
      ? undefined
      : parts.reduce<number>((sum, part) => sum + part!, 0);
  };
  const [requests, tokens] = [total('requests'), total('output_tokens')];
  // The server counted the whole stage, also where alignment leaves a part of it out.
  const ids = new Set(stages.map(({ id }) => id));
  const successes =
    side.run.records?.filter((record) => ids.has(record.stage) && isSuccess(record)) ??
    comparedSuccesses(side, context);
  if (!successes || successes.length === 0 || (requests === undefined && tokens === undefined)) return undefined;
  let client = 0;
  let counted = 0;
  for (const record of successes) {
    const own = outputTokens(record, 'mixed');
    if (own === undefined) continue;
    client += own;
    counted++;
  }
  return {
    requests: requests === undefined ? undefined : { server: requests, client: successes.length },
    tokens:
      tokens === undefined || client === 0 || counted < successes.length
        ? undefined
        : tokens / Math.max(1, requests ?? successes.length) / (client / counted),
  };
}

function telemetryOf(side: Side, context: Context): Telemetry {
  const ratio = ratioOf(comparedSuccesses(side, context));
  const scrape = scrapedBy(side, context);
  const scraped = side.run.canonical?.scopes.flatMap((scope) =>
    scope.server?.count === undefined || scope.counts.total === undefined
      ? []
      : [{ server: scope.server.count, client: scope.counts.total, file: scope.server.file }],
  );
  const requests = scraped?.at(-1);
  const zeros = [...new Set(side.run.canonical?.scopes.flatMap((scope) => scope.server?.zeros ?? []) ?? [])];
  const file = side.run.files.find((name) => /prometheus_metrics\.json$/.test(name));
  const evidence: Evidence[] = [
    inRecords(side, 'server’s over client’s output tokens', ratio === undefined ? undefined : rounded(ratio, 4)),
    inReport(
      requests?.file ?? file ?? mainFile(side.run),
      'requests by the server / by the client',
      requests && `${requests.server} / ${requests.client}`,
    ),
    ...(zeros.length > 0
      ? [inReport(requests?.file ?? file ?? mainFile(side.run), 'exactly 0', zeros.slice(0, 6).join(', '))]
      : []),
    ...(scrape
      ? [
          inManifest(
            side,
            'serverMetrics[].metrics.requests.total',
            scrape.requests && `${scrape.requests.server} answers, the client had ${scrape.requests.client}`,
          ),
          inManifest(
            side,
            'serverMetrics[].metrics.output_tokens.total',
            scrape.tokens === undefined ? undefined : `${percent(scrape.tokens)} of the client’s, per request`,
          ),
        ]
      : []),
    inSetting(side, ['metrics', 'type']),
  ];
  const parts = [
    ratio === undefined ? undefined : `server counts ${rounded(ratio, 4)} times the client’s tokens`,
    scrape?.requests && `server answered ${scrape.requests.server} requests, client had ${scrape.requests.client}`,
    requests && `server saw ${requests.server} requests, client ${requests.client}`,
  ].filter((part) => part !== undefined);
  return { ratio, requests, zeros, scraped: scrape, summary: parts.join('; ') || 'no server-side counts', evidence };
}

export const telemetry = dimension<Telemetry>({
  id: 'telemetry',
  title: 'Server telemetry',
  question: 'Do the server’s counts agree with the client’s, alike on both sides?',
  tolerance: `The server’s over the client’s output tokens within ${RATIO_TOLERANCE * 100} % of each other on both sides; where its /metrics were read, answers to others within ${OTHERS_TOLERANCE * 100} % of the client’s. Metrics of a server are not compared here; a metric that is missing is never read as 0.`,
  pitfall: 'CMP072',
  affects: moved(['tpot', 'ntpot', 'output_tokens_per_sec', 'total_tokens_per_sec']),
  remedy:
    'Check that tokenizer.pretrained_model_name_or_path is the served model’s, and what the server counts (reasoning, stop tokens).',
  evidence: telemetryOf,
  judge: (a, b) => {
    const note = noteOf(a, b);
    const others = othersDiffer(a, b);
    if (others !== undefined) {
      return confounds(others, {
        ...note,
        moves: ALL.filter(({ metric }) => metric !== 'schedule_delay'),
        remedy: 'Measure a server that nobody else uses, on both sides.',
      });
    }
    const [x, y] = [a.scraped?.tokens, b.scraped?.tokens];
    if (x !== undefined && y !== undefined && Math.abs(Math.log(x / y)) > RATIO_TOLERANCE) {
      return confounds(
        `The server’s own counter has ${percent(x)} of the client’s output tokens a request on A and ${percent(y)} on B: another tokenizer, or tokens that the client does not see.`,
        note,
      );
    }
    if ((a.ratio === undefined || b.ratio === undefined) && x !== undefined && y !== undefined) {
      return same(
        `The server’s own counters have ${percent(x)} and ${percent(y)} of the client’s output tokens a request.`,
        note,
      );
    }
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

/** A server that answers more than this client asks is used by somebody else, who slows it down. */
function othersDiffer(a: Telemetry, b: Telemetry): string | undefined {
  const share = ({ scraped }: Telemetry): number | undefined =>
    scraped?.requests && scraped.requests.client >= FEWEST
      ? scraped.requests.server / scraped.requests.client
      : undefined;
  const [x, y] = [share(a), share(b)];
  if (x === undefined || y === undefined || Math.abs(x - y) <= OTHERS_TOLERANCE) return undefined;
  if (Math.max(x, y) <= 1 + OTHERS_TOLERANCE) return undefined;
  const words = (side: Telemetry): string =>
    `${side.scraped!.requests!.server} answers to the client’s ${side.scraped!.requests!.client}`;
  return `The server counts ${words(a)} on A and ${words(b)} on B: somebody else used the server of ${x > y ? 'A' : 'B'} meanwhile, and made it slower.`;
}

/** A scrape that counts other requests than the client, or zeros where nobody measured. */
function noteOf(a: Telemetry, b: Telemetry): { note?: string } {
  const notes = [a, b].flatMap(({ requests, zeros }, i) => {
    const name = i === 0 ? 'A' : 'B';
    const words: string[] = [];
    const used = (i === 0 ? a : b).scraped?.requests;
    if (used && used.client >= FEWEST && used.server / used.client > 1 + COUNT_TOLERANCE) {
      words.push(
        `${name}: the server answered ${used.server} requests while the client had ${used.client}: somebody else used it`,
      );
    }
    if (requests && Math.abs(requests.server / Math.max(1, requests.client) - 1) > COUNT_TOLERANCE) {
      words.push(`${name}: the server’s metrics count ${requests.server} requests, the client ${requests.client}`);
    }
    if (zeros.length > 0)
      words.push(`${name}: ${zeros.slice(0, 4).join(', ')} are exactly 0 in the scrape, missing as likely as true`);
    return words;
  });
  return notes.length > 0 ? { note: `${notes.join('. ')}.` } : {};
}
