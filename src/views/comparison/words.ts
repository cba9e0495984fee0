// The words a comparison is printed with, on the terminal and as Markdown.
import { significant } from '../../figures';
import type {
  Evidence,
  Finding,
  FindingSide,
  MetricComparison,
  MetricName,
  MovedMetric,
  InterpolatedRow,
} from '../../comparability/comparison';

const METRICS: Readonly<Record<MetricName, string>> = {
  ttft: 'TTFT',
  tpot: 'TPOT',
  itl: 'ITL',
  ntpot: 'NTPOT',
  request_latency: 'request latency',
  schedule_delay: 'schedule delay',
  requests_per_sec: 'requests/s',
  input_tokens_per_sec: 'input tokens/s',
  output_tokens_per_sec: 'output tokens/s',
  total_tokens_per_sec: 'total tokens/s',
  request_goodput: 'goodput',
  error_rate: 'error rate',
};

const ALL_METRICS = Object.keys(METRICS).length;

/** "TTFT, request latency (mean, p90, p95); requests/s"; "every metric". */
export function movesWords(moves: readonly MovedMetric[]): string {
  if (moves.length === ALL_METRICS && moves.every((moved) => moved.statistics === undefined)) return 'every metric';
  const groups = new Map<string, string[]>();
  for (const { metric, statistics } of moves) {
    const key = statistics?.join(', ') ?? '';
    groups.set(key, [...(groups.get(key) ?? []), METRICS[metric]]);
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
function evidenceRows({ a, b }: Pick<Finding, 'a' | 'b'>): EvidenceRow[] {
  const rest = [...b.evidence];
  const rows = a.evidence.map((left): EvidenceRow => {
    const exact = rest.findIndex((right) => subject(right) === subject(left));
    // Two sides may say the same of themselves in files of different names.
    const at = exact >= 0 ? exact : rest.findIndex((right) => right.key === left.key);
    const [right] = at < 0 ? [undefined] : rest.splice(at, 1);
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
  readonly label: string;
  readonly unit: string;
  readonly a: string;
  readonly b: string;
  readonly difference: string;
  readonly percent: string;
  readonly interval: string;
}

const NONE = '–';

/** Figures of one row; what is missing is a dash, the reason is in `reasonWords`. */
export function metricCells({ label, unit, a, b, difference }: MetricComparison): MetricCells {
  const interval = difference?.interval;
  return {
    label,
    unit,
    a: a.value === undefined ? NONE : significant(a.value),
    b: b.value === undefined ? NONE : significant(b.value),
    difference: difference ? signed(difference.absolute) : NONE,
    percent: difference?.percentOfA === undefined ? NONE : `${percentWords(difference.percentOfA)} %`,
    interval: interval ? `${bound(interval.low)} to ${bound(interval.high)}` : NONE,
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
    label: unit === 'requests/s' || unit === 'tokens/s' ? label : `${label}, ${unit}`,
    unit,
    a: significant(a),
    b: significant(b),
    percent: percentOfA === undefined ? NONE : `${percentWords(percentOfA)} %`,
    words: others.join(', '),
  };
}

/** Two decimals are more than any of these runs can tell. */
function percentWords(value: number): string {
  if (!Number.isFinite(value)) return value < 0 ? 'under −1e300' : 'over 1e300';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const size = Math.abs(value);
  const text = size >= 1e6 ? significant(size) : size.toFixed(digits);
  return value < 0 ? `−${text}` : `+${text}`;
}

/** An interval's end in two digits: it is an estimate itself. */
function bound(value: number): string {
  const size = Math.abs(value);
  const sign = value < 0 ? '−' : '+';
  if (size >= 100) return sign + Math.round(size).toLocaleString('en-US');
  return size < 1e-4 ? '0' : sign + size.toPrecision(2);
}

function signed(value: number): string {
  if (value === 0) return '0';
  return value > 0 ? `+${significant(value)}` : significant(value);
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
      return `B ${direction}, drift not excluded`;
    case 'repeats':
    case 'beyond-known-noise':
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
