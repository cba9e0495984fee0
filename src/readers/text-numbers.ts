// Numbers that stand as texts where a report has numbers: readers leave them out, so it is said.
import type { Problem } from '../problem';
import type { SourceDocument } from './readers/reader';

/** Names of counts, times, rates and their statistics, in any tool's spelling; a user's metadata has other names. */
const OF_NUMBERS =
  /(?:^|_)(?:mean|avg|median|std|std_dev|stddev|stdDev|min|max|p\d+|count|counts|total|completed|failed|failures|successful|errored|duration|throughput|num_prompts|seconds|value)(?:_|$)/;
/** Readers that know a tool to write such texts read them. */
const READ_AS_TEXT: readonly string[] = ['llmperf', 'genai-perf', 'MLPerf'];
const NUMBER = /^\s*-?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?\s*$/;
const MAX_DEPTH = 12;
const MAX_LEAVES = 50_000;

interface Found {
  readonly key: string;
  readonly text: string;
}

/** @returns one problem for a document; the first few keys are named */
export function textNumbers({ file, value }: SourceDocument, tool: string): Problem[] {
  if (READ_AS_TEXT.includes(tool)) return [];
  const found: Found[] = [];
  let left = MAX_LEAVES;
  const walk = (entry: unknown, key: string, depth: number): void => {
    if (depth > MAX_DEPTH || left-- <= 0) return;
    if (Array.isArray(entry)) entry.slice(0, 50).forEach((one, i) => walk(one, `${key}[${i}]`, depth + 1));
    else if (typeof entry === 'object' && entry !== null) {
      for (const [name, inner] of Object.entries(entry)) {
        const place = key === '' ? name : `${key}.${name}`;
        if (typeof inner === 'string' && OF_NUMBERS.test(name) && NUMBER.test(inner))
          found.push({ key: place, text: inner });
        else walk(inner, place, depth + 1);
      }
    }
  };
  walk(value, '', 0);
  if (found.length === 0) return [];
  const named = found.slice(0, 5).map(({ key, text }) => `${key} is "${text}"`);
  const more = found.length > named.length ? `, and ${found.length - named.length} more` : '';
  return [
    {
      code: 'REP122',
      severity: 'warning',
      path: [],
      message: `${file}: ${named.join(', ')}${more}: a text where a number belongs, which is not read`,
      remedy:
        'Write it without quotes; a tool that was changed on the way (a spreadsheet, a template) may have put them',
      file,
    },
  ];
}
