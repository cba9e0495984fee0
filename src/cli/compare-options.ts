// The command line of `isoperf compare`, read and checked.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ALIGNABLE, type Alignable } from '../comparability/align';
import type { DimensionId } from '../comparability/comparison';
import { DIMENSIONS } from '../comparability/dimensions';
import { GATE_CONDITIONS, parseThreshold, type GateCondition, type Threshold } from '../comparability/gate';
import { UsageError } from './command';

export const FORMATS = ['table', 'json', 'markdown'] as const;
export type Format = (typeof FORMATS)[number];

export interface CompareArguments {
  /** Folders of each side, the first first; of a saved comparison, its file alone in `a`. */
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly format: Format;
  readonly out: string | undefined;
  readonly save: string | undefined;
  readonly intended: readonly DimensionId[];
  readonly align: readonly Alignable[];
  readonly stackA: string | undefined;
  readonly stackB: string | undefined;
  /** Undefined: the verdict decides. */
  readonly failOn: readonly GateCondition[] | undefined;
  readonly thresholds: readonly Threshold[];
}

export function compareArguments(args: readonly string[], cwd: string): CompareArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      intended: { type: 'string', multiple: true },
      align: { type: 'string', multiple: true },
      format: { type: 'string' },
      json: { type: 'boolean' },
      out: { type: 'string' },
      save: { type: 'string' },
      'stack-a': { type: 'string' },
      'stack-b': { type: 'string' },
      'fail-on': { type: 'string', multiple: true },
      threshold: { type: 'string', multiple: true },
    },
  });
  const [nameA, nameB, ...more] = positionals;
  const saved = nameA !== undefined && nameB === undefined && nameA.endsWith('.json');
  if (nameA === undefined || (nameB === undefined && !saved) || more.length > 0) {
    throw new UsageError(`two report folders are needed, or one saved comparison (.json); ${positionals.length} given`);
  }
  const thresholds = words(values.threshold).map((text) => {
    const parsed = parseThreshold(text);
    if (typeof parsed === 'string') throw new UsageError(`--threshold ${text}: ${parsed}`);
    return parsed;
  });
  const failOn = values['fail-on'] && oneOf(words(values['fail-on']), GATE_CONDITIONS, '--fail-on', 'a condition');
  if (thresholds.length > 0 && failOn?.includes('regression') !== true) {
    throw new UsageError('--threshold says what a regression is: it needs --fail-on regression');
  }
  const result: CompareArguments = {
    a: folders(nameA, cwd),
    b: nameB === undefined ? [] : folders(nameB, cwd),
    format: formatOf(values.format, values.json === true, values.out),
    out: values.out,
    save: values.save,
    intended: oneOf(
      words(values.intended),
      DIMENSIONS.map(({ id }) => id),
      '--intended',
      'a dimension',
    ),
    align: alignments(words(values.align)),
    stackA: values['stack-a'],
    stackB: values['stack-b'],
    failOn,
    thresholds,
  };
  if (saved) refuseWithSaved(result);
  return result;
}

/** A saved comparison has no runs in it to judge anew. */
function refuseWithSaved({ intended, align, stackA, stackB, save }: CompareArguments): void {
  const anew = [
    intended.length > 0 && '--intended',
    align.length > 0 && '--align',
    (stackA ?? stackB) !== undefined && '--stack-a, --stack-b',
    save !== undefined && '--save',
  ].filter((option) => option !== false);
  if (anew.length > 0) {
    throw new UsageError(
      `${anew.join(', ')}: a saved comparison is shown as it was judged; name the two folders instead`,
    );
  }
}

/** "A1,A2" are repeats of one side, unless a folder has that very name. */
function folders(name: string, cwd: string): string[] {
  if (existsSync(path.resolve(cwd, name))) return [name];
  const parts = name.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

function words(lists: readonly string[] | undefined): string[] {
  const all = (lists ?? []).flatMap((list) => list.split(',').map((name) => name.trim()));
  return [...new Set(all.filter((name) => name !== ''))];
}

function alignments(asked: readonly string[]): readonly Alignable[] {
  return asked.includes('all') ? ALIGNABLE : oneOf(asked, ALIGNABLE, '--align', 'something that can be aligned');
}

function oneOf<T extends string>(asked: readonly string[], known: readonly T[], option: string, what: string): T[] {
  return asked.map((name) => {
    const found = known.find((each) => each === name);
    if (found === undefined) {
      throw new UsageError(`${option} ${name} is no ${what.replace(/^an? /, '')}: it is one of ${known.join(', ')}`);
    }
    return found;
  });
}

function formatOf(asked: string | undefined, json: boolean, out: string | undefined): Format {
  if (json && asked !== undefined && asked !== 'json')
    throw new UsageError(`--json and --format ${asked} exclude each other`);
  if (json) return 'json';
  if (asked === undefined) {
    if (out?.endsWith('.json')) return 'json';
    return out?.endsWith('.md') ? 'markdown' : 'table';
  }
  const format = FORMATS.find((name) => name === asked);
  if (!format) throw new UsageError(`--format ${asked} is unknown: it is one of ${FORMATS.join(', ')}`);
  return format;
}
