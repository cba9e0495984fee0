// Reader of the table that vllm bench serve and SGLang print at their end, as people paste it into issues (peers.md section 9).
import type { CanonicalReport, Measure, ReportScope } from '../canonical';
import { own } from '../../own';
import type { ReportReader } from './reader';
import { settingsOfCommand, settingsTold } from './settings';
import { sglangRun } from './sglang';
import { vllmRun } from './vllm';
import type { Json } from './values';

export const TABLE_HEAD = 'Serving Benchmark Result';

/** Label of a line -> the key of the JSON result. */
const LINES: Readonly<Record<string, string>> = {
  Backend: 'backend',
  'Traffic request rate': 'request_rate',
  'Request rate configured (RPS)': 'request_rate',
  'Burstiness factor': 'burstiness',
  'Maximum request concurrency': 'max_concurrency',
  'Max request concurrency': 'max_concurrency',
  'Max reqeuest concurrency': 'max_concurrency',
  'Successful requests': 'completed',
  'Failed requests': 'failed',
  'Benchmark duration (s)': 'duration',
  'Total input tokens': 'total_input_tokens',
  'Total generated tokens': 'total_output_tokens',
  'Total generated tokens (retokenized)': 'total_output_tokens_retokenized',
  'Request throughput (req/s)': 'request_throughput',
  'Request goodput (req/s)': 'request_goodput',
  'Input token throughput (tok/s)': 'input_throughput',
  'Output token throughput (tok/s)': 'output_throughput',
  'Total Token throughput (tok/s)': 'total_token_throughput',
  'Total token throughput (tok/s)': 'total_token_throughput',
  Concurrency: 'concurrency',
  'Accept length': 'accept_length',
};

const QUANTITIES: Readonly<Record<string, string>> = {
  TTFT: 'ttft',
  TPOT: 'tpot',
  ITL: 'itl',
  E2EL: 'e2el',
  'E2E Latency': 'e2e_latency',
};

/** Of a log, only so many lines before a table can be its own: what was asked is printed as the run begins. */
const LINES_BEFORE = 200;
/** Of a command typed on one line, too. */
const LONGEST_LINE = 4000;
const ASKED = ['request_rate', 'burstiness', 'max_concurrency'];

const LINE =
  /([A-Z][\w ()/.-]*?):\s+([-+]?[\d.,]+(?:e[-+]?\d+)?|nan|inf|None|not set|trace|[\w-]+)\s*(?:\(.*\))?\s*\|?\s*$/i;
const STATISTIC = /^(Mean|Median|Std|Min|Max|P\d{1,2}(?:\.\d+)?) (.+) \(ms\)$/;

interface Table {
  readonly value: Json;
  /** Labels by key, as they stand in the file. */
  readonly labels: ReadonlyMap<string, string>;
  readonly isSglang: boolean;
  /** What was typed before it, where the log shows it. */
  readonly command?: string;
}

function tablesIn(text: string): Table[] {
  // No line of a table is longer.
  const lines = text.split(/\r?\n/).map((line) => line.slice(0, LONGEST_LINE));
  const heads = lines.flatMap((line, index) => (line.includes(TABLE_HEAD) ? [index] : []));
  return heads.flatMap((head, i): Table[] => {
    const end = heads[i + 1] ?? lines.length;
    const close = lines.findIndex((line, index) => index > head && index < end && /={20,}/.test(line));
    const before = lines.slice(Math.max(heads[i - 1] ?? 0, head - LINES_BEFORE), head);
    const values = new Map<string, unknown>();
    const labels = new Map<string, string>();
    const take = (line: string, keys?: readonly string[]): void => {
      const [, name = '', word = ''] = LINE.exec(line) ?? [];
      const found = labelIn(name.trim());
      const key = found === undefined ? undefined : keyOf(found);
      if (key === undefined || (keys && !keys.includes(key))) return;
      values.set(key, valueOf(key, word));
      labels.set(key, found!);
    };
    for (const line of before) take(line, ASKED);
    for (const line of lines.slice(head + 1, close < 0 ? end : close)) take(line);
    if (!values.has('completed') || !values.has('duration')) return [];
    const isSglang = values.has('total_output_tokens_retokenized') || values.has('backend');
    // SGLang's result has another name for it.
    if (isSglang && values.has('total_token_throughput'))
      values.set('total_throughput', values.get('total_token_throughput'));
    const command = commandIn(before);
    return [{ value: Object.fromEntries(values), labels, isSglang, ...(command === undefined ? {} : { command }) }];
  });
}

