// Syntax errors of the YAML parser in the user's words.
import type { Problem } from '../../problem';
import type { Lines } from './lines';
import { own } from '../../own';

interface SyntaxFault {
  readonly code: string;
  readonly message: string;
  readonly pos: readonly [number, number];
}

const SYNTAX: Readonly<Record<string, { message: string; remedy?: string }>> = {
  TAB_AS_INDENT: { message: 'A tab indents this line; YAML allows only spaces.', remedy: 'Replace the tab by spaces.' },
  BAD_INDENT: {
    message: 'The indentation of this line fits no level above it.',
    remedy: 'Align it with its neighbours.',
  },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'A second `key:` stands on one line, or the indentation is wrong.',
    remedy: 'Put text that holds `: ` in quotes, or start a new line.',
  },
  MULTILINE_IMPLICIT_KEY: { message: 'A key goes over several lines; perhaps a `:` is missing.' },
  MISSING_CHAR: { message: 'A closing quote, bracket, brace, comma or `:` is missing.' },
  BAD_SCALAR_START: {
    message: 'A value begins with a character that YAML reserves (such as @, ` or %).',
    remedy: 'Put it in quotes.',
  },
  BAD_ALIAS: {
    message: 'An alias (*name) points to no anchor (&name) above it.',
    remedy: 'Put text with * in quotes.',
  },
  UNEXPECTED_TOKEN: {
    message: 'Something stands here that YAML does not expect: a quote, comma or line break may be missing.',
    remedy: 'Put text with braces, brackets or quotes inside in quotes.',
  },
  BAD_DQ_ESCAPE: { message: 'Unknown escape in double quotes.', remedy: 'Double the backslash or use single quotes.' },
  KEY_OVER_1024_CHARS: { message: 'A key is longer than 1024 characters.' },
};

export function syntaxProblem(error: SyntaxFault, text: string, lines: Lines): Problem {
  const known = own(SYNTAX, error.code) ?? { message: `This is not valid YAML: ${error.message}.` };
  const [start] = error.pos;
  const bounded = Math.min(start, text.length);
  const base: Problem = {
    code: error.code === 'TAB_AS_INDENT' ? 'YML005' : 'YML001',
    severity: 'error',
    path: [],
    message: known.message,
    range: lines.range(bounded, Math.min(lineEnd(text, bounded), Math.max(bounded, error.pos[1]))),
  };
  return known.remedy === undefined ? base : { ...base, remedy: known.remedy };
}

/** One broken line breaks the parser's picture of the rest: what follows the first error is noise. */
export function oneSyntaxError(problems: readonly Problem[]): readonly Problem[] {
  const place = (problem: Problem): number => (problem.range?.startLine ?? 0) * 1e6 + (problem.range?.startColumn ?? 0);
  const sorted = [...problems].sort((left, right) => place(left) - place(right));
  const first = sorted.find((problem) => problem.severity === 'error')!;
  return [first, ...problems.filter((problem) => problem.severity !== 'error')];
}

/** Offset of the end of the line an offset is on. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  if (end < 0) return text.length;
  return end > offset && text[end - 1] === '\r' ? end - 1 : end;
}
