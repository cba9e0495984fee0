// The text and the JSON of `isoperf plan`.
import type { Seed } from '../config/model/lax';
import type { Expectations, StageExpectation } from '../config/will/expectations';
import type { DistributionExpectation } from '../config/will/expected-lengths';
import type { ThreadsChosen } from '../config/will/sending-threads';
import { formatPath, type Problem } from '../problem';
import type { Distribution } from '../folder/manifest';
import type { PlannedStream, StageFigures } from '../run/plan';
import { minimumCountFor } from '../sample-size';
import { columns, wrap } from './text-layout';

export interface PlanView {
  readonly file: string;
  readonly loadType: string;
  readonly dataType: string;
  readonly expected: Expectations;
  readonly assumedLatencySeconds: number;
  readonly seed: { readonly value: Seed; readonly source: string };
  /** Absent for a sweep that must probe. */
  readonly stream?: PlannedStream;
  readonly figures?: readonly StageFigures[];
  /** As many as `isoperf run` would send with on this machine. */
  readonly threads?: ThreadsChosen;
  readonly frozen?: { readonly file: string; readonly sha256: string };
  /** Where the report will go: the local folder, then every bucket. */
  readonly reports: readonly string[];
  /** The environment's proxy for the server, used or not; absent when there is none. */
  readonly proxy?: string;
}

const number = (value: number, digits = 1): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: Number.isInteger(value) ? 0 : digits });

