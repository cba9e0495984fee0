// A comparison's answer on one screen of a terminal: verdict, what differs, the key numbers, the claim. `--all` has the rest.
import type { ComparedRun, Comparison, Finding, MetricComparison } from '../comparability/comparison';
import { assumptionsOf } from '../comparability/verdict';
import { counted, moment, NOTHING, signedBound, signedPercent } from '../figures';
import { keyMetrics } from '../views/comparison/key';
import { requestLines } from '../views/comparison/requests';
import { metricCells, numbered, shortVerdict, tellingRows, VERDICT_WORDS } from '../views/comparison/words';
import { distinctPaths } from '../readers/distinct';
import { bullet, clean, clip, columns, wrap } from './text-layout';
import { paint, type Colour } from './colour';

/** Findings that are told in a line of their own; further ones are named. */
const MOST_FINDINGS = 6;

/** Lines of what --all has whole. */
const SENTENCE_LINES = 3;
const CLAIM_LINES = 4;
const NO_CLAIM_LINES = 2;
/** Assumptions that are named. */
const MOST_ASSUMED = 3;

/** Characters of a beginning that two texts share and that are left out. */
const LONG_BEGINNING = 12;

const COLOURS = { comparable: 'green', confounded: 'red', undetermined: 'yellow' } as const satisfies Record<
  Comparison['verdict']['state'],
  Colour
>;

