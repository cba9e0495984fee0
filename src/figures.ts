// Numbers as the views and Markdown print them: three significant digits, grouped thousands, a real minus, units in words.

/** What stands where there is no number. */
export const NOTHING = '–';

/** Three significant digits: 52.3, 0.0412, 1,230. For tables. */
export function significant(value: number): string {
  if (!Number.isFinite(value)) return NOTHING;
  if (value === 0) return '0';
  const sign = value < 0 ? '−' : '';
  const size = Math.abs(value);
  const shown = Number(size.toPrecision(3));
  // Beyond a quadrillion a double has no whole digits left to group.
  if (shown >= 1e15) return sign + size.toExponential(2);
  if (shown >= 1000) return sign + shown.toLocaleString('en-US', { maximumFractionDigits: 0 });
  if (shown < 1e-4) return sign + size.toExponential(2);
  return sign + size.toPrecision(3);
}

/**
 * For sentences and settings: no grouping, no trailing zeros, three significant digits at least and every digit before the point.
 * 20, 0.333, 1234.
 * @param digits at most so many significant ones
 */
export function rounded(value: number, digits = 15): string {
  const cut = Number(value.toPrecision(digits));
  if (cut === 0 || !Number.isFinite(cut)) return String(cut);
  const whole = Math.max(3, Math.floor(Math.log10(Math.abs(cut))) + 1);
  return String(Number(cut.toPrecision(Math.min(whole, 15))));
}

/** With its sign, zero without: "+12.3", "−4". */
export function signed(value: number, print: (size: number) => string = significant): string {
  const sign = value > 0 ? '+' : value < 0 ? '−' : '';
  return sign + print(Math.abs(value));
}

/** A difference in percent with its sign and two decimals at most, which is more than any run can tell: "+0.04 %"; "0 %" below. */
export function signedPercent(value: number): string {
  if (!Number.isFinite(value)) return value < 0 ? 'under −1e300 %' : 'over 1e300 %';
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  const shown = size >= 1e6 ? significant(size) : size.toFixed(digits);
  return Number(shown) === 0 ? '0 %' : `${value < 0 ? '−' : '+'}${shown} %`;
}

/** The end of an interval in two digits, as it is an estimate itself: "+1.2", "−340". */
export function signedBound(value: number): string {
  const size = Math.abs(value);
  const text = size >= 100 ? whole(size) : size < 1e-4 ? '0' : size.toPrecision(2);
  return text === '0' ? text : `${value < 0 ? '−' : '+'}${text}`;
}

/** A whole number with grouped thousands. */
export function whole(value: number): string {
  if (Math.abs(value) >= 1e15) return significant(value);
  return Math.round(value).toLocaleString('en-US').replace('-', '−');
}

/** Seconds in the unit a reader expects: "52.3 ms", "12.4 s". */
export function duration(seconds: number): string {
  return Math.abs(seconds) >= 1 ? `${significant(seconds)} s` : `${significant(seconds * 1000)} ms`;
}

/** Seconds of a run: "45 s", "3 min 05 s", "1 h 02 min". */
export function span(seconds: number): string {
  const total = Math.round(seconds);
  if (total < 60) return total < 10 && total !== seconds ? `${significant(seconds)} s` : `${total} s`;
  const minutes = Math.floor(total / 60);
  if (minutes < 60)
    return total % 60 === 0 ? `${minutes} min` : `${minutes} min ${String(total % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** "1 request", "1,240 requests". */
export function counted(count: number, noun: string): string {
  return `${whole(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** 0..1 as "4.2 %". */
export function percent(share: number): string {
  return `${significant(share * 100)} %`;
}

/** An ISO time as "2026-11-29 16:54 UTC"; anything else as it is. */
export function moment(iso: string): string {
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})/.exec(iso);
  return match ? `${match[1]!} ${match[2]!} UTC` : iso;
}

/** JSON of values that may hold whole numbers beyond a double's digits, as 64-bit seeds are; they come out as texts. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_key, entry: unknown) => (typeof entry === 'bigint' ? String(entry) : entry), indent);
}

/** The same as a JSON number of all its digits: for readers that keep them, such as Python's. */
export function jsonDigits(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map((entry) => jsonDigits(entry)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return value === undefined ? 'null' : JSON.stringify(value);
  const fields = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return `{${fields.map(([key, entry]) => `${JSON.stringify(key)}:${jsonDigits(entry)}`).join(',')}}`;
}
