// The same formula for the same name? Recomputed from records, yes; read from reports, only where their tools agree.
import { rounded } from '../../figures';
import { latencySeconds, tailSeconds } from '../../metrics/request-metrics';
import {
  definitionDifferences,
  measureOf,
  REQUESTS_WINDOW,
  statisticOf,
  type Definition,
  type QuantityId,
  type ReportScope,
} from '../../readers/canonical';
import { reportOf } from '../../readers/own';
import { judgeReport, violated } from '../../audit/identities';
import type { Evidence, MetricName } from '../comparison';
import { ALL, confounds, dimension, moved, same, unknown, type SideEvidence } from '../dimension';
import { inManifest, inReport, inSetting } from '../evidence';
import { factsOn, type Side } from '../side';

interface Definitions extends SideEvidence {
  /** Every number is computed here, from records. */
  readonly recomputed: boolean;
  readonly tool: string;
  readonly version: string | undefined;
  readonly reported: boolean;
  /** Decode time per token by e2e = TTFT + TPOT x (n - 1), over the TPOT that is reported; largest over the stages. */
  readonly tpotFactor: { readonly factor: number; readonly file: string; readonly words: string } | undefined;
  readonly side: Side;
}

/** By how much a mean of ratios may miss the ratio of means before the name is wrong. */
const IDENTITY_TOLERANCE = 0.25;
/** Factors closer than this are the same defect. */
const SAME_FACTOR = 0.1;

/** Means only: (latency - TTFT) / (output tokens - 1) against the TPOT of the report. */
function tpotFactorOf(scope: ReportScope): { factor: number; words: string; file: string } | undefined {
  const mean = (quantity: QuantityId): number | undefined => statisticOf(scope, quantity, 'mean');
  const [n, e2e, ttft, tpot] = [outputMean(scope), mean('e2e'), mean('ttft'), mean('tpot')];
  if (n === undefined || n <= 2 || e2e === undefined || ttft === undefined || tpot === undefined || !(tpot > 0)) {
    return undefined;
  }
  const decode = (e2e - ttft) / (n - 1);
  const ms = (seconds: number): string => rounded(seconds * 1000, 3);
  const words = `(latency − TTFT) / (n − 1) = ${ms(decode)} ms, TPOT says ${ms(tpot)} ms`;
  return { factor: decode / tpot, words, file: scope.file };
}

/** The server's count before the client's. */
function outputMean({ measures }: ReportScope): number | undefined {
  const means = measures.flatMap(({ quantity, stats, definition }) =>
    quantity === 'output_tokens' && stats['mean'] !== undefined ? [{ mean: stats['mean'], by: definition.tokens }] : [],
  );
  return (means.find(({ by }) => by !== 'client') ?? means[0])?.mean;
}

function definitionsOf(side: Side): Definitions {
  const { run, stages } = side;
  const recomputed = stages.length > 0 && stages.every((stage) => stage.records);
  const factors = stages.flatMap(({ scope, records }) => (records || !scope ? [] : (tpotFactorOf(scope) ?? [])));
  const far = [...factors].sort((x, y) => Math.abs(Math.log(y.factor)) - Math.abs(Math.log(x.factor)))[0];
  const version = run.tool.version ?? run.canonical?.versionClass.name;
  const reported = stages.some((stage) => stage.scope);
  const evidence: Evidence[] = [
    run.manifest
      ? inManifest(side, 'tool', `${run.tool.name} ${version ?? ''}`.trim())
      : inReport(firstFile(side), 'tool', toolWords(side)),
    inSetting(side, ['report', 'request_lifecycle', 'percentiles']),
    ...(far
      ? [
          inReport(
            far.file,
            'time_per_output_token.mean against e2e = TTFT + TPOT x (n − 1)',
            `${far.words}: ${rounded(far.factor, 3)} times`,
          ),
        ]
      : []),
  ];
  const how = recomputed ? 'computed from its records' : reported ? 'as reported' : 'not recorded';
  return {
    recomputed,
    tool: run.tool.name,
    version,
    reported,
    tpotFactor: far,
    side,
    summary: `${toolWords(side)}, ${how}`,
    evidence,
  };
}

function firstFile({ run }: Side): string {
  return run.files.find((file) => file.endsWith('.json')) ?? run.files[0] ?? 'report';
}

function toolWords({ run }: Side): string {
  const version = run.tool.version ?? run.canonical?.versionClass.name;
  return version === undefined ? run.tool.name : `${run.tool.name} ${version}`;
}

export const metricDefinition = dimension<Definitions>({
  id: 'metric-definition',
  title: 'Metric definitions',
  question: 'Does one name stand for one formula on both sides?',
  tolerance: `Numbers computed here from records have one definition. Reported ones must come from tools whose definitions agree; a reported TPOT within ${IDENTITY_TOLERANCE * 100} % of (latency − TTFT) / (n − 1).`,
  pitfall: 'CMP060',
  affects: ALL,
  remedy:
    'Measure both sides with one version of one tool; with report.request_lifecycle.per_request every number can be computed again.',
  evidence: definitionsOf,
  judge,
});