/** @param width of the terminal; 80 to 120 are used */
export function comparisonAnswer(comparison: Comparison, width: number, isColoured: boolean): string {
  const room = Math.min(120, Math.max(80, width));
  const { findings } = comparison;
  const blocks = [
    [clip(verdictSentence(comparison, room, isColoured), SENTENCE_LINES, room)],
    [runs(comparison, room)],
    [differences(comparison, room), settled(findings, room), unknowns(findings, room)],
    [metrics(comparison, room)],
    [claimed(comparison, room)],
    [answersLine(comparison, room), rest(comparison, room), lastLine(comparison, isColoured)],
  ].map((parts) => parts.filter((part) => part !== '').join('\n'));
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** The whole sentence, its first words in the verdict's colour. */
export function verdictSentence({ verdict }: Comparison, room: number, isColoured: boolean): string {
  const text = wrap(verdict.sentence, room);
  const end = text.indexOf(':');
  return end < 0 ? text : paint(text.slice(0, end), COLOURS[verdict.state], isColoured) + text.slice(end);
}

export function lastLine({ verdict }: Comparison, isColoured: boolean): string {
  return `Verdict: ${paint(VERDICT_WORDS[verdict.state].toLowerCase(), COLOURS[verdict.state], isColoured)}`;
}

const FACTS: readonly (readonly [string, (run: ComparedRun) => string | undefined])[] = [
  ['tool', (run) => run.tool],
  ['endpoint', (run) => run.endpoint],
  ['model', (run) => run.model],
  ['load', (run) => run.load],
  ['state', (run) => run.state],
];

/** A line a side with what sets it apart, and one with what both are. */
function runs({ a, b, repeats }: Comparison, room: number): string {
  const [placeA, placeB] = distinctPaths(a.folder, b.folder);
  const apart = FACTS.filter(([, of]) => of(a) !== of(b));
  const alike = FACTS.flatMap(([, of]) => (of(a) === of(b) && of(a) !== undefined ? [of(a)!] : []));
  const row = (name: string, place: string, run: ComparedRun): string[] => [
    name,
    place,
    run.startedAt === undefined ? '' : moment(run.startedAt),
    ...apart.map(([label, of]) => of(run) ?? `${label} not recorded`),
  ];
  const table = [row('A', placeA, a), row('B', placeB, b)];
  const shrink = [1, ...apart.map((_, i) => i + 3)];
  const more = repeats ? `${counted(repeats.a.length, 'run')} of A, ${repeats.b.length} of B: ${repeats.order}` : '';
  return [
    columns(table, { room, shrink, lines: 1 }),
    ...(alike.length === 0 ? [] : [clip(bullet('both', alike.join(', '), room, 0), 1, room)]),
    ...(more === '' ? [] : [wrap(more, room)]),
  ].join('\n');
}

/** What confounds, worst first: what, A, B, and the name that --align takes where it can be aligned. */
function differences({ findings }: Comparison, room: number): string {
  const shown = findings.filter(({ state }) => state === 'confounds');
  if (shown.length === 0) return '';
  const numbers = numbered(findings);
  const told = shown.slice(0, MOST_FINDINGS);
  const canAlign = told.some(({ alignable }) => alignable?.possible === true);
  const head = ['', 'differs in', 'A', 'B', ...(canAlign ? ['--align'] : [])];
  const rows = told.map((finding) => [
    String(numbers.get(finding.dimension)),
    finding.title,
    ...sides(finding),
    ...(canAlign ? [finding.alignable?.possible === true ? finding.dimension : NOTHING] : []),
  ]);
  const more = shown
    .slice(MOST_FINDINGS)
    .map(({ dimension, title }) => `${title.toLowerCase()} (${numbers.get(dimension)})`);
  return [
    columns([head, ...rows], { room, shrink: [2, 3], lines: 1 }),
    ...(more.length === 0 ? [] : [wrap(`and in ${more.join(', ')}`, room, 3)]),
  ].join('\n');
}

/** Both sides in a few words; where those are the same, the first evidence that is not. Long beginnings alike are left out. */
function sides(finding: Finding): readonly [string, string] {
  const isEvidence = finding.changes !== undefined || finding.a.summary === finding.b.summary;
  const [row] = isEvidence ? tellingRows(finding) : [];
  const [a, b] = row ? [row.a, row.b] : [finding.a.summary, finding.b.summary];
  const [x, y] = [a.split(' '), b.split(' ')];
  const alike = Math.max(
    0,
    x.findIndex((word, i) => word !== y[i]),
  );
  const skip = x.slice(0, alike).join(' ').length;
  return skip < LONG_BEGINNING ? [a, b] : [`… ${x.slice(alike).join(' ')}`, `… ${y.slice(alike).join(' ')}`];
}

/** What was declared or taken out. */
function settled(findings: readonly Finding[], room: number): string {
  const of = (state: Finding['state']): string =>
    findings
      .filter((finding) => finding.state === state)
      .map(({ title, a, b }) => `${title.toLowerCase()} (${a.summary} on A, ${b.summary} on B)`)
      .join('; ');
  return (
    [
      ['Intended:', of('intended')],
      ['Aligned:', of('aligned')],
    ] as const
  )
    .filter(([, words]) => words !== '')
    .map(([label, words]) => clip(bullet(label, words, room, 0), 2, room))
    .join('\n');
}

/** All that cannot be judged, with one remedy. */
function unknowns(findings: readonly Finding[], room: number): string {
  const open = findings.filter(({ state, assumed }) => state === 'unknown' && assumed === undefined);
  if (open.length === 0) return '';
  const remedy = open.find((finding) => finding.remedy !== undefined)?.remedy;
  const titles = open.map(({ title }) => title.toLowerCase()).join(', ');
  return [
    clip(bullet(`not recorded (${open.length}):`, titles, room, 0), 2, room),
    ...(remedy === undefined ? [] : [bullet('remedy:', remedy, room, 0)]),
  ].join('\n');
}

const LEGENDS = [
  { verdict: 'confounded', words: '~ confounded: what differs (by its number) moves this figure too.' },
  { verdict: 'undetermined', words: '? cannot be told: what is not recorded may move this figure.' },
] as const;

function metrics(comparison: Comparison, room: number): string {
  const { stage, rows } = keyMetrics(comparison);
  if (stage === undefined || rows.length === 0) return '';
  const numbers = numbered(comparison.findings);
  const count = comparison.stages.length;
  const where = comparison.stages[stage]!.label;
  const more = count === 1 ? '' : `At ${clean(where)}, of ${count} loads the one where they differ most:\n`;
  const table = rows.map((row) => {
    const { label: name, a, b, percent } = metricCells(row);
    const mark = row.verdict === 'confounded' ? '~' : row.verdict === 'undetermined' ? '?' : '';
    // What is not recorded has no numbers on this screen.
    const words = row.verdict === 'undetermined' ? 'cannot be told' : shortVerdict(row, numbers);
    return [mark, name, a, b, percent, intervalWords(row), words];
  });
  const legends = LEGENDS.filter(({ verdict }) => rows.some((row) => row.verdict === verdict));
  const head = ['', count === 1 ? clean(where) : 'metric', 'A', 'B', 'B − A', '95 % interval', ''];
  return [
    more + columns([head, ...table], { room, right: [2, 3, 4, 5], shrink: [1, 6] }),
    ...legends.map(({ words }) => wrap(words, room)),
    ...requestLines(comparison, stage)
      .slice(0, 1)
      .map((line) => wrap(clean(line), room)),
  ].join('\n');
}

/** In percent of A as the difference beside it; in the metric's own unit where A may be 0. */
function intervalWords({ difference, unit }: MetricComparison): string {
  const interval = difference?.interval;
  if (!interval) return NOTHING;
  const { percentOfA } = interval;
  return percentOfA
    ? `${percentBound(percentOfA.low)} to ${percentBound(percentOfA.high)} %`
    : `${signedBound(interval.low)} to ${signedBound(interval.high)} ${unit}`;
}

function percentBound(value: number): string {
  return signedPercent(value).replace(' %', '');
}

/** The numbers of a claim stand in the table above it: of a long one the first lines are enough here. */
function claimed({ claim }: Comparison, room: number): string {
  return claim.text === undefined
    ? clip(wrap(claim.noClaim ?? '', room), NO_CLAIM_LINES, room)
    : clip(wrap(`Claim: ${claim.text}`, room), CLAIM_LINES, room);
}

/** Whether both sides gave the same answers, where that could be told. */
function answersLine({ answers }: Comparison, room: number): string {
  return answers && answers.state !== 'not-comparable' ? clip(wrap(answers.words, room), 2, room) : '';
}

/** How much more there is, and how to see it. */
function rest(comparison: Comparison, room: number): string {
  const { findings, pitfalls, notes, unmatched, metrics: all } = comparison;
  const same = findings.filter(({ state }) => state === 'same' || state === 'follows').length;
  const assumed = assumptionsOf(findings).map(({ title }) => title.toLowerCase());
  const codes = new Set(pitfalls.map(({ code }) => code)).size;
  const said = notes.length + unmatched.length;
  const more = [
    'evidence, remedies',
    `all ${counted(all.length, 'number')}`,
    ...(said > 0 ? [counted(said, 'note')] : []),
    ...(codes > 0 ? [counted(codes, 'known pitfall')] : []),
  ];
  const named = assumed.length > MOST_ASSUMED ? `${assumed.length} more` : assumed.join(', ');
  return [
    wrap(
      `The same: ${same} of ${counted(findings.length, 'check')}${named === '' ? '' : `; assumed equal: ${named}`}.`,
      room,
    ),
    wrap(`--all shows ${more.slice(0, -1).join(', ')} and ${more.at(-1)!}.`, room),
  ].join('\n');
}
