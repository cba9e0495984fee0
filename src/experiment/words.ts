// An experiment's report in words: the sentence that answers, and the same as text and Markdown.
import { counted, percent, rounded, signed } from '../figures';
import { shown } from './keys';
import type { Calibration, ExperimentReport, PrimaryAnswer, WhyOpen } from './report';

const OPEN: Readonly<Record<WhyOpen, string>> = {
  confounded: 'cannot be compared: something else differs and moves it',
  unknown: 'cannot be judged: what moves it was not recorded',
  'not-measured': 'was not measured in every block',
  'too-few-blocks': 'needs more blocks',
  'not-a-look': 'is not looked at yet: the next planned look decides',
  drift: 'drift is not excluded: the sides did not take even turns',
  'aa-shows-a-difference': 'no claim: A against A differs too',
  'aa-wider-than-the-margin': 'no claim: A against A is wider than the margin',
  chance: 'may be chance',
};

/** "+3.1 %", "+0.4 requests". */
export function change(value: number, { scale, metric }: Pick<PrimaryAnswer, 'scale' | 'metric'>): string {
  return scale === 'ratio'
    ? `${signed(value * 100, (size) => rounded(size, 3))} %`
    : signed(value, (size) => shown(metric, size));
}

function range(answer: PrimaryAnswer): string {
  const { interval } = answer;
  if (!interval) return '';
  return `${rounded(interval.level * 100, 4)} % interval ${change(interval.low, answer)} to ${change(interval.high, answer)}`;
}

/** One primary metric: "TTFT p95 is lower on B by 4.1 % (95 % interval -5.2 % to -3 %), which is better". */
export function answerWords(answer: PrimaryAnswer): string {
  const { metric, difference, kind, why, margin, better, furtherBlocks } = answer;
  if (difference === undefined) return `${metric.label}: ${OPEN[why ?? 'too-few-blocks']}`;
  const size = `${change(difference, answer)} on B (${range(answer)})`;
  if (kind === 'equivalent') return `${metric.label}: equivalent within the margin ${margin ?? ''}: ${size}`;
  if (kind === 'different') {
    const judged = better === undefined ? '' : better === 'b' ? ', better' : ', worse';
    const beyond =
      margin === undefined
        ? ''
        : answer.beyondMargin === true
          ? `, beyond the margin ${margin}`
          : `; not shown to lie beyond the margin ${margin}`;
    return `${metric.label}: different, ${size}${judged}${beyond}`;
  }
  const settle =
    furtherBlocks === undefined ? '' : `; about ${counted(furtherBlocks, 'further block')} would settle it`;
  return `${metric.label}: inconclusive, ${OPEN[why ?? 'chance']}: ${size}${settle}`;
}

const ENDED = {
  looks: 'as planned',
  budget: 'by its budget of time',
  void: 'because too many slots were void',
} as const;

export function answerSentence(report: ExperimentReport): string {
  const { blocks, answer, primary, furtherBlocks } = report;
  const rest = primary.map(labelled(report)).join('; ');
  const after = `After ${counted(blocks.whole, 'block')} of A B B A`;
  switch (answer) {
    case 'different':
      return `Different. ${after}: ${rest}.`;
    case 'equivalent':
      return `Equivalent within the margin. ${after}: ${rest}.`;
    case 'confounded':
      return `No answer: ${report.change?.state === 'more' ? report.change.words : 'the sides differ in more than the change under test'}. ${rest}.`;
    case 'inconclusive': {
      const why = report.change?.state === 'absent' ? ` ${report.change.words}.` : '';
      const more =
        furtherBlocks === undefined
          ? ''
          : ` A new experiment with ${counted(blocks.whole + furtherBlocks, 'block')} should settle it; blocks added to this one would be looks that nobody planned.`;
      return `Inconclusive.${why} ${after}: ${rest}.${more}`;
    }
  }
}

function labelled({ loads }: ExperimentReport): (answer: PrimaryAnswer) => string {
  return (answer) => `${loads.length > 1 ? `at ${answer.load}, ` : ''}${answerWords(answer)}`;
}

