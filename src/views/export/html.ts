// An imported report as one HTML file: no script, no link, no request; whatever the report says stays text.
import { violated } from '../../audit/identities';
import { isDisagreement, reportVerdict, verdictSentence, type JudgedReport } from '../../audit/in-one-sentence';
import { partsTable, quantityTables, type Table } from './tables';
import { own } from '../../own';

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1f2328;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse;margin:.5rem 0 1.5rem;width:100%}
caption{text-align:left;font-weight:600;padding:.3rem 0}th,td{padding:.2rem .6rem;border-bottom:1px solid #d0d7de;text-align:left;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}.bad{border-left:4px solid #b3261e;padding-left:.8rem}
@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}th,td{border-color:#30363d}}`;

export function canonicalHtml(judged: readonly JudgedReport[]): string {
  const title = judged.length === 1 ? judged[0]!.report.name : `${judged.length} reports`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${judged.map(article).join('\n')}
</body>
</html>
`;
}

function article(judged: JudgedReport): string {
  const { report, judgement, problems } = judged;
  const broken = violated(judgement);
  const version = report.toolVersion === undefined ? '' : ` ${report.toolVersion}`;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Tool', `${report.tool}${version}`],
    ['Version', `${report.versionClass.name}: ${report.versionClass.evidence.join('; ')}`],
    ['Started', report.startedAt],
    ['Model', report.model],
    ['Endpoint', report.endpoint],
    ['Tokenizer', report.tokenizer],
    ['Files', report.files.join(', ')],
  ];
  const violations = broken.map(
    ({ scope, message, statement, tolerance, cause, pitfall }) =>
      `${scope}: ${message ?? statement} (${statement}; tolerance ${tolerance}).${cause === undefined ? '' : ` Likely cause: ${cause}.`}${pitfall === undefined ? '' : ` ${pitfall}`}`,
  );
  const against = [...violations, ...problems.filter(isDisagreement).map(({ message }) => message)];
  return [
    '<article>',
    `<h1>${escaped(report.name)}</h1>`,
    reportVerdict(judged).bad
      ? `<section class="bad"><h2>${escaped(verdictSentence(judged))}</h2>${against.length === 0 ? '' : items(against)}</section>`
      : `<p>${escaped(verdictSentence(judged))}</p>`,
    section(
      'Before you read on',
      judgement.cautions.map(({ scope, message }) => `${scope}: ${message}`),
    ),
    table({
      title: 'What it is',
      head: ['Fact', 'Value'],
      rows: facts.flatMap(([label, value]) => (value === undefined ? [] : [[label, value]])),
      right: [],
    }),
    table(partsTable(report)),
    ...quantityTables(report).map(table),
    section('Assumed', report.assumptions),
    section('Not recorded', report.notRecorded),
    section('What the tool says of itself', report.ownVerdict ?? []),
    section(
      'Other facts',
      report.facts.map(({ label, value, source }) => `${label}: ${value} (${source})`),
    ),
    '</article>',
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function section(title: string, texts: readonly string[]): string {
  return texts.length === 0 ? '' : `<h2>${escaped(title)}</h2>${items(texts)}`;
}

function items(texts: readonly string[]): string {
  return `<ul>${texts.map((text) => `<li>${escaped(text)}</li>`).join('')}</ul>`;
}

function table({ title, head, rows, right }: Table): string {
  const row = (cells: readonly string[], tag: 'th' | 'td'): string =>
    `<tr>${cells.map((text, i) => `<${tag}${tag === 'th' ? ' scope="col"' : ''}${right.includes(i) ? ' class="n"' : ''}>${escaped(text)}</${tag}>`).join('')}</tr>`;
  return `<table><caption>${escaped(title)}</caption><thead>${row(head, 'th')}</thead><tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody></table>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text of a stranger inside HTML, in an element or an attribute. */
export function escaped(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').replace(/[&<>"']/g, (sign) => own(ENTITIES, sign)!);
}
