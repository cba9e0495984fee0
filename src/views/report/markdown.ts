// A report view as Markdown, fit for a pull request: the same texts as on the page, nothing added.
import type { ReportView, StageTable } from './model';

export function reportMarkdown(view: ReportView): string {
  const notes = view.notes.map((note) =>
    [`- **${plain(note.title)}**`, ...[note.detail, note.remedy].filter((part) => part !== undefined).map(plain)].join(
      ' ',
    ),
  );
  const parts = [
    `## ${plain(view.title)}`,
    view.identity.map(plain).join(' · '),
    `**${plain(view.state.words)}**`,
    ...(notes.length > 0 ? ['### Before you read on', notes.join('\n')] : []),
    '### Stages',
    stagesMarkdown(view.stages),
    '### What the charts show',
    view.charts
      .flatMap((group) =>
        group.choices.map((choice) => {
          const name = group.choices.length > 1 ? `${group.title} (${choice.label})` : group.title;
          return `- ${plain(name)}: ${plain(choice.sentence)}`;
        }),
      )
      .join('\n'),
    ...view.provenance.flatMap((group) => [
      `### ${plain(group.title)}`,
      group.facts
        .map(
          (fact) =>
            `- ${plain(fact.label)}: ${plain(fact.value)}${fact.note === undefined ? '' : ` (${plain(fact.note)})`}`,
        )
        .join('\n'),
    ]),
  ];
  return parts.join('\n\n') + '\n';
}

function stagesMarkdown(table: StageTable): string {
  const head = [
    'Stage',
    ...table.groups.flatMap((group) => group.columns.map((column) => headOf(group.label, column, group.unit))),
  ];
  const rows = table.rows.map((row) => [
    row.warmup ? `${row.label} (warm-up)` : row.label,
    ...row.cells.map((cell) => (cell.weak === true && cell.text !== '–' ? `(${cell.text})` : cell.text)),
  ]);
  const line = (cells: readonly string[]): string => `| ${cells.map(plain).join(' | ')} |`;
  const weak = table.rows.some((row) => row.cells.some((cell) => cell.weak === true && cell.text !== '–'));
  return [
    line(head),
    `| --- |${' ---: |'.repeat(head.length - 1)}`,
    ...rows.map(line),
    ...(weak ? ['', 'In brackets: too few requests, or a client under strain.'] : []),
  ].join('\n');
}

function headOf(label: string, column: string, unit: string | undefined): string {
  const name = `${label} ${column}`.trim();
  return unit === undefined ? name : `${name}, ${unit}`;
}

/** Report texts come from files of others: nothing in them may act as Markdown or HTML. */
function plain(text: string): string {
  return text.replace(/[\\`*_{}[\]<>|#]/g, (sign) => `\\${sign}`).replace(/\s*\n\s*/g, ' ');
}
