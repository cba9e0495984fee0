// From findings and metrics to one verdict, its exit code, and the bounded claim or the reason why there is none.
import { rounded, signed } from '../figures';
import { namesUnit } from '../metrics/quantities';
import { singleRunWords } from '../pitfalls/catalogue/CMP090-single-runs';
import type { Answer, Comparison, DimensionId, Finding, MatchedStages, MetricComparison } from './comparison';
import { endpointWords } from './identity';
import { changesOf } from './intendable';
import { type Side } from './side';
import { outputSourceOf } from './side';

type Verdict = Comparison['verdict'];

export function verdictOf(
  findings: readonly Finding[],
  metrics: readonly MetricComparison[],
  intended: readonly DimensionId[],
  /** Of each side, the first one counted. */
  runs: { readonly a: number; readonly b: number } = { a: 2, b: 2 },
  /** What a folder says against itself, in words: it is said first. */
  contradictions: readonly string[] = [],
): Verdict {
  const confounding = of(findings, 'confounds');
  const unknowns = blocking(findings);
  const assumed = assumptionsOf(findings);
  const besides = intended.length > 0 ? ` besides the intended change (${titles(intended, findings)})` : '';
  const standing = metrics.filter((metric) => metric.verdict.startsWith('comparable') && metric.difference).length;
  const shown = metrics.filter((metric) => metric.difference !== undefined).length;
  if (contradictions.length > 0) {
    return {
      state: 'confounded',
      exitCode: 3,
      sentence: `Not comparable: a folder contradicts itself. ${contradictions.join('. ')}.`,
    };
  }
  if (confounding.length > 0) {
    const also = unknowns.length > 0 ? `; ${names(unknowns)} ${areOrIs(unknowns)} not recorded` : '';
    const rest = standing > 0 ? ` ${standing} of ${shown} numbers are untouched by it.` : '';
    return {
      state: 'confounded',
      exitCode: 3,
      sentence: `Not comparable: A and B differ${besides} in ${names(confounding)}${also}.${rest}`,
    };
  }
  if (unknowns.length > 0) {
    return {
      state: 'undetermined',
      exitCode: 4,
      sentence: `Cannot be told: nothing found differs${besides}, but ${names(unknowns)} cannot be judged from what was recorded.`,
    };
  }
  if (shown === 0) {
    return {
      state: 'undetermined',
      exitCode: 4,
      sentence:
        'Cannot be told: there is no number on both sides to compare (no request succeeded, or no stage was measured).',
    };
  }
  const changed = of(findings, 'intended');
  const changes = changesOf(changed.map(({ dimension }) => dimension));
  if (changes.length > 1) {
    return {
      state: 'confounded',
      exitCode: 3,
      sentence: `Not comparable: ${changes.length} changes were made at once, each as intended (${names(changed)}): a difference belongs to none of them.`,
    };
  }
  const aligned = of(findings, 'aligned');
  const alone = singleRunWords(runs);
  const once = alone === undefined ? '' : ` ${alone[0]!.toUpperCase()}${alone.slice(1)}.`;
  const sentence =
    changed.length > 0
      ? `Comparable: of ${findings.length} checks, A and B differ only in ${names(changed)}, as intended${assumedWords(assumed)}.`
      : aligned.length > 0
        ? `Comparable after alignment in ${names(aligned)}: nothing else differs in ${findings.length} checks${assumedWords(assumed)}.`
        : `Comparable: no difference found in ${findings.length} checks${assumedWords(assumed)}.`;
  return { state: 'comparable', exitCode: 0, sentence: `${sentence}${once}` };
}

function of(findings: readonly Finding[], state: Finding['state']): Finding[] {
  return findings.filter((finding) => finding.state === state);
}

/** Unknowns that hold up a verdict: what a run could have recorded, or what something recorded speaks against. */
function blocking(findings: readonly Finding[]): Finding[] {
  return findings.filter((finding) => finding.state === 'unknown' && finding.assumed === undefined);
}

/** What no run records, in words: a reader has to believe it. */
export function assumptionsOf(findings: readonly Finding[]): Finding[] {
  return findings.filter((finding) => finding.state === 'unknown' && finding.assumed !== undefined);
}

function assumedWords(assumed: readonly Finding[]): string {
  if (assumed.length === 0) return '';
  return `, with ${names(assumed)} assumed equal (no run records ${areOrIs(assumed) === 'is' ? 'it' : 'them'})`;
}

function areOrIs(findings: readonly Finding[]): 'are' | 'is' {
  // eslint-disable-next-line house/no-decision-on-prose -- the grammar of the title itself
  return findings.length > 1 || /s$/.test(findings[0]?.title ?? '') ? 'are' : 'is';
}

/** Titles in words: "token counter and answer length"; a title with an "and" of its own takes commas around it. */
function names(findings: readonly Finding[]): string {
  const words = findings.map(({ title }) => title.toLowerCase());
  if (words.length < 2) return words.join('');
  const comma = words.some((word) => word.includes(' and ')) ? ',' : '';
  return `${words.slice(0, -1).join(', ')}${comma} and ${words.at(-1)!}`;
}

function titles(ids: readonly DimensionId[], findings: readonly Finding[]): string {
  return ids.map((id) => findings.find(({ dimension }) => dimension === id)?.title.toLowerCase() ?? id).join(', ');
}

