// Prometheus' text exposition format, version 0.0.4, and what OpenMetrics adds to it: names, labels, values.
import { own } from '../own';

export interface MetricSample {
  /** With its suffix: `_total`, `_bucket`, `_sum`, `_count`. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** NaN and infinities as the server wrote them. */
  readonly value: number;
}

export interface MetricsText {
  readonly samples: readonly MetricSample[];
  /** One-based numbers of lines that are neither samples nor comments. */
  readonly unreadable: readonly number[];
}

/** Reads a whole page. Comments (HELP, TYPE, UNIT, EOF), timestamps and exemplars are passed over. */
export function parseMetricsText(text: string): MetricsText {
  const samples: MetricSample[] = [];
  const unreadable: number[] = [];
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const sample = parseSample(line);
    if (sample) samples.push(sample);
    else unreadable.push(index + 1);
  }
  return { samples, unreadable };
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
/** Value, and after it a timestamp or an exemplar, which are not needed. */
const VALUE = /^\s*([^\s#]+)(\s|$)/;

function parseSample(line: string): MetricSample | undefined {
  const name = NAME.exec(line)?.[0];
  if (name === undefined) return undefined;
  const rest = line.slice(name.length);
  const labelled = rest.trimStart().startsWith('{') ? parseLabels(rest, rest.indexOf('{') + 1) : { labels: {}, end: 0 };
  if (!labelled) return undefined;
  const written = VALUE.exec(rest.slice(labelled.end))?.[1];
  const value = written === undefined ? undefined : parseValue(written);
  return value === undefined ? undefined : { name, labels: labelled.labels, value };
}

const LABEL = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"/y;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', '\\': '\\', '"': '"' };

/** Labels from behind the brace on; undefined when they do not end. A comma may stand before the closing brace. */
function parseLabels(text: string, start: number): { labels: Record<string, string>; end: number } | undefined {
  const labels: Record<string, string> = {};
  let at = start;
  for (;;) {
    while (text[at] === ' ' || text[at] === '\t' || text[at] === ',') at++;
    if (text[at] === '}') return { labels, end: at + 1 };
    LABEL.lastIndex = at;
    const label = LABEL.exec(text);
    if (!label) return undefined;
    let value = '';
    for (at = LABEL.lastIndex; text[at] !== '"'; at++) {
      if (at >= text.length) return undefined;
      if (text[at] === '\\') value += own(ESCAPES, text[++at] ?? '') ?? `\\${text[at] ?? ''}`;
      else value += text[at]!;
    }
    at++;
    labels[label[1]!] = value;
  }
}

/** Go's number words beside plain numbers. */
function parseValue(text: string): number | undefined {
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return Number.NaN;
  const value = Number(text);
  return Number.isNaN(value) ? undefined : value;
}
