// Directives: `# isoperf: ...` comments. They hold what upstream's strict schema has no key for; upstream ignores comments.
// Grammar and meaning: docs/directives.md. A new directive is one entry in DIRECTIVES.
import type { ConfigPath, Problem, TextRange } from '../problem';
import type { Comment } from './yaml/document';
import { nearest } from './model/suggest';
import { KNOWN_TARGETS, NEWEST } from './model/target';

interface DirectiveKind {
  /** Where it may stand: anywhere in the document, at one stage, or either: then a stage's own wins over the document's. */
  readonly scope: 'document' | 'stage' | 'either';
  readonly value: keyof typeof VALUES;
  /** May be written more than once in a document (a stage directive: once per stage). */
  readonly doc: string;
}

export const DIRECTIVES = {
  warmup: {
    scope: 'stage',
    value: 'none',
    doc: 'The stage is sent and recorded, but kept out of the measured window.',
  },
  seed: {
    scope: 'document',
    value: 'seed',
    doc: 'Seed of everything random in the run: arrivals, lengths, prompts. Wins over load.base_seed.',
  },
  target: {
    scope: 'document',
    value: 'target',
    doc: `inference-perf version that will run the file: ${KNOWN_TARGETS}. Findings say what that version accepts, refuses and ignores.`,
  },
  arrivals: {
    scope: 'either',
    value: 'arrivals',
    doc: 'How an open loop spaces its requests: even (equal gaps), burst (all at once) or burst:N (groups of N, equally far apart). The number of requests stays.',
  },
  deadline: {
    scope: 'either',
    value: 'seconds',
    doc: 'Seconds after which a stage sends nothing more; what was not sent is recorded as not sent.',
  },
  grace: {
    scope: 'either',
    value: 'seconds',
    doc: 'Seconds that requests in flight get after the deadline of their stage; then they are cancelled. Default 30.',
  },
  'sweep-rates': {
    scope: 'document',
    value: 'rates',
    doc: 'Rates of the stages of a sweep, in requests/s, separated by spaces: pins what a probe found, so that no probe is sent.',
  },
  'max-completion-tokens': {
    scope: 'document',
    value: 'none',
    doc: 'The length asked for goes into max_completion_tokens instead of max_tokens, for servers that take only that. inference-perf has no such switch.',
  },
  greedy: {
    scope: 'document',
    value: 'none',
    doc: 'Every body carries temperature 0, so that the same prompt has the same answer and the answers of two runs can be compared. inference-perf sends no sampling parameters.',
  },
  media: {
    scope: 'document',
    value: 'media',
    doc: 'noise: generated pictures are filled with noise, as many bytes as a busy photograph, where inference-perf sends one colour.',
  },
} as const satisfies Record<string, DirectiveKind>;

type DirectiveName = keyof typeof DIRECTIVES;

export interface Directive {
  readonly name: DirectiveName;
  readonly value?: string;
  /** `load.stages[i]` for a stage's directive, the root for the document's. */
  readonly path: ConfigPath;
  readonly range: TextRange;
}

/** `# isoperf: disable CMP008 because ...`: these judgements are known and accepted in this document. */
export interface Suppression {
  readonly codes: readonly string[];
  readonly reason: string;
  readonly range: TextRange;
}

/** The lines a stage of `load.stages` takes up, first and last. */
export interface StageLines {
  readonly first: number;
  readonly last: number;
}

export interface DirectiveReading {
  readonly directives: readonly Directive[];
  readonly suppressions: readonly Suppression[];
  readonly problems: readonly Problem[];
  /** How many problems are not listed, because there are so many. */
  readonly more: number;
}

