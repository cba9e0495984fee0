// What PyYAML's safe_load makes of a scalar: YAML 1.1 implicit types, and the explicit tags it knows.
// The patterns are PyYAML 6.0's (yaml.resolver); `1e3`, `0o10`, `y` and `n` stay text, `010` is 8, `1:30` is 90.
import { ForeignValue } from '../model/lax';

export type ScalarValue = null | boolean | number | bigint | string | ForeignValue;
export type ScalarResult = { readonly value: ScalarValue } | { readonly error: string };

const TAG = 'tag:yaml.org,2002:';
const TRUE = /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const NULL = /^(?:~|null|Null|NULL|)$/;
const INT =
  /^(?:[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;
const FLOAT =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const TIMESTAMP =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)?$/;

/** Tag that an untagged plain scalar gets; undefined for text. */
function implicitTag(text: string): string | undefined {
  if (TRUE.test(text) || FALSE.test(text)) return `${TAG}bool`;
  if (NULL.test(text)) return `${TAG}null`;
  // PyYAML asks in this order: a text that fits both is a float.
  if (FLOAT.test(text)) return `${TAG}float`;
  if (INT.test(text)) return `${TAG}int`;
  if (isTimestamp(text)) return `${TAG}timestamp`;
  if (text === '<<') return `${TAG}merge`;
  if (text === '=') return `${TAG}value`;
  if (text === '!' || text === '&' || text === '*') return `${TAG}yaml`;
  return undefined;
}

function isTimestamp(text: string): boolean {
  // The implicit form needs two-digit months and days unless a time follows.
  return DATE.test(text) || (TIMESTAMP.test(text) && text.includes(':'));
}

/** Most numbers of a config: short, decimal, without a sign. Every pattern below that is asked first refuses them. */
const SHORT_INT = /^(?:0|[1-9]\d{0,14})$/;

/** The value of a scalar. `tag` is the explicit tag; `plain` whether implicit typing applies without one. */
export function scalarValue(text: string, tag: string | undefined, plain: boolean): ScalarResult {
  if (plain && tag === undefined && SHORT_INT.test(text)) return { value: Number(text) };
  const kind = tag === undefined || tag === '!' ? (plain || tag === '!' ? implicitTag(text) : undefined) : tag;
  switch (kind) {
    case undefined:
    case `${TAG}str`:
      return { value: text };
    case `${TAG}null`:
      return { value: null };
    case `${TAG}bool`:
      return boolValue(text);
    case `${TAG}int`:
      return intValue(text);
    case `${TAG}float`:
      return floatValue(text);
    case `${TAG}timestamp`:
      return timestampValue(text);
    case `${TAG}binary`:
      return binaryValue(text);
    default:
      return { error: `inference-perf's YAML reader does not know the tag ${shortTag(kind)}` };
  }
}

export function shortTag(tag: string): string {
  return tag.startsWith(TAG) ? `!!${tag.slice(TAG.length)}` : tag;
}

function boolValue(text: string): ScalarResult {
  const word = text.toLowerCase();
  if (/^(?:yes|true|on)$/.test(word)) return { value: true };
  if (/^(?:no|false|off)$/.test(word)) return { value: false };
  return { error: `'${text}' is not a boolean` };
}

function sexagesimal(digits: string): number {
  return digits.split(':').reduce((total, part) => total * 60 + Number(part), 0);
}

function intValue(text: string): ScalarResult {
  let digits = text.replaceAll('_', '').trim();
  const sign = digits.startsWith('-') ? -1n : 1n;
  digits = digits.replace(/^[+-]/, '');
  const read = (): bigint | number | undefined => {
    if (/^0b[01]+$/.test(digits) || /^0x[0-9a-fA-F]+$/.test(digits)) return BigInt(digits);
    if (/^0[0-7]+$/.test(digits)) return BigInt(`0o${digits.slice(1)}`);
    if (/^\d+(?::\d+)+$/.test(digits)) return BigInt(Math.trunc(sexagesimal(digits)));
    if (/^(?:0|[1-9]\d*)$/.test(digits)) return BigInt(digits);
    return undefined;
  };
  if (digits.length > 4300) return { error: 'the number has more than 4300 digits' };
  const value = read();
  if (value === undefined) return { error: `'${text}' is not a whole number` };
  const whole = sign * BigInt(value);
  const number = Number(whole);
  return { value: Number.isSafeInteger(number) ? number : whole };
}

function floatValue(text: string): ScalarResult {
  let digits = text.replaceAll('_', '').toLowerCase().trim();
  const sign = digits.startsWith('-') ? -1 : 1;
  digits = digits.replace(/^[+-]/, '');
  if (digits === '.inf' || digits === 'inf' || digits === 'infinity') return { value: sign * Infinity };
  if (digits === '.nan' || digits === 'nan') return { value: Number.NaN };
  if (digits.includes(':') && /^[\d.:]+$/.test(digits)) return { value: sign * sexagesimal(digits) };
  if (/^(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/.test(digits)) return { value: sign * Number(digits) };
  return { error: `'${text}' is not a number` };
}

/** Bytes that are UTF-8 count as the text they spell, as pydantic takes them. */
function binaryValue(text: string): ScalarResult {
  const base64 = text.replace(/\s/g, '');
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return { error: `'${text}' is not base64` };
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  try {
    return { value: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { value: new ForeignValue('binary', text) };
  }
}

function timestampValue(text: string): ScalarResult {
  const parts = TIMESTAMP.exec(text);
  if (!parts) return { error: `'${text}' is not a date` };
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part || 0));
  const days = new Date(Date.UTC(2000, month, 0)).getUTCDate(); // 2000 is a leap year
  const leap = (year! % 4 === 0 && year! % 100 !== 0) || year! % 400 === 0;
  const last = month === 2 && !leap ? 28 : days;
  const valid = year! > 0 && month! >= 1 && month! <= 12 && day! >= 1 && day! <= last;
  if (!valid || hour! > 23 || minute! > 59 || second! > 59) return { error: `'${text}' is not a date that exists` };
  return { value: new ForeignValue('date', text) };
}
