// The words a comparison is printed with, on the terminal and as Markdown.
import { NOTHING, significant, signed, signedBound, signedPercent } from '../../figures';
import { METRICS, quantityNamed, spokenLabel, withUnit } from '../../metrics/quantities';
import type {
  Comparison,
  Evidence,
  Finding,
  FindingSide,
  MetricComparison,
  MovedMetric,
  InterpolatedRow,
} from '../../comparability/comparison';

/** The verdict in a word or two, the same wherever it is printed. */
export const VERDICT_WORDS = {
  comparable: 'Comparable',
  confounded: 'Not comparable',
  undetermined: 'Cannot be told',
} as const satisfies Record<Comparison['verdict']['state'], string>;

/** "TTFT, request latency (mean, p90, p95); requests/s"; "every metric". */
export function movesWords(moves: readonly MovedMetric[]): string {
  if (moves.length === METRICS.length && moves.every((moved) => moved.statistics === undefined)) return 'every metric';
  const groups = new Map<string, string[]>();
  for (const { metric, statistics } of moves) {
    const key = statistics?.join(', ') ?? '';
    groups.set(key, [...(groups.get(key) ?? []), spokenLabel(quantityNamed(metric))]);
  }
  return [...groups]
    .map(([statistics, names]) => names.join(', ') + (statistics === '' ? '' : ` (${statistics})`))
    .join('; ');
}

export interface EvidenceRow {
  /** "run.json window.warmupStages". */
  readonly place: string;
  readonly a: string;
  readonly b: string;
}

/** Evidence of both sides under each other by what it is about; a stage's number does not keep two keys apart. */
export function evidenceRows({ a, b }: Pick<Finding, 'a' | 'b'>): EvidenceRow[] {
  const rest = [...b.evidence];
  const rows = a.evidence.map((left): EvidenceRow => {
    // Two sides may say the same of themselves in files of different names, or under other keys for one setting.
    const at = [
      rest.findIndex((right) => subject(right) === subject(left)),
      rest.findIndex((right) => right.key === left.key),
      rest.findIndex((right) => isSameSetting(left, right)),
    ].find((index) => index >= 0);
    const [right] = at === undefined ? [undefined] : rest.splice(at, 1);
    return { place: place(left, right), a: valueWords(left), b: valueWords(right) };
  });
  return [
    ...rows,
    ...rest.map((right) => ({ place: `${right.file} ${right.key}`, a: valueWords(undefined), b: valueWords(right) })),
  ];
}

function place(left: Evidence, right: Evidence | undefined): string {
  const [own, other] = [`${left.file} ${left.key}`, right && `${right.file} ${right.key}`];
  if (other === undefined || other === own) return own;
  return right?.file === left.file ? `${own} / ${right.key}` : `${own} / ${other}`;
}

function isSameSetting({ configPath: left }: Evidence, { configPath: right }: Evidence): boolean {
  return left !== undefined && right !== undefined && left.join('.') === right.join('.');
}

/** Without the numbers: a stage's position and rate do not keep two keys apart, the order of the stages pairs them. */
function subject({ file, key }: Evidence): string {
  return `${file} ${key}`.replace(/\d+(\.\d+)?/g, '#');
}

function valueWords(evidence: Evidence | undefined): string {
  return evidence?.value ?? 'not recorded';
}

/** Rows a reader needs: those that differ; when none does, the first few. */
export function tellingRows(finding: { readonly a: FindingSide; readonly b: FindingSide }): EvidenceRow[] {
  const rows = evidenceRows(finding);
  const different = rows.filter((row) => row.a !== row.b);
  return different.length > 0 ? different : rows.slice(0, 3);
}

export interface MetricCells {
  /** With its unit: "TTFT p95, ms". */
  readonly label: string;
  readonly a: string;
  readonly b: string;
  readonly difference: string;
  readonly percent: string;
  readonly interval: string;
}

