// A comparison as Markdown, fit for a pull request: verdict, findings, metrics; nothing in it depends on colour.
import type {
  Comparison,
  ComparedRun,
  Finding,
  MetricComparison,
  InterpolatedLoad,
} from '../../comparability/comparison';
import { runNames } from '../../comparability/identity';
import { assumptionsOf } from '../../comparability/verdict';
import { requestLines } from './requests';
import {
  interpolatedCells,
  metricCells,
  movesWords,
  needsReader,
  numbered,
  tellingRows,
  VERDICT_WORDS,
  verdictWords,
} from './words';

export function comparisonMarkdown(comparison: Comparison): string {
  const { verdict, claim, findings } = comparison;
  const [a, b] = runNames(comparison.a, comparison.b);
  const shown = findings.filter(needsReader);
  const assumed = assumptionsOf(findings);
  const same = findings.filter((finding) => finding.state === 'same');
  const following = findings.filter((finding) => finding.state === 'follows');
  return [
    `## ${VERDICT_WORDS[verdict.state]}: ${escape(a)} (A) and ${escape(b)} (B)`,
    escape(verdict.sentence),
    runs(comparison),
    ...shown.map((finding, i) => findingText(finding, i + 1)),
    `Same: ${same.map(({ title }) => title.toLowerCase()).join(', ') || 'nothing'}.`,
    following.length === 0
      ? ''
      : `Not judged by themselves: ${following.map((finding) => followsWords(finding, findings)).join(', ')}.`,
    assumed.length === 0
      ? ''
      : `Assumed, recorded on neither side: ${assumed.map((finding) => `${finding.title.toLowerCase()} (${escape(finding.assumed!)})`).join('; ')}.`,
    ...comparison.stages.map((stage, i) => metricsTable(comparison, stage.label, i)),
    ...(comparison.interpolated ?? []).map((load) => interpolatedTable(load, findings)),
    claim.text === undefined ? `**No claim.** ${escape(claim.noClaim ?? '')}` : `**Claim.** ${escape(claim.text)}`,
    [...comparison.unmatched, ...comparison.notes].map((note) => `- ${escape(note)}`).join('\n'),
    pitfalls(comparison),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

/** Folded: long, and no verdict by itself. */
function pitfalls({ pitfalls: seen }: Comparison): string {
  if (seen.length === 0) return '';
  const rows = seen.map(({ code, title, side, words, accepted }) => {
    const why = accepted === undefined ? '' : ` (${escape(accepted)}; it is listed all the same)`;
    return `| ${code} | ${side === 'between' ? 'the pair' : side} | **${escape(title)}.** ${escape(words)}${why} |`;
  });
  return [
    `<details><summary>${seen.length} ${seen.length === 1 ? 'pitfall' : 'pitfalls'} seen</summary>`,
    '',
    '| Pitfall | Shown by | What was seen |',
    '| --- | --- | --- |',
    ...rows,
    '',
    '</details>',
  ].join('\n');
}

function followsWords({ title, follows }: Finding, findings: readonly Finding[]): string {
  const cause = findings.find(({ dimension }) => dimension === follows);
  return `${title.toLowerCase()} (follows from ${cause?.title.toLowerCase() ?? follows ?? ''})`;
}

function runs({ a, b }: Comparison): string {
  const row = (label: string, of: (run: ComparedRun) => string | undefined): string =>
    `| ${label} | ${escape(of(a) ?? 'not recorded')} | ${escape(of(b) ?? 'not recorded')} |`;
  return [
    '| | A | B |',
    '| --- | --- | --- |',
    row('Folder', (run) => run.folder),
    row('Started', (run) => run.startedAt),
    row('Tool', (run) => run.tool),
    row('Endpoint', (run) => run.endpoint),
    row('Model', (run) => run.model),
    row('Load', (run) => run.load),
    row('State', (run) => run.state),
  ].join('\n');
}

function findingText(finding: Finding, number: number): string {
  const lines = [
    `### ${number}. ${finding.state}: ${finding.title} (\`${finding.dimension}\`${finding.pitfall === undefined ? '' : `, ${finding.pitfall}`})`,
    '',
    escape(finding.message),
    '',
    '| Read at | A | B |',
    '| --- | --- | --- |',
    ...tellingRows(finding).map((row) => `| ${escape(row.place)} | ${escape(row.a)} | ${escape(row.b)} |`),
    '',
    `Moves: ${movesWords(finding.moves)}.`,
  ];
  if (finding.remedy !== undefined) lines.push('', `Remedy: ${escape(finding.remedy)}`);
  if (finding.alignable) {
    const { possible, words } = finding.alignable;
    lines.push(
      '',
      `${possible ? `Could be aligned (\`--align ${finding.dimension}\`)` : 'Cannot be aligned'}: ${escape(words)}`,
    );
  }
  return lines.join('\n');
}

function metricsTable(comparison: Comparison, label: string, stage: number): string {
  const { metrics, findings } = comparison;
  const numbers = numbered(findings);
  const rows = metrics.filter((metric) => metric.stage === stage).map((metric) => metricRow(metric, numbers));
  if (rows.length === 0) return '';
  return [
    `#### ${escape(label)}`,
    '',
    '| Metric | A | B | B − A | of A | 95 % interval of B − A | |',
    '| --- | ---: | ---: | ---: | ---: | ---: | --- |',
    ...rows,
    ...requestLines(comparison, stage).flatMap((line) => ['', escape(line)]),
  ].join('\n');
}

function interpolatedTable({ label, words, rows }: InterpolatedLoad, findings: readonly Finding[]): string {
  const lines = rows.map((row) => {
    const cells = interpolatedCells(row, findings);
    return `| ${cells.label} | ${cells.a} | ${cells.b} | ${cells.percent} | ${escape(cells.words)} |`;
  });
  const head = ['', '| Metric | A | B | of A | Also differs |', '| --- | ---: | ---: | ---: | --- |'];
  const text = `#### ${escape(label)}, ${escape(words)}`;
  if (rows.length === 0) return text;
  const caution = 'A straight line between two loads, not a measurement: in no verdict, claim or gate.';
  return [text, ...head, ...lines, '', caution].join('\n');
}

function metricRow(metric: MetricComparison, numbers: ReadonlyMap<string, number>): string {
  const cells = metricCells(metric);
  // Never struck through: a line through a minus sign falsifies it. The last column says that it is confounded.
  const figures = [cells.a, cells.b, cells.difference, cells.percent, cells.interval];
  return `| ${cells.label} | ${figures.join(' | ')} | ${escape(verdictWords(metric, numbers))} |`;
}

/** Reports are hostile input: no HTML, no links, no broken tables from a folder's texts. */
function escape(text: string): string {
  return text
    .replace(/[\\`*_[\]|<>~]/g, (character) =>
      character === '<' ? '&lt;' : character === '>' ? '&gt;' : `\\${character}`,
    )
    .replace(/\s*[\r\n]+\s*/g, ' ');
}
