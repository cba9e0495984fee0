// A whole comparison on the terminal: verdict, what differs, every number, what may be said, and the verdict once more.
import type {
  ComparedRun,
  Comparison,
  DimensionId,
  Finding,
  InterpolatedLoad,
  MetricComparison,
} from '../comparability/comparison';
import { assumptionsOf } from '../comparability/verdict';
import {
  metricCells,
  movesWords,
  needsReader,
  numbered,
  tellingRows,
  shortVerdict,
  interpolatedCells,
} from '../views/comparison/words';
import { requestLines } from '../views/comparison/requests';
import { lastLine, verdictSentence } from './compare-answer';
import { bullet, clean, columns, wrap } from './text-layout';

const STATES: Readonly<Record<Finding['state'], string>> = {
  confounds: 'CONFOUNDS',
  unknown: 'UNKNOWN',
  intended: 'intended',
  aligned: 'aligned',
  follows: 'follows',
  same: 'same',
};

/** @param width of the terminal; 80 to 120 are used */
export function comparisonTable(comparison: Comparison, width: number, isColoured: boolean): string {
  const room = Math.min(120, Math.max(80, width));
  const { findings, claim } = comparison;
  const shown = findings.filter(needsReader);
  const parts = [
    verdictSentence(comparison, room, isColoured),
    heads(comparison, room),
    ...shown.map((finding, i) => findingText(finding, i + 1, room)),
    sameLine(findings, room),
    followsLine(findings, room),
    assumedLines(findings, room),
    ...comparison.stages.map((stage, i) => metricsTable(comparison, stage.label, i, room)),
    ...(comparison.interpolated ?? []).map((load) => interpolatedTable(load, findings, room)),
    claim.text === undefined ? wrap(claim.noClaim ?? '', room) : wrap(`Claim: ${claim.text}`, room),
    notes(comparison, room),
    pitfalls(comparison, room),
    lastLine(comparison, isColoured),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function heads({ a, b, intended, findings }: Comparison, room: number): string {
  /** The last one: every run has its own, so that a difference is no news. */
  const fields: [string, (run: ComparedRun) => string | undefined, 'own'?][] = [
    ['folder', (run) => run.folder, 'own'],
    ['started', (run) => run.startedAt, 'own'],
    ['tool', (run) => run.tool],
    ['endpoint', (run) => run.endpoint],
    ['model', (run) => run.model],
    ['load', (run) => run.load],
    ['state', (run) => run.state],
  ];
  const rows = fields.map(([label, of, own]) => {
    const [left, right] = [of(a) ?? 'not recorded', of(b) ?? 'not recorded'];
    return [left === right || own ? '' : '≠', label, left, right];
  });
  const table = columns([['', '', 'A', 'B'], ...rows], { room, shrink: [2, 3] });
  return intended.length > 0
    ? `${table}\n\nDeclared as the change under test: ${intended.map((id) => titleOf(findings, id)).join(', ')}`
    : table;
}

function findingText(finding: Finding, number: number, room: number): string {
  const pitfall = finding.pitfall === undefined ? '' : `, ${finding.pitfall}`;
  const evidence = tellingRows(finding).map((row) => ['', row.place, row.a, row.b]);
  const lines = [
    `${number}. ${STATES[finding.state]}  ${finding.title} (${finding.dimension}${pitfall})`,
    wrap(finding.message, room, 3),
    columns([['', 'read at', 'A', 'B'], ...evidence], { room: room - 1, indent: 1, shrink: [1, 2, 3] }),
    bullet(
      'moves:',
      `${movesWords(finding.moves)}${finding.stages ? ` (${stagesWords(finding.stages)})` : ''}`,
      room,
      3,
    ),
  ];
  if (finding.remedy !== undefined) lines.push(bullet('remedy:', finding.remedy, room, 3));
  if (finding.alignable) {
    const { possible, words } = finding.alignable;
    const how = possible
      ? `could be aligned with --align ${finding.dimension}: ${words}`
      : `cannot be aligned: ${words}`;
    lines.push(bullet('align:', how, room, 3));
  }
  return lines.join('\n');
}

function stagesWords(stages: readonly number[]): string {
  return `in table${stages.length === 1 ? '' : 's'} ${stages.map((stage) => stage + 1).join(', ')} below`;
}

function sameLine(findings: readonly Finding[], room: number): string {
  const same = findings.filter((finding) => finding.state === 'same');
  if (same.length === 0) return '';
  return bullet('Same:', same.map(({ title }) => title.toLowerCase()).join(', '), room, 0);
}

function followsLine(findings: readonly Finding[], room: number): string {
  const names = findings.flatMap(({ state, title, follows }) =>
    state === 'follows' && follows ? [`${title.toLowerCase()} (follows from ${titleOf(findings, follows)})`] : [],
  );
  return names.length === 0 ? '' : bullet('Not judged by themselves:', names.join(', '), room, 0);
}

function titleOf(findings: readonly Finding[], id: DimensionId): string {
  return findings.find(({ dimension }) => dimension === id)?.title.toLowerCase() ?? id;
}

/** What no run records is not told like a finding, but never left out. */
function assumedLines(findings: readonly Finding[], room: number): string {
  const assumed = assumptionsOf(findings);
  if (assumed.length === 0) return '';
  const lines = assumed.map((finding) => bullet('-', `${finding.title}: ${finding.assumed!}`, room, 3));
  return ['Assumed, because it is recorded on neither side:', ...lines].join('\n');
}

/** Column of the absolute difference. */
const DIFFERENCE = 4;

const WITHIN_RUNS = 'Intervals are of B − A within these two runs; the noise from run to run comes on top.';

function metricsTable(comparison: Comparison, label: string, stage: number, room: number): string {
  const { metrics, findings, stages, repeats } = comparison;
  const own = metrics.filter((metric) => metric.stage === stage);
  if (own.length === 0) return '';
  const numbers = numbered(findings);
  const rows = own.map((metric) => metricRow(metric, numbers));
  const head = ['', 'metric', 'A', 'B', 'B − A', 'of A', '95 % interval', ''];
  // A narrow terminal does without the absolute difference: both values and the interval stand beside it.
  const narrow = room < 100;
  const table = [head, ...rows].map((row) => (narrow ? row.filter((_, c) => c !== DIFFERENCE) : row));
  const title = `${stages.length > 1 ? `Table ${stage + 1}: ` : ''}${clean(label)}`;
  const marked = own.some((metric) => metric.verdict === 'confounded');
  const resampled = own.some((metric) => metric.difference?.interval !== undefined);
  const legend = [
    ...requestLines(comparison, stage).map((line) => clean(line)),
    marked ? '~ confounded by the findings of these numbers above: the figure is shown, but is no result.' : '',
    resampled ? (repeats ? 'Intervals are of B − A, over the repeats of each side.' : WITHIN_RUNS) : '',
  ]
    .filter((line) => line !== '')
    .map((line) => `\n${wrap(line, room)}`)
    .join('');
  return `${title}\n${columns(table, { room, right: narrow ? [2, 3, 4, 5] : [2, 3, 4, 5, 6], shrink: narrow ? [1, 6] : [7] })}${legend}`;
}

/** Apart from the judged tables, and said to be. */
function interpolatedTable(
  { label, words, rows }: InterpolatedLoad,
  findings: readonly Finding[],
  room: number,
): string {
  const title = wrap(`${clean(label)}, ${clean(words)}`, room);
  if (rows.length === 0) return title;
  const table = [
    ['', 'metric', 'A', 'B', 'of A', 'also differs'],
    ...rows.map((row) => {
      const cells = interpolatedCells(row, findings);
      return [row.because.length > 0 ? '~' : '', cells.label, cells.a, cells.b, cells.percent, cells.words];
    }),
  ];
  return `${title}\n${columns(table, { room, right: [2, 3, 4], shrink: [5] })}\n${wrap('A straight line between two loads, not a measurement: in no verdict, claim or gate.', room)}`;
}

function metricRow(metric: MetricComparison, numbers: ReadonlyMap<string, number>): string[] {
  const cells = metricCells(metric);
  const mark = metric.verdict === 'confounded' ? '~' : metric.verdict === 'undetermined' ? '?' : '';
  return [
    mark,
    cells.label,
    cells.a,
    cells.b,
    cells.difference,
    cells.percent,
    cells.interval,
    shortVerdict(metric, numbers),
  ];
}

/** Every pitfall that the two runs show, with its evidence; the page says what each does to which numbers. */
function pitfalls({ pitfalls: seen }: Comparison, room: number): string {
  if (seen.length === 0) return '';
  const lines = seen.map(({ code, side, words, accepted }) => {
    const whose = side === 'between' ? '' : `${side}: `;
    const why = accepted === undefined ? '' : ` (${accepted}; it is listed all the same)`;
    return bullet(code, `${whose}${words}${why}`, room, 3);
  });
  return ['Pitfalls seen (what each does: docs/pitfalls.md):', ...lines].join('\n');
}

function notes({ unmatched, notes: said }: Comparison, room: number): string {
  return [...unmatched, ...said].map((note) => bullet('-', note, room, 0)).join('\n');
}
