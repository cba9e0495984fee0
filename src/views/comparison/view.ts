// A judged comparison and its two runs -> what the comparison view shows. Pure; worst first.
import { distinctPaths } from '../../readers/distinct';
import type { Run } from '../../readers/run';
import type { Tone } from '../report/model';
import { moment, NOTHING, significant, signed, signedBound, signedPercent, whole } from '../../figures';
import type {
  ComparedRun,
  Comparison,
  DimensionId,
  Evidence,
  Finding,
  FindingSide,
  MetricComparison,
  MetricSide,
  MetricVerdict,
} from '../../comparability/comparison';
import { isIntendable } from '../../comparability/intendable';
import { runNames } from '../../comparability/identity';
import { comparisonCharts } from './charts';
import { chipsOf, keyOf, nextStep } from './first-screen';
import { evidenceRows, movesWords, numbered, VERDICT_WORDS } from './words';
import { alignmentSwitches, cutOf, findingExtras, interpolationOf, metricExtras, noiseWords } from './extras';
import type {
  ComparisonView,
  FindingGroup,
  FindingSideView,
  FindingView,
  HeadRow,
  MetricRow,
  MetricTable,
} from './model';

/** @param cut of the windows' start, as the user asked for it */
export function comparisonView(comparison: Comparison, a: Run, b: Run, cut?: string): ComparisonView {
  const intended = comparison.intended[0];
  const [nameA, nameB] = runNames(comparison.a, comparison.b);
  const [placeA, placeB] = distinctPaths(comparison.a.folder, comparison.b.folder);
  return {
    title: `${nameA} and ${nameB}`,
    names: { a: withTime(nameA, comparison.a), b: withTime(nameB, comparison.b, comparison.a) },
    heads: headsOf(comparison, placeA, placeB),
    verdict: verdictOf(comparison),
    key: keyOf(comparison, (name, metric) => sideFigure(name, name === 'A' ? metric.a : metric.b, metric)),
    notes: [...comparison.notes, ...comparison.unmatched],
    groups: groupsOf(comparison, a, b),
    pitfalls: comparison.pitfalls,
    intendable: comparison.findings
      .filter(({ dimension }) => isIntendable(dimension))
      .map(({ dimension, title }) => ({ id: dimension, title }))
      .sort((x, y) => x.title.localeCompare(y.title)),
    ...(intended === undefined ? {} : { intended }),
    alignment: alignmentSwitches(comparison),
    ...cutOf(a, b, cut),
    metrics: metricsOf(comparison),
    ...interpolationOf(comparison),
    charts: comparisonCharts(comparison, a, b),
    files: { a: a.files, b: b.files },
  };
}

/**
 * "baseline · 2026-12-01 03:33 UTC"; the day is said once; a time that is written in a way of its own
 * stands in the table of the two runs only.
 */
function withTime(name: string, { startedAt = '' }: ComparedRun, other?: ComparedRun): string {
  const time = moment(startedAt);
  if (time === startedAt) return name;
  const [date, ...clock] = time.split(' ');
  const isSameDay = date !== undefined && other?.startedAt?.startsWith(date) === true;
  return `${name} · ${isSameDay ? clock.join(' ') : time}`;
}