function judge(a: Definitions, b: Definitions) {
  if (a.recomputed && b.recomputed) {
    const other = differentMoments(a, b);
    if (other.length === 0) return same('Every number of both sides is computed here, from its records.');
    return confounds(
      `Computed here from each side's requests, but the tools stamp other moments: ${other.map(([, text]) => text).join('. ')}.`,
      {
        moves: moved([...new Set(other.flatMap(([metrics]) => metrics))]),
      },
    );
  }
  const known = (side: Definitions): boolean => side.recomputed || side.reported;
  if (!known(a) || !known(b)) return unknown('How the numbers were computed', known(a), known(b));
  const versionless = (side: Definitions): boolean => !side.recomputed && side.version === undefined;
  if (a.tool === b.tool && versionless(a) !== versionless(b)) {
    return unknown('The version of the tool that computed the numbers', !versionless(a), !versionless(b));
  }
  const impossible = [...impossibleNumbers('A', a), ...impossibleNumbers('B', b)];
  if (impossible.length > 0) {
    return confounds(`${impossible.join('. ')}.`, {
      remedy: 'Look into how that file was made; compare one whose numbers can be.',
    });
  }
  const broken = brokenTpot(a, b);
  const differences = differentDefinitions(a, b);
  const metrics = new Set<MetricName>([
    ...(broken ? (['tpot', 'itl'] as const) : []),
    ...differences.map(([metric]) => metric),
  ]);
  if (metrics.size === 0) {
    return same(
      a.tool === b.tool
        ? `Both sides are reports of ${a.tool}, and their definitions agree.`
        : 'The tools define what is compared alike.',
    );
  }
  const words = new Set([...(broken === undefined ? [] : [broken]), ...differences.map(([, text]) => text)]);
  return confounds(`${[...words].join('. ')}.`, { moves: moved([...metrics]) });
}

/** Of reported numbers: negative ones, percentiles that fall, and a summary of requests that end before they begin. */
function impossibleNumbers(name: string, { recomputed, side }: Definitions): string[] {
  const { canonical, problems } = side.run;
  if (recomputed || !canonical) return [];
  const broken = violated(judgeReport(canonical)).filter(({ id }) => id === 'order');
  return [
    ...broken
      .slice(0, 1)
      .map(({ message, statement }) => `${name} has numbers that cannot be: ${message ?? statement}`),
    ...problems
      .filter(({ code }) => code === 'REP132')
      .map(({ message }) => `${name} is a summary of requests that cannot be: ${message}`),
  ];
}

/** A TPOT that is none: by the identity it must be (latency − TTFT) / (n − 1). */
function brokenTpot(a: Definitions, b: Definitions): string | undefined {
  const off = (side: Definitions): boolean =>
    side.tpotFactor !== undefined && Math.abs(side.tpotFactor.factor - 1) > IDENTITY_TOLERANCE;
  if (!off(a) && !off(b)) return undefined;
  const side = (name: string, { tpotFactor }: Definitions): string =>
    tpotFactor
      ? `${name}’s is ${rounded(tpotFactor.factor, 2)} times too ${tpotFactor.factor > 1 ? 'small' : 'large'} (${tpotFactor.words})`
      : '';
  const which = [off(a) ? side('A', a) : '', off(b) ? side('B', b) : ''].filter((text) => text !== '');
  const alike = off(a) && off(b) && Math.abs(Math.log(a.tpotFactor!.factor / b.tpotFactor!.factor)) < SAME_FACTOR;
  const alikeWords = alike ? ' The factor is alike, so the ratio may stand, but neither number is a TPOT.' : '';
  const halved = [a, b].every(
    (entry) => !off(entry) || (entry.tpotFactor!.factor > 1.7 && entry.tpotFactor!.factor < 2.4),
  );
  const cause = halved
    ? '. Two timestamps per token, as inference-perf 0.1 and 0.2 took them, do that to TPOT and ITL'
    : '';
  return `The reported TPOT is not the decode time per token: ${which.join('; ')}${cause}.${alikeWords}`.replace(
    /\.$/,
    '',
  );
}

/** What follows from a moment that is stamped otherwise. */
const MOMENTS: readonly (readonly [readonly MetricName[], QuantityId, readonly string[]])[] = [
  [['ttft', 'tpot'], 'ttft', ['start', 'anchor']],
  [['request_latency', 'ntpot'], 'e2e', ['start', 'end']],
];

/** Computing again removes other formulas, not other stamps: the first token of one tool may be an empty chunk of another. */
function differentMoments(a: Definitions, b: Definitions): (readonly [readonly MetricName[], string])[] {
  if (a.side.run.manifest && b.side.run.manifest) return [];
  if (a.tool === b.tool && a.version === b.version) return [];
  const [x, y] = [a, b].map(({ side }) => reportOf(side.run).scopes[0]);
  if (!x || !y) return [];
  return MOMENTS.flatMap(([metrics, quantity, aspects]): (readonly [readonly MetricName[], string])[] => {
    const [left, right] = [measureOf(x, quantity), measureOf(y, quantity)];
    if (!left || !right) return [];
    const [first, second] = onThisEndpoint(a, b, left.definition, right.definition);
    const found = definitionDifferences(first, second).filter((text) =>
      aspects.some((aspect) => text.startsWith(`${aspect}:`)),
    );
    return found.length === 0 ? [] : [[metrics, `${quantity}: ${found.join(', ')}`]];
  });
}

