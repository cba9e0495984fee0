// Values -> YAML that PyYAML reads back as the same values: the saved config.yaml, with IsoPerf's directives as comments.
import type { ConfigPath } from '../problem';
import { isObject } from '../own';

/** A comment for the line on which the value at this path begins, without the `#`. */
export type CommentAt = (path: ConfigPath) => string | undefined;

/** Block style, two spaces; numbers and quoting so that YAML 1.1 (PyYAML) and 1.2 read the same. */
export function toYaml(value: Readonly<Record<string, unknown>>, commentAt: CommentAt = () => undefined): string {
  const lines: string[] = [];
  writeMap(value, '', [], lines, commentAt);
  return `${lines.join('\n')}\n`;
}

function writeMap(
  map: Readonly<Record<string, unknown>>,
  indent: string,
  path: ConfigPath,
  lines: string[],
  commentAt: CommentAt,
): void {
  for (const [key, value] of Object.entries(map)) {
    const place = [...path, key];
    writeValue(`${indent}${scalar(key)}:`, value, `${indent}  `, place, lines, commentAt);
  }
}

function writeValue(
  head: string,
  value: unknown,
  indent: string,
  path: ConfigPath,
  lines: string[],
  commentAt: CommentAt,
): void {
  const comment = commentAt(path);
  const tail = comment === undefined ? '' : ` # ${comment}`;
  if (Array.isArray(value) && value.length > 0) {
    lines.push(head + tail);
    value.forEach((item, index) => writeItem(item, indent, [...path, index], lines, commentAt));
  } else if (isObject(value) && Object.keys(value).length > 0) {
    lines.push(head + tail);
    writeMap(value, indent, path, lines, commentAt);
  } else {
    lines.push(`${head} ${scalar(value)}${tail}`);
  }
}

/** `- ` and the item, a map's first key on the same line: where a directive of the item stands. */
function writeItem(item: unknown, indent: string, path: ConfigPath, lines: string[], commentAt: CommentAt): void {
  if (!isObject(item) || Object.keys(item).length === 0) {
    writeValue(`${indent}-`, item, `${indent}  `, path, lines, commentAt);
    return;
  }
  const at = lines.length;
  writeMap(item, `${indent}  `, path, lines, commentAt);
  const comment = commentAt(path);
  lines[at] = `${indent}- ${lines[at]!.trimStart()}${comment === undefined ? '' : ` # ${comment}`}`;
}

/** Words that YAML 1.1 takes for something else than text. */
const NOT_TEXT = /^(?:y|n|yes|no|on|off|true|false|null|~)$/i;
/** A text that needs no quotes anywhere: a letter first, then letters, digits, and punctuation that means nothing to YAML. */
const PLAIN = /^[A-Za-z_][\w./+-]*$/;

function scalar(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'string') return PLAIN.test(value) && !NOT_TEXT.test(value) ? value : quoted(value);
  // Booleans, empty lists and maps read the same in JSON and YAML.
  return JSON.stringify(value);
}

/** Line breaks of YAML 1.1 that JSON leaves as they are would be folded to a space, and what PyYAML cannot print it refuses. */
const ODD = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

function quoted(text: string): string {
  return JSON.stringify(text).replace(ODD, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** YAML 1.1 takes `1e-7` for text: a float with an exponent needs its point. */
function numberText(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  // A whole number in Python's eyes too: with an exponent it would come back as a float.
  const text = Number.isInteger(value) ? String(BigInt(value)) : String(value);
  return /^-?\d+e/.test(text) ? text.replace('e', '.0e') : text;
}