/** What a value must look like; `is` decides, `wants` and `example` say it. */
const VALUES = {
  none: { is: (value: string | undefined) => value === undefined, wants: 'takes no value', example: '' },
  seed: { is: isSeed, wants: 'needs a whole number from 0 up, of at most 39 digits', example: '=42' },
  target: {
    // Which versions there are, and who judges when it is none, says target-choice.ts.
    is: (value: string | undefined) => value !== undefined && value !== '',
    wants: `needs an inference-perf version, such as ${NEWEST}, or main`,
    example: `=${NEWEST}`,
  },
  arrivals: {
    is: (value: string | undefined) => value !== undefined && readArrivals(value) !== undefined,
    wants: 'needs even, burst, or burst:N with N of at least 1',
    example: '=even',
  },
  seconds: {
    is: (value: string | undefined) => value !== undefined && readSeconds(value) !== undefined,
    wants: 'needs a number of seconds above 0',
    example: '=60',
  },
  media: {
    is: (value: string | undefined) => value === 'noise',
    wants: 'needs noise',
    example: '=noise',
  },
  rates: {
    is: (value: string | undefined) => value !== undefined && readRates(value) !== undefined,
    wants: 'needs rates above 0, separated by spaces',
    example: '=5 10 20',
  },
} as const;

/** How a directive asks an open loop to space its requests. */
export type ArrivalsDirective = { readonly kind: 'even' } | { readonly kind: 'burst'; readonly size: number | 'all' };

/** The value of `arrivals=`; undefined when it is none. */
export function readArrivals(value: string): ArrivalsDirective | undefined {
  if (value === 'even') return { kind: 'even' };
  if (value === 'burst') return { kind: 'burst', size: 'all' };
  const size = Number(/^burst:(\d{1,7})$/.exec(value)?.[1]);
  return size >= 1 ? { kind: 'burst', size } : undefined;
}

/** The value of `deadline=` and `grace=`; undefined when it is none. */
export function readSeconds(value: string): number | undefined {
  const seconds = /^\d{1,9}(\.\d{1,9})?$/.test(value) ? Number(value) : 0;
  return seconds > 0 ? seconds : undefined;
}

/** The value of `sweep-rates=`; undefined when it is none. */
export function readRates(value: string): readonly number[] | undefined {
  const rates = value.split(/\s+/).map((part) => readSeconds(part));
  return rates.every((rate) => rate !== undefined) ? rates : undefined;
}

const MARK = /^\s*isoperf\s*:\s*/i;
const SUPPRESS = /^disable\s+([A-Za-z]{3}\d{3}(?:\s*,\s*[A-Za-z]{3}\d{3})*)\s*(?:because\s+(.*))?$/;
/** A directive on a line of its own is looked up from the stage below it, over so many blank lines and comments. */
const MAX_BLANKS = 200;
const MAX_PROBLEMS = 50;

/** Reads all directives of a document. `isBlank(line)` tells lines with nothing but white space or a comment. */
export function readDirectives(
  comments: readonly Comment[],
  stages: readonly StageLines[],
  isBlank: (line: number) => boolean,
): DirectiveReading {
  const directives: Directive[] = [];
  const suppressions: Suppression[] = [];
  const problems: Problem[] = [];
  let more = 0;
  const complain = (found: Problem): void => {
    if (problems.length < MAX_PROBLEMS) problems.push(found);
    else more += 1;
  };
  for (const comment of comments) {
    const mark = MARK.exec(comment.text);
    if (!mark) continue;
    for (const part of splitParts(comment.text.slice(mark[0].length))) {
      const result = readPart(part, comment, stages, isBlank);
      if ('message' in result) {
        complain(result);
        continue;
      }
      if ('codes' in result) {
        suppressions.push(result);
        continue;
      }
      const clash = directives.find((other) => sameTarget(other, result));
      if (clash && clash.value !== result.value) complain(twice(result));
      else if (!clash) directives.push(result);
    }
  }
  return { directives, suppressions, problems, more };
}

/** Parts are separated by commas; a `disable` takes the rest of its comment, because its reason may hold commas. */
function splitParts(text: string): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const comma = /^disable\b/.test(rest) ? -1 : rest.indexOf(',');
    parts.push((comma < 0 ? rest : rest.slice(0, comma)).trim());
    rest = comma < 0 ? '' : rest.slice(comma + 1).trim();
  }
  return parts.length === 0 ? [''] : parts;
}