/** Figures of one row; what is missing is a dash, the reason is in `reasonWords`. */
export function metricCells({ label, unit, a, b, difference }: MetricComparison): MetricCells {
  const interval = difference?.interval;
  return {
    label: withUnit(label, unit),
    a: a.value === undefined ? NOTHING : significant(a.value),
    b: b.value === undefined ? NOTHING : significant(b.value),
    difference: difference ? signed(difference.absolute) : NOTHING,
    percent: difference?.percentOfA === undefined ? NOTHING : signedPercent(difference.percentOfA),
    interval: interval ? `${signedBound(interval.low)} to ${signedBound(interval.high)}` : NOTHING,
  };
}

/** Of an interpolated row; what else differs is named by its title. */
export function interpolatedCells(
  row: InterpolatedRow,
  findings: readonly Finding[],
): Omit<MetricCells, 'difference' | 'interval'> & { words: string } {
  const { label, unit, a, b, percentOfA, because } = row;
  const others = findings
    .filter(({ dimension }) => because.includes(dimension))
    .map(({ title }) => title.toLowerCase());
  return {
    label: withUnit(label, unit),
    a: significant(a),
    b: significant(b),
    percent: percentOfA === undefined ? NOTHING : signedPercent(percentOfA),
    words: others.join(', '),
  };
}

/** What a row means, in words; `numbers` are the findings' places in the list above the table. */
export function verdictWords(metric: MetricComparison, numbers: ReadonlyMap<string, number>): string {
  const because = metric.because.map((dimension) => {
    const number = numbers.get(dimension);
    return number === undefined ? dimension : String(number);
  });
  const missing = missingWords(metric);
  switch (metric.verdict) {
    case 'confounded':
      return `confounded: ${because.join(', ')}${missing === '' ? '' : `; ${missing}`}`;
    case 'undetermined':
      return missing === '' ? `undetermined: ${because.join(', ')}` : missing;
    case 'comparable-after-alignment':
      return `aligned (${because.join(', ')}): ${metric.difference?.words ?? missing}`;
    case 'comparable':
      return metric.difference?.words ?? missing;
  }
}

/** The same in a word or two, for a table that has the figures beside it. */
export function shortVerdict(metric: MetricComparison, numbers: ReadonlyMap<string, number>): string {
  const { difference, verdict, better } = metric;
  if (verdict === 'confounded' && difference) return verdictWords(metric, numbers).replace('confounded:', 'by');
  if (verdict === 'comparable-after-alignment' && metric.alignment) return metric.alignment.words;
  if (verdict !== 'comparable' || !difference) return verdictWords(metric, numbers);
  const { absolute, answer } = difference;
  const direction = absolute > 0 ? 'higher' : 'lower';
  switch (answer.reason) {
    case 'within-margin':
      return 'equivalent';
    case 'chance':
      return absolute === 0 ? 'no difference' : 'none detected';
    case 'many-numbers':
      return 'none detected among so many';
    case 'no-interval':
      return absolute === 0 ? 'no difference' : `B ${direction}, may be chance`;
    case 'single-runs':
      return `B ${direction} in these two runs`;
    case 'drift':
      return `${difference.detected === true ? `B ${direction}` : 'none detected'}, drift not excluded`;
    case 'beyond-known-noise':
      return `this pair differs: B ${direction}`;
    case 'repeats':
      return better === 'neither' ? `B ${direction}` : `B ${direction}, ${better === direction ? 'better' : 'worse'}`;
  }
}

function missingWords({ a, b }: MetricComparison): string {
  if (a.missing !== undefined && a.missing === b.missing) return a.missing;
  return [a.missing && `A: ${a.missing}`, b.missing && `B: ${b.missing}`].filter(Boolean).join('; ');
}

/** Whether a finding is told in full: what differs or may differ, but not what no run can record (named in one line). */
export function needsReader(finding: Finding): boolean {
  return finding.state !== 'same' && finding.state !== 'follows' && finding.assumed === undefined;
}

/** Findings that need a reader, numbered from 1 in their order. */
export function numbered(findings: readonly Finding[]): ReadonlyMap<string, number> {
  return new Map(findings.filter(needsReader).map((finding, i) => [finding.dimension, i + 1]));
}
