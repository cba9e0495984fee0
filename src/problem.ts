// What went wrong, as data: every expected error in the product is one of these.

export type Severity = 'error' | 'warning' | 'information';

/** Keys and indexes from the document's root to a value, e.g. ['load', 'stages', 0, 'rate']. */
export type ConfigPath = readonly (string | number)[];

/** Zero-based lines and UTF-16 columns; the end is exclusive. */
export interface TextRange {
  readonly startLine: number;
  readonly startColumn: number;
  readonly endLine: number;
  readonly endColumn: number;
}

export interface Problem {
  /** Stable and documented, e.g. `CFG004`. Prefixes: YML yaml text, CFG config model, CMP comparability pitfall, RUN running, REP report. */
  readonly code: string;
  readonly severity: Severity;
  readonly path: ConfigPath;
  /** What is wrong, consequence first, in the user's words; one sentence or two. */
  readonly message: string;
  /** Which of the causes that share the code, where code decides on it: never on the words. */
  readonly reason?: 'not-ours' | 'plain-text' | 'python-object' | 'by-product';
  /** What to do about it. */
  readonly remedy?: string;
  /** Where in the text; absent when the problem has no place there. */
  readonly range?: TextRange;
  /** The file the range belongs to, when it is not the one being judged. */
  readonly file?: string;
  /** Other places of the same text that the judgement rests on. */
  readonly related?: readonly RelatedPlace[];
}

export interface RelatedPlace {
  readonly path: ConfigPath;
  /** What stands there, e.g. `load.num_workers is 4`. */
  readonly message: string;
  readonly range: TextRange;
}

/** Either a value, or the reasons why there is none. Warnings may accompany a value. */
export type Result<T> =
  | { readonly ok: true; readonly value: T; readonly problems: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** `load.stages[0].rate`, as users write it; the empty path is the document itself. */
export function formatPath(path: ConfigPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

/**
 * A text of somebody else as it can be shown: what steers a terminal or turns the direction of writing (Unicode's bidirectional
 * controls) is written as its escape, so that a message reads in the order it has.
 */
export function legible(text: string): string {
  return text.replace(STEERING, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

// eslint-disable-next-line no-control-regex -- they are what is looked for
const STEERING = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** A problem as `--json` prints it: lines and columns count from 1 as in every other output; the end is exclusive. */
export function problemJson(problem: Problem): Problem {
  const { message, remedy, range, related } = problem;
  return {
    ...problem,
    message: legible(message),
    ...(remedy === undefined ? {} : { remedy: legible(remedy) }),
    ...(range === undefined ? {} : { range: fromOne(range) }),
    ...(related === undefined
      ? {}
      : {
          related: related.map((place) => ({
            ...place,
            message: legible(place.message),
            range: fromOne(place.range),
          })),
        }),
  };
}

function fromOne({ startLine, startColumn, endLine, endColumn }: TextRange): TextRange {
  return { startLine: startLine + 1, startColumn: startColumn + 1, endLine: endLine + 1, endColumn: endColumn + 1 };
}

/** One line as compilers print it: `file:line:col: error CODE message (remedy)`; line and column count from 1. */
export function formatProblem(problem: Problem, file: string): string {
  const name = problem.file ?? file;
  const place = problem.range ? `${name}:${problem.range.startLine + 1}:${problem.range.startColumn + 1}` : name;
  // eslint-disable-next-line house/no-decision-on-prose -- the sentence itself is asked what it shows
  const isNamed = problem.path.length === 0 || problem.message.includes(formatPath(problem.path));
  const key = isNamed ? '' : `${formatPath(problem.path)}: `;
  // eslint-disable-next-line house/no-decision-on-prose -- a full stop where the sentence has none
  const isClosed = /[.!?:]$/.test(problem.message);
  const remedy = problem.remedy === undefined ? '' : `${isClosed ? '' : '.'} Remedy: ${problem.remedy}`;
  return legible(`${place}: ${problem.severity} ${problem.code} ${key}${problem.message}${remedy}`);
}
