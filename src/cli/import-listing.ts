// One report as text: identity, parts, numbers with their sources, assumptions, gaps, violated identities.
import { isPerRequest, printedIn, QUANTITIES, shortLabel, type QuantityId } from '../metrics/quantities';
import type { CanonicalReport, Definition, Measure, ReportScope } from '../readers/canonical';
import { NOTHING, significant, whole } from '../figures';
import { violated } from '../audit/identities';
import type { Identity, Judgement } from '../audit/identity';
import { isDisagreement, reportVerdict, type JudgedReport } from '../audit/in-one-sentence';
import { bullet, clean, columns, wrap } from './text-layout';

interface ListingOptions {
  readonly columns: number;
  readonly all: boolean;
}

export function importListing(judged: JudgedReport, options: ListingOptions): string {
  const { report, judgement, problems } = judged;
  const width = Math.max(60, options.columns);
  const broken = violated(judgement);
  const sections = [
    head(judged, width),
    section('Parts', partsTable(report, width)),
    section('Numbers (ms; lengths in tokens)', numbersTable(report, width)),
    section('Single figures', figuresTable(report, width)),
    section('Where the numbers are from', sourcesTable(report, width)),
    serverSection(report, width),
    listSection('Assumed', report.assumptions, width),
    listSection('Not recorded', report.notRecorded.length > 0 ? [report.notRecorded.join('; ')] : [], width),
    listSection('What the tool says of itself', report.ownVerdict ?? [], width),
    listSection(
      'Other facts',
      report.facts.map(({ label, value, source }) => `${label}: ${value} (${source})`),
      width,
    ),
    section(
      broken.length > 0 ? 'Violated identities' : 'Identities',
      broken.length > 0
        ? identityLines(broken, width)
        : wrap(
            judgement.identities.length === 0
              ? 'none could be checked'
              : `none of ${judgement.identities.length} that could be checked is violated`,
            width,
            2,
          ),
    ),
    listSection(
      'What its requests say against it',
      problems.filter(isDisagreement).map(({ message }) => message),
      width,
    ),
    options.all ? section('Identities that hold', heldLines(judgement, width)) : '',
    listSection('To know before reading on', cautionLines(judgement), width),
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

function head(judged: JudgedReport, width: number): string {
  const { report } = judged;
  const version = report.toolVersion === undefined ? '' : ` ${report.toolVersion}`;
  const facts: (readonly [string, string | undefined])[] = [
    ['version', report.versionClass.name],
    ['recognised by', report.versionClass.evidence.join('; ')],
    [
      'files',
      `${report.files.slice(0, 4).join(', ')}${report.files.length > 4 ? ` and ${report.files.length - 4} more` : ''}`,
    ],
    ['started', report.startedAt],
    ['model', report.model],
    ['endpoint', report.endpoint],
    ['tokenizer', report.tokenizer],
    ['seed', report.seed],
  ];
  const lines = facts.flatMap(([label, value]) =>
    value === undefined ? [] : [bullet(label.padEnd(13), value, width, 2)],
  );
  const title = wrap(`${report.tool}${version}: ${report.name}`, width);
  return [title, bullet('verdict      ', reportVerdict(judged).words, width, 2), ...lines].join('\n');
}

function section(title: string, body: string): string {
  return body === '' ? '' : `${title}\n${body}`;
}

function listSection(title: string, items: readonly string[], width: number): string {
  return section(title, items.map((item) => bullet('-', item, width, 2)).join('\n'));
}

function partsTable(report: CanonicalReport, width: number): string {
  const stopped = report.scopes.some(({ counts }) => (counts.cancelled ?? 0) > 0);
  const rows = report.scopes.map((scope) => [
    scope.label + (scope.warmup === true ? ' (warm-up)' : ''),
    scope.load.words,
    count(scope.counts.ok),
    count(scope.counts.failed),
    ...(stopped ? [count(scope.counts.cancelled)] : []),
    scope.windowSeconds === undefined ? NOTHING : significant(scope.windowSeconds.value),
    ...IN_PARTS.map((id) => rate(scope, id)),
  ]);
  if (rows.length === 0) return '';
  const header = [
    ...['part', 'load', 'ok', 'failed', ...(stopped ? ['incomplete'] : [])],
    ...['window s', ...IN_PARTS.map(shortLabel)],
  ];
  const right = header.map((_, i) => i).slice(2);
  return columns([header, ...rows], { room: width, indent: 2, right, shrink: [0, 1] });
}

function count(value: number | undefined): string {
  return value === undefined ? NOTHING : whole(value);
}

function rate(scope: ReportScope, id: Measure['quantity']): string {
  const value = scope.measures.find(({ quantity }) => quantity === id)?.stats['value'];
  return value === undefined ? NOTHING : significant(value);
}

const SHOWN = ['mean', 'stdDev', 'min', 'p50', 'p90', 'p95', 'p99', 'max'] as const;

function numbersTable(report: CanonicalReport, width: number): string {
  const rows = report.scopes.flatMap((scope) =>
    scope.measures
      .filter(({ quantity }) => isPerRequest(quantity))
      .map((measure) => [scope.label, label(measure), ...SHOWN.map((name) => figure(measure, name))]),
  );
  if (rows.length === 0) return '';
  const header = ['part', 'quantity', 'mean', 'std', 'min', 'p50', 'p90', 'p95', 'p99', 'max'];
  return columns([header, ...rows], { room: width, indent: 2, right: [2, 3, 4, 5, 6, 7, 8, 9], shrink: [0, 1] });
}

/** Rates and levels that have no column among the parts. */
const IN_PARTS: readonly QuantityId[] = ['requests_per_sec', 'input_tokens_per_sec', 'output_tokens_per_sec'];

function figuresTable(report: CanonicalReport, width: number): string {
  const rows = report.scopes.flatMap((scope) =>
    scope.measures
      .flatMap(({ quantity, stats }) => {
        const { unit, label: name } = QUANTITIES[quantity];
        const value = stats['value'] ?? stats['mean'];
        if (isPerRequest(quantity) || value === undefined || IN_PARTS.includes(quantity)) return [];
        return [[scope.label, name, significant(value), unit]];
      })
      .concat(goodputRows(scope)),
  );
  return rows.length === 0 ? '' : columns(rows, { room: width, indent: 2, right: [2], shrink: [0, 1] });
}

/** The tool's own, by its own definition: rates, shares and counts under its names. */
function goodputRows({ label: part, goodput }: ReportScope): string[][] {
  return Object.entries(goodput?.stats ?? {}).map(([name, value]) => [
    part,
    name.replaceAll('_', ' '),
    significant(value),
    name === 'request_goodput' ? QUANTITIES.request_goodput.unit : '',
  ]);
}

function label({ quantity, definition }: Measure): string {
  const name = QUANTITIES[quantity].label;
  const lengths = quantity === 'prompt_tokens' || quantity === 'output_tokens';
  if (lengths && definition.tokens !== undefined) return `${name} (${definition.tokens.replaceAll('-', ' ')})`;
  return definition.weighting === 'tokens' ? `${name}, token-weighted` : name;
}

function figure({ quantity, stats }: Measure, name: string): string {
  const value = stats[name];
  if (value === undefined) return NOTHING;
  return significant(value * printedIn(QUANTITIES[quantity]).factor);
}

/** One line per quantity: the first part that has it stands for all. */
function sourcesTable(report: CanonicalReport, width: number): string {
  const seen = new Set<string>();
  const rows = report.scopes.flatMap(({ measures }) =>
    measures.flatMap((measure) => {
      const name = label(measure);
      if (seen.has(name)) return [];
      seen.add(name);
      const { key, factor } = measure.source;
      return [[name, factor === 1 ? key : `${key} x ${significant(factor)}`, define(measure)]];
    }),
  );
  return rows.length === 0 ? '' : columns(rows, { room: width, indent: 2, shrink: [0, 1, 2] });
}

function define({ quantity, definition, derived }: Measure): string {
  const words: string[] = [QUANTITIES[quantity].words];
  const say = (text: string | undefined): void => {
    if (text !== undefined) words.push(text);
  };
  say(startWords(definition));
  if (definition.end !== undefined) say(`ends at the ${definition.end.replace('-', ' ')}`);
  if (definition.weighting === 'tokens') say('weighted by tokens');
  if (definition.tokens !== undefined) say(`counted: ${definition.tokens.replaceAll('-', ' ')}`);
  if (definition.percentiles !== undefined) say(`percentiles: ${definition.percentiles.replace('-', ' ')}`);
  if (definition.stdDev !== undefined) say(`std: ${definition.stdDev}`);
  if (definition.window !== undefined) say(`window: ${definition.window}`);
  say(definition.note);
  say(derived);
  return words.join('; ');
}

function startWords({ start, anchor }: Definition): string | undefined {
  const anchors = {
    'first-content': 'first token = first content that is not empty',
    'first-content-or-reasoning': 'first token = first content or reasoning',
    'first-chunk': 'first token = first chunk, be it empty',
    server: "the server's own clock",
  } as const;
  const from = start === 'schedule' ? 'from the scheduled time' : undefined;
  const to = anchor === undefined ? undefined : anchors[anchor];
  return from === undefined ? to : to === undefined ? from : `${from}, ${to}`;
}

function serverSection(report: CanonicalReport, width: number): string {
  const rows = report.scopes.flatMap(({ label: name, server }) => {
    if (!server) return [];
    const figures = server.measures.map((measure) => {
      const unit = QUANTITIES[measure.quantity].unit === 's' ? ' ms' : '';
      return `${QUANTITIES[measure.quantity].label} ${figure(measure, measure.stats['mean'] === undefined ? 'value' : 'mean')}${unit}`;
    });
    return [
      [name, `${server.count === undefined ? NOTHING : whole(server.count)} requests`, figures.join(', '), server.file],
    ];
  });
  return section(
    'What the server says',
    rows.length === 0 ? '' : columns(rows, { room: width, indent: 2, shrink: [0, 2, 3] }),
  );
}

/** Violations of one identity together: what it says, each part's figures, the cause once where it is the same. */
function identityLines(broken: readonly Identity[], width: number): string {
  const groups = new Map<string, Identity[]>();
  for (const identity of broken) groups.set(identity.id, [...(groups.get(identity.id) ?? []), identity]);
  return [...groups.values()]
    .map((group) => {
      const first = group[0]!;
      const causes = [...new Set(group.map(({ cause }) => cause))];
      const code = first.pitfall === undefined ? '' : ` [${first.pitfall}]`;
      return [
        wrap(`${first.statement} (tolerance: ${first.tolerance})${code}`, width, 2),
        ...together(group).flatMap(({ scopes, message, cause }) => [
          bullet(`${clean(scopes)}:`, message ?? '', width, 4),
          ...(causes.length > 1 && cause !== undefined ? [bullet('likely cause:', cause, width, 6)] : []),
        ]),
        ...(causes.length === 1 && causes[0] !== undefined ? [bullet('likely cause:', causes[0], width, 4)] : []),
      ].join('\n');
    })
    .join('\n');
}

/** Parts about which the same is said stand on one line. */
function together(
  group: readonly Identity[],
): { scopes: string; message: string | undefined; cause: string | undefined }[] {
  const lines = new Map<string, { names: string[]; message: string | undefined; cause: string | undefined }>();
  for (const { scope, message, cause } of group) {
    const key = `${message ?? ''}|${cause ?? ''}`;
    const line = lines.get(key);
    if (line) line.names.push(scope);
    else lines.set(key, { names: [scope], message, cause });
  }
  return [...lines.values()].map(({ names, message, cause }) => ({ scopes: names.join(', '), message, cause }));
}

function heldLines({ identities }: Judgement, width: number): string {
  const rows = identities
    .filter(({ holds }) => holds)
    .map(({ scope, statement, left, right, tolerance }) => [
      scope,
      statement,
      significant(left),
      significant(right),
      tolerance,
    ]);
  return rows.length === 0 ? '' : columns(rows, { room: width, indent: 2, right: [2, 3], shrink: [1, 4] });
}

/** The same words about several parts are said once. */
function cautionLines({ cautions }: Judgement): string[] {
  const scopes = new Map<string, string[]>();
  for (const { scope, message, pitfall } of cautions) {
    const text = `${message} [${pitfall}]`;
    scopes.set(text, [...(scopes.get(text) ?? []), scope]);
  }
  return [...scopes].map(([text, names]) => `${names.join(', ')}: ${text}`);
}