/** Of the mean latency: from the last token to the end of the stream; less than this moves no number that is shown. */
const SHORT_TAIL = 0.005;

/**
 * A definition differs only where it moves the number: an anchor at the first reasoning is one at the first content where nothing
 * reasons, one at the first chunk where no chunk comes before the text (chat begins with an empty one that names the role), and the
 * last token is the end of a stream that ends with it.
 */
function onThisEndpoint(a: Definitions, b: Definitions, x: Definition, y: Definition): [Definition, Definition] {
  const isPlain = !reasons(a.side) && !reasons(b.side);
  const isText = [a, b].every(({ side }) => factsOn(side).apiType.value === 'completion');
  const anchors: readonly Definition['anchor'][] = [
    ...(isPlain ? (['first-content-or-reasoning'] as const) : []),
    ...(isText ? (['first-chunk'] as const) : []),
  ];
  const streamed = x.end === 'stream-end' ? a : y.end === 'stream-end' ? b : undefined;
  const tail = streamed && tailShareOf(streamed.side);
  const isShort = tail !== undefined && tail < SHORT_TAIL && x.end !== y.end;
  const plain = (one: Definition): Definition => ({
    ...one,
    ...(anchors.includes(one.anchor) ? { anchor: 'first-content' } : {}),
    ...(isShort && one.end === 'last-token' ? { end: 'stream-end' } : {}),
  });
  return [plain(x), plain(y)];
}

/** Sum of the times from the last token to the end of the stream over the sum of the latencies; undefined without both. */
function tailShareOf({ run }: Side): number | undefined {
  let tails = 0;
  let latencies = 0;
  for (const record of run.records ?? []) {
    const [tail, latency] = [tailSeconds(record), latencySeconds(record)];
    if (tail === undefined || latency === undefined) continue;
    tails += tail;
    latencies += latency;
  }
  return latencies > 0 ? tails / latencies : undefined;
}

/** Whether any answer shows reasoning: tokens of it, or a first token before the first content. */
function reasons({ run }: Side): boolean {
  return (run.records ?? []).some(
    ({ usage, firstTokenSeconds, firstContentSeconds }) =>
      (usage?.reasoningTokens ?? 0) > 0 ||
      (firstTokenSeconds !== undefined && firstContentSeconds !== undefined && firstContentSeconds > firstTokenSeconds),
  );
}

const QUANTITIES: readonly (readonly [MetricName, QuantityId])[] = [
  ['ttft', 'ttft'],
  ['tpot', 'tpot'],
  ['itl', 'token_gap'],
  ['ntpot', 'ntpot'],
  ['request_latency', 'e2e'],
  ['requests_per_sec', 'requests_per_sec'],
  ['output_tokens_per_sec', 'output_tokens_per_sec'],
  ['input_tokens_per_sec', 'input_tokens_per_sec'],
  ['total_tokens_per_sec', 'total_tokens_per_sec'],
];

/** A number that is computed here keeps the moments of the tool that stamped them, and nothing else of its definition. */
function definitionOf({ recomputed }: Definitions, scope: ReportScope, quantity: QuantityId): Definition | undefined {
  const definition = measureOf(scope, quantity)?.definition;
  if (!definition || !recomputed) return definition;
  const { start, anchor, end } = definition;
  const known = { ...(start ? { start } : {}), ...(anchor ? { anchor } : {}), ...(end ? { end } : {}) };
  if (definition.window !== undefined) return { ...known, window: REQUESTS_WINDOW };
  return { ...known, percentiles: 'linear', weighting: quantity.endsWith('_gap') ? 'gaps' : 'requests' };
}

/** Of tools or versions that differ: every quantity whose definitions do, or that one of them does not have. */
function differentDefinitions(a: Definitions, b: Definitions): (readonly [MetricName, string])[] {
  if (a.tool === b.tool && a.version === b.version && a.recomputed === b.recomputed) return [];
  const [x, y] = [a.side.run.canonical?.scopes[0], b.side.run.canonical?.scopes[0]];
  if (!x || !y) {
    // One version of one tool reports by the formulas it computes with.
    if (a.tool === b.tool && (a.recomputed === b.recomputed || a.version === b.version)) return [];
    const text = `A is ${a.summary}, B is ${b.summary}: one name may stand for two formulas`;
    return ALL.map(({ metric }) => [metric, text]);
  }
  return QUANTITIES.flatMap(([metric, quantity]): (readonly [MetricName, string])[] => {
    const [left, right] = [definitionOf(a, x, quantity), definitionOf(b, y, quantity)];
    if (!left || !right) return [];
    // Who counted is a question of its own: token-source.
    const differences = definitionDifferences(...onThisEndpoint(a, b, left, right)).filter(
      (text) => !text.startsWith('tokens'),
    );
    return differences.length > 0 ? [[metric, `${metric}: ${differences.join(', ')}`]] : [];
  });
}