/** For terminals and files: the answer first, then what it rests on. */
export function reportLines(report: ExperimentReport, markdown: boolean): string[] {
  const head = (text: string): string[] => (markdown ? ['', `## ${text}`, ''] : ['', text]);
  const item = (text: string): string => (markdown ? `- ${text}` : `  ${text}`);
  const { blocks, looks, obstacles, calibration, voids, answers } = report;
  const state = report.ended === undefined ? 'still running' : `ended ${ENDED[report.ended]}`;
  return [
    markdown ? `# ${report.question}` : report.question,
    ...(markdown ? [''] : []),
    markdown ? `**${answerSentence(report)}**` : answerSentence(report),
    ...head('Primary metrics'),
    ...table(report.primary, markdown),
    ...head('What it rests on'),
    item(
      `${counted(blocks.whole, 'whole block')} of ${blocks.planned}, ${counted(blocks.void, 'void block')}; ${state}`,
    ),
    item(
      `Looks after ${looks.planned.join(', ')} blocks, each at ${rounded(looks.alpha * 100, 3)} %; Holm over ${counted(report.primary.length, 'primary number')}; Student’s t over blocks`,
    ),
    ...report.primary.flatMap(({ exact, metric, smallestSeen: least, scale }) => [
      ...(exact
        ? [
            item(
              `${metric.label}: exact sign-flip p ${rounded(exact.p, 3)} (${blocks.whole} blocks reach ${rounded(exact.least, 3)} at least)`,
            ),
          ]
        : []),
      ...(least === undefined
        ? []
        : [
            item(
              `${metric.label}: a true difference of ${scale === 'ratio' ? percent(least) : shown(metric, least)} would be seen in four of five such experiments`,
            ),
          ]),
    ]),
    ...(report.change ? [item(`The change: ${report.change.words}`)] : []),
    ...(answers ? [item(answers.words)] : []),
    ...calibration.map((entry) => item(calibrationWords(entry))),
    ...obstacles.map(({ state: how, title, message, remedy }) =>
      item(
        `${how === 'confounds' ? 'Confounds' : 'Not known'}: ${title}: ${message}${remedy === undefined ? '' : ` Remedy: ${remedy}`}`,
      ),
    ),
    ...voids.map(({ slot, why }) => item(`Void: ${slot}: ${why.join('; ')}`)),
    ...(report.descriptive.length > 0 && markdown
      ? [...head('Everything else (unadjusted, no claim)'), ...table(report.descriptive, markdown)]
      : []),
  ];
}

function calibrationWords({ metric, load, interval, slotDeviation, placeEffect, verdict }: Calibration): string {
  const means = {
    fine: 'fine',
    'shows-a-difference': 'it shows a difference where there is none',
    'wider-than-the-margin': 'wider than the margin',
  }[verdict];
  return `A against A, ${metric.label} at ${load}: ${rounded(interval.low * 100, 3)} to ${rounded(interval.high * 100, 3)} %, ${percent(slotDeviation)} from slot to slot, ${percent(placeEffect)} from the first to the second half of a block: ${means}`;
}

function table(answers: readonly PrimaryAnswer[], markdown: boolean): string[] {
  const rows = answers.map((answer) => [
    answer.metric.label,
    answer.load,
    answer.a === undefined ? '–' : shown(answer.metric, answer.a),
    answer.b === undefined ? '–' : shown(answer.metric, answer.b),
    answer.difference === undefined ? '–' : change(answer.difference, answer),
    answer.interval ? `${change(answer.interval.low, answer)} … ${change(answer.interval.high, answer)}` : '–',
    answer.why === 'chance' || answer.why === undefined ? answer.kind : OPEN[answer.why],
  ]);
  const heads = ['Metric', 'Load', 'A', 'B', 'B against A', 'Interval', 'Answer'];
  if (markdown)
    return [
      `| ${heads.join(' | ')} |`,
      `|${' --- |'.repeat(heads.length)}`,
      ...rows.map((row) => `| ${row.join(' | ')} |`),
    ];
  const widths = heads.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i]!.length)));
  return [heads, ...rows].map(
    (row) =>
      `  ${row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd()}`,
  );
}
