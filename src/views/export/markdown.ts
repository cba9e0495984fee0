// An imported report as Markdown, fit for a pull request: what it is, what is wrong with it, the numbers, what is not known.
import { violated } from '../../audit/identities';
import { isDisagreement, verdictSentence, type JudgedReport } from '../../audit/in-one-sentence';
import { partsTable, quantityTables, type Table } from './tables';

export function canonicalMarkdown(judged: JudgedReport): string {
  const { report, judgement, problems } = judged;
  const broken = violated(judgement);
  const version = report.toolVersion === undefined ? '' : ` ${report.toolVersion}`;
  const identity = [
    `${report.tool}${version} (${report.versionClass.name})`,
    ...(report.model === undefined ? [] : [`model ${report.model}`]),
    ...(report.startedAt === undefined ? [] : [report.startedAt]),
  ];
  const parts = [
    `## ${plain(report.name)}`,
    identity.map(plain).join(' · '),
    `**${plain(verdictSentence(judged))}**`,
    ...list(
      '### Violated identities',
      broken.map(({ scope, message, statement, cause, pitfall }) =>
        [
          `${scope}: ${message ?? statement}.`,
          ...(cause === undefined ? [] : [`Likely cause: ${cause}.`]),
          ...(pitfall === undefined ? [] : [pitfall]),
        ].join(' '),
      ),
    ),
    ...list(
      '### What its requests say against it',
      problems.filter(isDisagreement).map(({ message }) => message),
    ),
    ...list(
      '### Before you read on',
      judgement.cautions.map(({ scope, message }) => `${scope}: ${message}`),
    ),
    '### Parts',
    table(partsTable(report)),
    ...quantityTables(report).flatMap((one) => [`#### ${plain(one.title)}`, table(one)]),
    ...list('### What the tool says of itself', report.ownVerdict ?? []),
    ...list('### Assumed', report.assumptions),
    ...(report.notRecorded.length === 0 ? [] : ['### Not recorded', plain(report.notRecorded.join('; '))]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function list(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [title, items.map((item) => `- ${plain(item)}`).join('\n')];
}

function table({ head, rows, right }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(plain).join(' | ')} |`;
  const rule = head.map((_, i) => (right.includes(i) ? '---:' : '---'));
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

/** Texts of a report come from others: nothing in them may act as Markdown, HTML or a mention. */
function plain(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').replace(/[\\`*_{}[\]<>|#@~]/g, (sign) => `\\${sign}`);
}