function readPart(
  part: string,
  comment: Comment,
  stages: readonly StageLines[],
  isBlank: (line: number) => boolean,
): Directive | Suppression | Problem {
  const { range } = comment;
  if (/^disable\b/i.test(part)) return readDisable(part, range);
  const [written = '', ...valueParts] = part.split('=');
  const name = written.trim();
  const value =
    valueParts.length === 0
      ? undefined
      : valueParts
          .join('=')
          .trim()
          .replace(/^(["'])(.*)\1$/, '$2');
  if (!isKnown(name)) return unknown(name, range);
  const kind: DirectiveKind = DIRECTIVES[name];
  const { is, wants, example } = VALUES[kind.value];
  if (!is(value))
    return problem(
      'CFG022',
      `The directive '${name}' ${wants}${value === undefined || kind.value === 'none' ? '' : `, and '${value}' is none`}.`,
      `Write${example === '' ? '' : ' for example'} '# isoperf: ${name}${example}'.`,
      range,
    );
  const atStage = kind.scope === 'document' ? [] : stagePath(comment, stages, isBlank);
  const place = kind.scope === 'either' ? (atStage ?? []) : atStage;
  if (!place)
    return problem(
      'CFG021',
      `The directive '${name}' belongs to one stage, and none begins or goes on at this line; it has no effect.`,
      'Put it at the end of a line of the stage, or on the line just above its `-`.',
      range,
    );
  return { name, path: place, range, ...(value === undefined ? {} : { value }) };
}

function readDisable(part: string, range: TextRange): Suppression | Problem {
  const match = SUPPRESS.exec(part);
  const codes = (match?.[1] ?? '').toUpperCase().split(/\s*,\s*/);
  const reason = (match?.[2] ?? '').trim();
  if (!match)
    return problem(
      'CFG022',
      `'${part}' does not name what to disable.`,
      "Write '# isoperf: disable CMP008 because ...'.",
      range,
    );
  const fixed = codes.find((code) => !code.startsWith('CMP'));
  if (fixed !== undefined)
    return problem(
      'CFG022',
      `${fixed} cannot be disabled: it is an error, not a judgement.`,
      'Only CMP codes can.',
      range,
    );
  if (reason === '')
    return problem(
      'CFG022',
      `Disabling ${codes.join(', ')} needs a reason, so that the next reader knows why.`,
      `Write '# isoperf: disable ${codes.join(', ')} because ...'.`,
      range,
    );
  return { codes, reason, range };
}

function isKnown(name: string): name is keyof typeof DIRECTIVES {
  return Object.hasOwn(DIRECTIVES, name);
}

function isSeed(value: string | undefined): boolean {
  // 128 bits, the most that a generator's state takes in.
  return value !== undefined && /^\d{1,39}$/.test(value);
}

/** A trailing comment belongs to the stage on its line; one on its own line to the stage that begins below it. */
function stagePath(
  comment: Comment,
  stages: readonly StageLines[],
  isBlank: (line: number) => boolean,
): ConfigPath | undefined {
  const line = comment.range.startLine;
  let target = line;
  if (comment.ownLine) {
    while (isBlank(target) && target < line + MAX_BLANKS) target += 1;
    const below = stages.filter((stage) => stage.first === target);
    if (below.length === 1) return ['load', 'stages', stages.indexOf(below[0]!)];
  }
  const around = stages.filter((stage) => stage.first <= line && line <= stage.last);
  // Several stages on one line: which one is meant cannot be told.
  return around.length === 1 ? ['load', 'stages', stages.indexOf(around[0]!)] : undefined;
}

function unknown(name: string, range: TextRange): Problem {
  const words = [...Object.keys(DIRECTIVES), 'disable'];
  const guess = nearest(name, words);
  const message =
    name === '' ? 'This directive is empty.' : `'${name}' is not a directive of IsoPerf, so it has no effect.`;
  const remedy = guess === undefined ? `Known: ${words.join(', ')}.` : `Did you mean '${guess}'?`;
  return problem('CFG020', message, remedy, range);
}

function sameTarget(left: Directive, right: Directive): boolean {
  return left.name === right.name && left.path.join('.') === right.path.join('.');
}

function twice(directive: Directive): Problem {
  return problem(
    'CFG022',
    `'${directive.name}' is given twice with different values; the first one counts.`,
    'Keep one of them.',
    directive.range,
  );
}

function problem(code: string, message: string, remedy: string, range: TextRange): Problem {
  return { code, severity: 'error', path: [], message, remedy, range };
}