const COMMAND = /\b(?:vllm bench serve|sglang\.bench_serving|benchmark_serving\.py)\b.*/;

/** The last command of either tool, its continued lines joined. */
function commandIn(lines: readonly string[]): string | undefined {
  const joined = lines
    .join('\n')
    .replaceAll(/\\\s*\n/g, ' ')
    .split('\n');
  return joined.flatMap((line) => COMMAND.exec(line)?.[0] ?? []).at(-1);
}

function printedKeys(
  keys: NonNullable<ReportScope['keys']>,
  labels: ReadonlyMap<string, string>,
): NonNullable<ReportScope['keys']> {
  return Object.fromEntries(Object.entries(keys).map(([what, key]) => [what, labels.get(key) ?? key]));
}

/** The longest end of a line's words that is a label: a log puts its own words before them. */
function labelIn(name: string): string | undefined {
  const words = name.split(' ');
  return words.map((_, i) => words.slice(i).join(' ')).find((end) => keyOf(end) !== undefined);
}

function keyOf(line: string): string | undefined {
  const [, statistic, quantity = ''] = STATISTIC.exec(line) ?? [];
  const name = own(QUANTITIES, quantity);
  if (statistic === undefined || name === undefined) return own(LINES, line);
  return `${statistic.toLowerCase()}_${name}_ms`;
}

function valueOf(key: string, word: string): unknown {
  if (key === 'backend') return word;
  if (/^(?:none|not set|nan|trace)$/i.test(word)) return null;
  if (/^inf$/i.test(word)) return 'inf';
  return Number(word.replaceAll(',', ''));
}

function reportOf({ value, labels, isSglang, command }: Table, file: string, name: string): CanonicalReport {
  const report = isSglang ? sglangRun(value, file, name) : vllmRun(value, file, name);
  const asPrinted = (one: Measure): Measure => ({
    ...one,
    source: { ...one.source, key: labelOf(one.source.key, labels) },
  });
  return {
    ...report,
    versionClass: { name: 'printed table', evidence: [`'${TABLE_HEAD}'`] },
    scopes: report.scopes.map((scope) => ({
      ...scope,
      ...(scope.keys ? { keys: printedKeys(scope.keys, labels) } : {}),
      measures: scope.measures.map(asPrinted),
    })),
    told: [...(report.told ?? []), ...(command === undefined ? [] : settingsTold(settingsOfCommand(command), file))],
    assumptions: [
      isSglang
        ? 'output tokens are the server’s usage where it came beside the text, else the length asked for; the table does not say which'
        : 'output tokens are the server’s usage; where it sent none, the client tokenized, and the table does not say which',
      'figures are rounded to two decimals',
    ],
    notRecorded: [
      'what was sent (data set, lengths, seed, sampling, ignore_eos)',
      'model, tokenizer and server',
      'when it ran, and which version of the tool',
      'warm-up',
      ...(value['failed'] === undefined ? ['failed requests'] : []),
      ...(value['request_rate'] === undefined ? ['request rate'] : []),
      'per-request records (no intervals, no recomputation)',
    ],
  };
}

/** `*_ttft_ms` -> `TTFT (ms)`; a key of its own -> its label. */
function labelOf(key: string, labels: ReadonlyMap<string, string>): string {
  const single = labels.get(key) ?? (key === 'total_throughput' ? labels.get('total_token_throughput') : undefined);
  if (single !== undefined) return single;
  const name = key.replace(/^\*_|_ms$/g, '');
  const quantity = Object.entries(QUANTITIES).find(([, one]) => one === name)?.[0];
  return quantity === undefined ? key : `${quantity} (ms)`;
}

export const servingTableReader: ReportReader = {
  tool: 'the printed table of vllm bench serve and SGLang',
  recognise: ({ format, value }) =>
    format === 'text' && typeof value === 'string' && tablesIn(value).length > 0
      ? { role: 'result', evidence: `'${TABLE_HEAD}'` }
      : undefined,
  read: ({ documents }) => ({
    reports: documents.flatMap(({ file, value }) =>
      tablesIn(value as string).map((table, index, all) =>
        reportOf(table, file, all.length === 1 ? file : `${file}, table ${index + 1}`),
      ),
    ),
    problems: [],
  }),
};