function headsOf({ a, b }: Comparison, placeA: string, placeB: string): HeadRow[] {
  const row = (label: string, of: (run: ComparedRun) => string | undefined, counts = true): HeadRow => {
    const [left, right] = [of(a) ?? 'not recorded', of(b) ?? 'not recorded'];
    return { label, a: left, b: right, differs: counts && left !== right };
  };
  return [
    { label: 'Folder', a: placeA, b: placeB, differs: false },
    row('Config', (run) => run.name, false),
    row('Started', (run) => run.startedAt?.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC'), false),
    row('Tool', (run) => run.tool),
    row('Endpoint', (run) => run.endpoint),
    row('Model', (run) => run.model),
    row('Load', (run) => run.load),
    row('State', (run) => run.state),
  ];
}

const TONES = {
  comparable: 'good',
  confounded: 'bad',
  undetermined: 'caution',
} as const satisfies Record<Comparison['verdict']['state'], Tone>;

function verdictOf(comparison: Comparison): ComparisonView['verdict'] {
  const { verdict, claim, findings } = comparison;
  const isClaim = claim.text !== undefined;
  const next = nextStep(findings);
  return {
    tone: TONES[verdict.state],
    word: VERDICT_WORDS[verdict.state],
    sentence: verdict.sentence,
    chips: chipsOf(comparison),
    ...(next === undefined ? {} : { next }),
    claim: claim.text ?? claim.noClaim ?? 'no reason was given',
    isClaim,
  };
}

const GROUPS: readonly Omit<FindingGroup, 'findings'>[] = [
  {
    state: 'confounds',
    title: 'Confounds',
    hint: 'Different, and it moves the metrics it names: these cannot be compared.',
  },
  { state: 'unknown', title: 'Unknown', hint: 'At least one side did not record it, so it may differ.' },
  {
    state: 'aligned',
    title: 'Aligned',
    hint: 'Different, and removed by recomputing both sides under one definition.',
  },
  { state: 'intended', title: 'Intended', hint: 'Different, and declared as the change under test.' },
  {
    state: 'unknown',
    assumed: true,
    title: 'Assumed',
    hint: 'Recorded on neither side, and nothing that is recorded speaks against it: you have to believe that it was equal.',
  },
  {
    state: 'follows',
    title: 'Not judged by themselves',
    hint: 'Whatever differs here follows from a finding above, which is the one that counts.',
  },
  { state: 'same', title: 'Same', hint: 'Both recorded, and equal within the stated tolerance.' },
];

function groupsOf(comparison: Comparison, a: Run, b: Run): FindingGroup[] {
  const numbers = numbered(comparison.findings);
  const views = comparison.findings.map((finding, index) => ({
    state: finding.state,
    assumed: finding.assumed !== undefined,
    view: findingView(finding, index, numbers.get(finding.dimension), a, b),
  }));
  return GROUPS.map((group) => ({
    ...group,
    findings: views
      .filter(({ state, assumed }) => state === group.state && assumed === (group.assumed === true))
      .map(({ view }) => view),
  })).filter((group) => group.findings.length > 0);
}

function findingView(finding: Finding, index: number, number: number | undefined, a: Run, b: Run): FindingView {
  return {
    index,
    ...(number === undefined ? {} : { number }),
    title: finding.title,
    message: finding.message,
    a: sideView(finding.a, a),
    b: sideView(finding.b, b),
    evidence: evidenceRows(finding)
      .map((row) => ({ ...row, isEqual: row.a === row.b }))
      .sort((x, y) => Number(x.isEqual) - Number(y.isEqual)),
    moves: finding.state === 'same' || finding.state === 'follows' ? '' : movesWords(finding.moves),
    tolerance: finding.tolerance,
    more: findingExtras(finding),
    ...(finding.remedy === undefined ? {} : { remedy: finding.remedy }),
    ...(finding.pitfall === undefined ? {} : { pitfall: finding.pitfall }),
  };
}

function sideView(side: FindingSide, run: Run): FindingSideView {
  return { summary: side.summary, canOpen: placeOf(side, run) !== undefined };
}

/** The evidence a click opens: the one with a place in the config, else the first whose file is in the folder. */
export function placeOf(side: FindingSide, run: Run): Evidence | undefined {
  return (
    side.evidence.find((entry) => entry.configPath !== undefined && run.configText !== undefined) ??
    side.evidence.find((entry) => run.files.includes(entry.file))
  );
}

function metricsOf(comparison: Comparison): MetricTable[] {
  const titles = new Map(comparison.findings.map((finding) => [finding.dimension, finding.title]));
  return comparison.stages
    .map((stage, index) => ({
      stage: stage.label,
      rows: comparison.metrics.filter((metric) => metric.stage === index).map((metric) => metricRow(metric, titles)),
    }))
    .filter((table) => table.rows.length > 0);
}

function metricRow(metric: MetricComparison, titles: ReadonlyMap<DimensionId, string>): MetricRow {
  const { difference, unit } = metric;
  return {
    label: metric.label,
    unit,
    a: sideFigure('A', metric.a, metric),
    b: sideFigure('B', metric.b, metric),
    difference: differenceFigure(metric),
    interval: intervalFigure(metric),
    words: [difference?.words, ...metricExtras(metric, titles)].filter((part) => part !== undefined).join('; '),
    verdict: metric.verdict,
    verdictWords: verdictWords(metric.verdict, metric.because, titles),
  };
}

function sideFigure(
  name: string,
  side: MetricSide,
  metric: MetricComparison,
): { text: string; note: string; weak?: boolean } {
  const n = side.n === null ? (side.nMissing ?? '') : `n = ${whole(side.n)}`;
  if (side.value === undefined) {
    return { text: NOTHING, note: `${metric.label} of ${name}: ${side.missing ?? 'not recorded'}`, weak: true };
  }
  const note = `${metric.label} of ${name}: ${significant(side.value)} ${metric.unit}, ${n}`;
  return { text: significant(side.value), note };
}

function differenceFigure({ difference, label, unit }: MetricComparison): { text: string; note: string } {
  if (!difference) return { text: NOTHING, note: `${label}: no difference, as one side has no value` };
  const { absolute, percentOfA } = difference;
  const relative = percentOfA === undefined ? '' : ` (${signedPercent(percentOfA).replace(' ', NO_BREAK)})`;
  const base = percentOfA === undefined ? 'A is 0, so there is no percentage' : 'the percentage is of A';
  return { text: `${signed(absolute)}${relative}`, note: `${label}: B minus A in ${unit}; ${base}` };
}

function intervalFigure({ difference, label }: MetricComparison): { text: string; note: string; weak?: boolean } {
  const interval = difference?.interval;
  if (!interval) {
    return { text: NOTHING, note: `${label}: no interval: ${difference?.noInterval ?? 'no difference'}`, weak: true };
  }
  return {
    text: `${signedBound(interval.low)} to${NO_BREAK}${signedBound(interval.high)}`,
    note: [
      `${label}: ${interval.level * 100} % interval of B minus A, ${interval.method}`,
      ...noiseWords(difference),
    ].join('; '),
  };
}

/** Figures may break over two lines where there is no room, though not before their unit. */
const NO_BREAK = '\u00a0';

function verdictWords(
  verdict: MetricVerdict,
  because: readonly DimensionId[],
  titles: ReadonlyMap<DimensionId, string>,
): string {
  const reasons = because.map((id) => (titles.get(id) ?? id).toLowerCase()).join(', ');
  switch (verdict) {
    case 'comparable':
      return 'comparable';
    case 'comparable-after-alignment':
      return `comparable after alignment: ${reasons}`;
    case 'confounded':
      return `confounded by ${reasons}`;
    case 'undetermined':
      return `undetermined: ${reasons}`;
  }
}