export function planText(view: PlanView, width: number): string {
  const { stream, figures } = view;
  const blocks: string[] = [];
  if (stream && figures) {
    blocks.push(stageTable(view, stream, figures, width), lengthTable(stream, figures, width));
  }
  blocks.push(
    facts(view)
      .map((line) => wrap(line, width))
      .join('\n'),
  );
  return `${view.file}: ${view.loadType} load, ${view.dataType} data\n\n${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function stageTable(
  { expected }: PlanView,
  stream: PlannedStream,
  figures: readonly StageFigures[],
  width: number,
): string {
  const rows = stream.stages.map((stage, index) => {
    const figure = figures[index]!;
    const known: StageExpectation | undefined = expected.stages[stage.id];
    return [
      `${stage.id}${stage.warmup ? ' (warm-up)' : ''}`,
      stage.label,
      stage.law,
      number(figure.requests),
      figure.lastArrivalSeconds === undefined ? '-' : number(figure.lastArrivalSeconds),
      known?.inFlightNeed === undefined ? '-' : number(known.inFlightNeed),
      known?.openUpToSeconds === undefined ? '-' : number(known.openUpToSeconds, 2),
      percentile(figure.requests),
    ];
  });
  const head = ['stage', 'load', 'arrivals', 'requests', 'last at s', 'in flight', 'open up to s', 'supports'];
  return columns([head, ...rows], { room: width, right: [3, 4, 5, 6, 7], shrink: [1, 2] });
}

/** Highest percentile with enough requests for a distribution-free bound at 95 %. */
function percentile(requests: number): string {
  const safe = [99.9, 99, 95, 90, 50].find((q) => requests >= minimumCountFor(q));
  return safe === undefined ? 'none' : `p${safe}`;
}

function lengthTable({ workload }: PlannedStream, figures: readonly StageFigures[], width: number): string {
  const row = (stage: string, what: string, values: Distribution | undefined): string[][] =>
    values
      ? [
          [
            stage,
            what,
            number(values.mean),
            ...[values.min, values.p5, values.p50, values.p95, values.max].map((value) => number(value)),
            number(values.mean * values.count, 0),
          ],
        ]
      : [];
  const rows = figures.flatMap(({ id, promptLength, maxTokens }) => [
    ...row(String(id), 'prompt tokens', promptLength),
    ...row(String(id), 'max_tokens', maxTokens),
  ]);
  if (rows.length === 0) return '';
  const note =
    workload.lengthUnit === 'words' ? '\nPrompt lengths are in words: no tokenizer is at hand to count tokens.' : '';
  const head = ['stage', 'realised', 'mean', 'min', 'p5', 'p50', 'p95', 'max', 'total'];
  return columns([head, ...rows], { room: width, right: [2, 3, 4, 5, 6, 7, 8], shrink: [1] }) + note;
}

function facts(view: PlanView): string[] {
  const { expected, stream, figures, seed, frozen } = view;
  const lines: string[] = [];
  const requests = figures?.reduce((sum, figure) => sum + figure.requests, 0) ?? expected.totalRequests;
  if (requests !== undefined) {
    const duration = expected.durationSeconds;
    const time =
      duration === undefined ? 'as long as the server takes' : `about ${number(duration)} s and the last answers`;
    lines.push(`Together: ${number(requests)} requests, ${time}.`);
  }
  lines.push(`Arrivals: ${expected.arrivals}. Seed: ${seed.value} (${seed.source}).`);
  if (expected.seeds.length > 0) lines.push(`Seeds: ${expected.seeds.join('; ')}.`);
  lines.push(inFlight(view), `Timeout: ${timeout(view)}`);
  lines.push(repeats(figures, expected), ...lengthsExpected(expected), ...expected.distributions.map(clamped));
  if (!stream) {
    lines.push('Stages: a sweep finds its rates by probing the server; pin them to plan the requests.');
  } else {
    lines.push(`Stream: fingerprint ${stream.hashes.fingerprint}, prompts ${stream.hashes.promptsHash}.`);
  }
  const { threads } = view;
  if (threads && threads.count > 1)
    lines.push(`Sending threads: ${threads.count} on this machine (${threads.reason}).`);
  if (view.proxy !== undefined) lines.push(`Proxy: ${view.proxy}.`);
  const [local, ...buckets] = view.reports;
  const copies = buckets.length === 0 ? '' : `, then a copy to ${buckets.join(' and ')}`;
  lines.push(`Report: ${local ?? '.'}${copies}.`);
  if (frozen) {
    lines.push(`Frozen: ${frozen.file}, sha256 ${frozen.sha256}. Send it with: isoperf run --frozen ${frozen.file}`);
  }
  return lines;
}

function inFlight({ expected, assumedLatencySeconds, loadType }: PlanView): string {
  const { inFlightCap, workers } = expected;
  const need = Math.max(0, ...expected.stages.map((stage) => stage.inFlightNeed ?? 0));
  const product = loadType === 'concurrent' ? '' : ` (num_workers ${workers.count} x ${workers.perWorker})`;
  // Upstream asks the operating system, which in a pod counts the node's.
  const unwritten =
    loadType === 'concurrent' || workers.written
      ? ''
      : '. num_workers is not written: it is the number of CPUs, here of this machine, in a pod of the whole node';
  const cap =
    inFlightCap === undefined || !Number.isFinite(inFlightCap)
      ? 'no limit of the client'
      : `the client allows ${number(inFlightCap)}${product}`;
  const short = inFlightCap !== undefined && need > inFlightCap;
  const verdict = short ? ': requests will wait in the client and the rate will not be reached' : '';
  return `In flight: at ${number(assumedLatencySeconds)} s a request, up to ${number(need)} at once; ${cap}${verdict}${unwritten}.`;
}

function timeout({ expected, assumedLatencySeconds }: PlanView): string {
  const { seconds, written } = expected.timeout;
  const note = written ? '' : ' (request_timeout is not set: the HTTP library’s default in inference-perf)';
  return `${number(seconds)} s a request${note}${assumedLatencySeconds >= seconds ? '; the assumed latency exceeds it' : ''}.`;
}

function repeats(figures: readonly StageFigures[] | undefined, expected: Expectations): string {
  const repeated = figures?.reduce((sum, figure) => sum + figure.repeated, 0);
  const total = figures?.reduce((sum, figure) => sum + figure.requests, 0) ?? 0;
  if (repeated === undefined) return `Repeats: ${expected.repeats ?? 'none that the config shows'}.`;
  if (repeated === 0) return `Repeats: none, every prompt is sent once.`;
  return `Repeats: ${number(repeated)} of ${number(total)} requests send a prompt that was sent before, which a prefix cache can answer.`;
}

/** What the config comes to, whatever one stream drew: tokens of a request, and of all. */
function lengthsExpected({ input, output }: Expectations): string[] {
  return (
    [
      ['Prompts', input],
      ['Outputs, as asked for', output],
    ] as const
  ).map(([name, { perRequest, totalTokens, note }]) => {
    const parts = [
      perRequest === undefined ? 'length not known beforehand' : `on average ${number(perRequest.mean)} tokens`,
      totalTokens === undefined ? '' : `about ${number(totalTokens, 0)} in all`,
      note ?? '',
    ];
    return `${name}: ${parts.filter((part) => part !== '').join('; ')}.`;
  });
}

/** One distribution after clamping and rounding. */
function clamped({ path, distribution, realised }: DistributionExpectation): string {
  const name = formatPath(path);
  const { type, min, max, mean } = distribution;
  if (type === 'fixed') return `${name}: always ${number(realised.mean)}.`;
  const share = (at: number): string => `${number(100 * at)} %`;
  const asked = type === 'uniform' ? '' : ` (asked for: ${number(mean)})`;
  return `${name}: mean ${number(realised.mean)}${asked}, standard deviation ${number(realised.spread)}; ${share(realised.atMin)} exactly ${number(min)}, ${share(realised.atMax)} exactly ${number(max)}.`;
}

/** For programs: figures, expectations, hashes and problems. */
export function planJson(view: PlanView, problems: readonly Problem[]): unknown {
  const { stream, figures, expected, ...rest } = view;
  return {
    planned: stream !== undefined,
    ...rest,
    ...(stream && figures
      ? {
          lengthUnit: stream.workload.lengthUnit,
          api: stream.workload.api,
          hashes: stream.hashes,
          ...(stream.tokenizer ? { tokenizer: stream.tokenizer.identity } : { noTokenizer: stream.noTokenizer }),
          stages: stream.stages.map(({ pacing, ...stage }, index) => ({
            ...stage,
            ...(pacing.kind === 'open'
              ? { inFlightCap: pacing.inFlightCap === Number.MAX_SAFE_INTEGER ? null : pacing.inFlightCap }
              : { concurrency: pacing.concurrency }),
            safePercentile: percentile(figures[index]!.requests),
            ...figures[index],
          })),
        }
      : {}),
    expected: { ...expected, inFlightCap: Number.isFinite(expected.inFlightCap) ? expected.inFlightCap : null },
    problems,
  };
}