export interface ClaimInput {
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  readonly metrics: readonly MetricComparison[];
  readonly stages: readonly MatchedStages[];
  readonly intended: readonly DimensionId[];
  readonly a: Side;
  readonly b: Side;
  /** What is known of the noise from run to run. */
  readonly noise: string;
}

export function claimOf({
  verdict,
  findings,
  metrics,
  stages,
  intended,
  a,
  b,
  noise,
}: ClaimInput): Comparison['claim'] {
  if (verdict.state === 'confounded') {
    const worst = findings.find((finding) => finding.state === 'confounds');
    const first = worst?.remedy === undefined ? verdict.sentence : `First: ${worst.remedy}`;
    return { noClaim: `No claim can be made from these two runs. ${first}` };
  }
  if (verdict.state === 'undetermined') {
    const [open] = blocking(findings);
    return { noClaim: `No claim can be made from these two runs: ${open?.message ?? verdict.sentence}` };
  }
  const aligned = of(findings, 'aligned');
  if (changesOf(intended).length > 1) {
    return {
      noClaim: `No claim: ${intended.length} changes are declared (${titles(intended, findings)}), so no difference belongs to one of them.`,
    };
  }
  const sentences = headlines(metrics, stages).map(headline);
  const changed = findings.find((finding) => finding.state === 'intended');
  const assumed = assumptionsOf(findings).map((finding) => finding.assumed!);
  const text = [
    `${setting(a, b, intended, changed)}${aligned.length > 0 ? `, after alignment in ${names(aligned)}` : ''}: ${sentences.join('; ')}.`,
    noise,
    assumed.length === 0 ? '' : `Assumed, because no run records it: ${assumed.join('; ')}.`,
  ];
  return { text: text.filter((part) => part !== '').join(' ') };
}

/** The few numbers a claim carries: of the highest load that was matched. */
function headlines(metrics: readonly MetricComparison[], stages: readonly MatchedStages[]): MetricComparison[] {
  const stage = stages.length - 1;
  const usable = metrics.filter(
    (metric) => metric.stage === stage && metric.difference && metric.verdict.startsWith('comparable'),
  );
  // A number with an interval says more than a higher percentile without one.
  const pick = (name: MetricComparison['metric'], ...statistics: MetricComparison['statistic'][]) =>
    statistics
      .flatMap((statistic) => usable.filter((metric) => metric.metric === name && metric.statistic === statistic))
      .sort((x, y) => Number(y.difference?.interval !== undefined) - Number(x.difference?.interval !== undefined))
      .slice(0, 1);
  const first = pick('ttft', 'p95', 'p90', 'p50', 'mean');
  const latency = first.length > 0 ? first : pick('request_latency', 'p95', 'p90', 'p50', 'mean');
  return [
    ...latency,
    ...pick('tpot', 'mean'),
    ...pick('output_tokens_per_sec', 'value'),
    ...pick('requests_per_sec', 'value'),
  ].slice(0, 3);
}

function headline({ label, unit, a, b, difference }: MetricComparison): string {
  const show = (value: number | undefined): string => rounded(value ?? NaN, 3);
  const share = (percent: number): string => signed(percent, (size) => rounded(size, 2));
  const { percentOfA, interval, answer } = difference!;
  const ratio = interval?.percentOfA;
  const range = ratio
    ? ` (${rounded(interval.level * 100, 4)} % interval ${share(ratio.low)} to ${share(ratio.high)} %)`
    : '';
  const size = percentOfA === undefined ? '' : `, ${share(percentOfA)} % of A${range}`;
  const of = namesUnit(label) ? '' : ` ${unit}`;
  return `${label} ${show(a.value)}${of} on A and ${show(b.value)}${of} on B${size}${answerWords(answer)}`;
}

/** What the figures of a claim are worth, after a comma; nothing where they show a difference. */
function answerWords({ reason, margin }: Answer): string {
  switch (reason) {
    case 'repeats':
      return '';
    case 'beyond-known-noise':
      return ', this pair differs';
    case 'within-margin':
      return `, equivalent within the margin ${margin ?? ''}`;
    case 'single-runs':
      return ', within these two runs';
    case 'drift':
      return ', drift not excluded';
    case 'chance':
      return ', no detectable difference';
    case 'many-numbers':
      return ', no detectable difference among so many numbers';
    case 'no-interval':
      return ', which may be chance (no interval)';
  }
}

function setting(a: Side, b: Side, intended: readonly DimensionId[], changed: Finding | undefined): string {
  const { manifest } = a.run;
  const last = a.stages.at(-1);
  const parts: string[] = [];
  if (manifest) parts.push(`${manifest.endpoint.model} at ${endpointWords(manifest.endpoint)}`);
  const counts = [a, b].map((side) =>
    side.stages.reduce((sum, stage) => sum + (stage.records?.length ?? stage.scope?.counts.ok ?? 0), 0),
  );
  parts.push(`${counts[0]} and ${counts[1]} requests`);
  if (a.warmupStages) parts.push(a.warmupStages.length > 0 ? 'warm-up left out' : 'no warm-up left out');
  parts.push(`output tokens by ${outputSourceOf(a.run)}`);
  if (last && a.stages.length > 1) parts.push('at the highest matched load');
  const what = changed?.changes?.join('; ');
  const change =
    intended.length === 1
      ? `, with ${changed?.title.toLowerCase() ?? intended[0]!} as the one intended change${what === undefined ? '' : ` (${what})`}`
      : '';
  return `In this setting (${parts.join(', ')})${change}`;
}
