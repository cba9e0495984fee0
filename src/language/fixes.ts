// Quick fixes: for a problem with one remedy, the edit that makes it. Comments and formatting around it stay.
import { DIRECTIVES } from '../config/directives';
import type { Reading } from '../config/load';
import { fieldAt } from '../config/model/fields';
import type { KeyFix } from '../config/model/issues';
import { nearest } from '../config/model/suggest';
import { isPitfallCode, pitfallByCode } from '../pitfalls/catalogue';
import { configPitfalls } from '../pitfalls/check';
import { fix, type Fix } from '../pitfalls/fix';
import { type ConfigPath, formatPath, type Problem, type TextRange } from '../problem';
import { at, Page } from './edits';
import { type Asked, overlaps, readings } from './place';
import { stageLines } from './snippets';
import { own } from '../own';

export interface CodeAction extends Fix {
  /** Code of the problem it mends. */
  readonly code: string;
  readonly problem: Problem;
}

export type FixOptions = Asked;

/** The fixes for the problems that touch a range of the file. */
export function codeActions(text: string, range: TextRange, options: FixOptions = {}): readonly CodeAction[] {
  return allActions(text, options).filter(
    (action) => action.problem.range !== undefined && overlaps(action.problem.range, range),
  );
}

/** Every fix of a file, in the order of its problems. */
export function allActions(text: string, options: FixOptions = {}): readonly CodeAction[] {
  return readings(text, options).flatMap((reading) => {
    const judged = reading.loaded ?? reading.partial;
    const pitfalls = judged ? configPitfalls(judged) : [];
    const page = Page.of(reading, text);
    return [...reading.problems, ...pitfalls].flatMap((problem): readonly CodeAction[] => {
      if (!problem.range) return [];
      const { code } = problem;
      const fixes = isPitfallCode(code)
        ? page
          ? pitfallFixes(problem, reading, page, options)
          : []
        : errorFixes(problem, reading, page, text);
      return fixes.map((fix) => ({ ...fix, code, problem }));
    });
  });
}

/** What mends the pitfall; each may besides be accepted with a reason. */
function pitfallFixes(problem: Problem, { loaded }: Reading, page: Page, given: FixOptions): readonly Fix[] {
  const { code } = problem;
  // What a fix would write rests on all of the config: of a refused one only its acceptance is offered.
  const found = loaded ? (pitfallByCode(code)?.mend?.(problem, page, loaded, given) ?? []) : [];
  const line = `# isoperf: disable ${code} because \${1:reason}`;
  const edits = [page.above(page.start(), [line], { snippet: true })];
  return [...found, ...fix(`Accept ${code} in this file, with a reason`, edits, false)];
}

function errorFixes(problem: Problem, reading: Reading, page: Page | undefined, text: string): readonly Fix[] {
  const range = problem.range!;
  const key = reading.fixes.get(problem);
  const value = key?.value;
  if (value !== undefined) return fix(`Change to ${value}`, [{ range, newText: value }], key?.isGuess !== true);
  if (key?.leaveOut === true && page)
    return fix(`Comment out '${String(problem.path.at(-1))}': the default applies`, page.commentOut(problem.path));
  if (problem.code === 'YML005') return fix('Replace the tab by two spaces', [{ range, newText: '  ' }]);
  if (problem.code === 'CFG020') return directiveFix(range, text);
  if (!page) return [];
  switch (problem.code) {
    case 'YML007':
    case 'YML012':
      // Without a difference it does not matter which one goes.
      return fix('Remove the earlier one', page.removeEarlier(range), problem.code === 'YML012');
    case 'CFG001':
      return unknownKey(problem, key, page, range);
    case 'CFG016':
      return ignoredKey(problem, key, page, range);
    case 'CFG003':
      return missing(problem, page);
    case 'CFG006':
      return contradiction(problem, page);
    case 'CFG007':
      return fix(`Comment out '${String(problem.path.at(-1))}': the defaults apply`, page.commentOut(problem.path));
    case 'CFG011':
      return fix(
        'Add a server section',
        page.add(
          ['server'],
          '\nbase_url: ${1:http://localhost:8000}\nmodel_name: ${2:my-model}'.replaceAll('\n', '\n  '),
          {
            snippet: true,
          },
        ),
        false,
      );
    case 'CFG012':
      return fix(
        'Add a stage',
        page.set(
          ['load', 'stages'],
          `\n${stageLines(page.scalar(['load', 'type']))
            .map((line) => `  ${line}`)
            .join('\n')}`,
          {
            snippet: true,
          },
        ),
        false,
      );
    default:
      return remedies(problem, page);
  }
}

/** A key that inference-perf does not know: the nearest name, the place it belongs to, or out of the way. */
function unknownKey(problem: Problem, key: KeyFix | undefined, page: Page, range: TextRange): readonly Fix[] {
  const { path } = problem;
  const name = String(path.at(-1));
  const out = (preferred: boolean): readonly Fix[] =>
    fix(`Comment out '${name}': releases up to v0.6.1 ignore it`, page.commentOut(path), preferred);
  const rename = key?.rename;
  if (rename !== undefined && !page.has([...path.slice(0, -1), rename]))
    return [...fix(`Change to '${rename}'`, [{ range, newText: rename }]), ...out(false)];
  const orphans = orphansOf(path, page);
  if (orphans) {
    const title = `Indent ${orphans.keys.join(', ')} under ${formatPath(orphans.parent)}`;
    const paths = orphans.keys.map((sibling) => [...path.slice(0, -1), sibling]);
    return [...fix(title, page.indent(paths)), ...out(false)];
  }
  const home = key?.moveTo;
  const moved = home && page.move(path, home);
  if (home && moved) {
    const where = home.length === 1 ? 'the top level' : formatPath(home.slice(0, -1));
    return [...fix(`Move '${name}' to ${where}`, moved), ...out(false)];
  }
  return out(true);
}

/** A key that the version ignores: without it the same runs. What was meant may be another name or place. */
function ignoredKey(problem: Problem, key: KeyFix | undefined, page: Page, range: TextRange): readonly Fix[] {
  const { path, remedy = '' } = problem;
  const name = String(path.at(-1));
  const meant = key?.rename ?? key?.moveTo;
  const found = meant === undefined ? [] : unknownKey(problem, key, page, range).slice(0, 1);
  // A newer version is a choice, too.
  const isOnly = found.length === 0 && !/\bor\b/.test(remedy);
  return [...found, ...fix(`Comment out '${name}': it is ignored`, page.commentOut(path), isOnly)];
}

/** Keys that were meant for a sibling above them, which has no value: they were not indented. */
function orphansOf(path: ConfigPath, page: Page): { parent: ConfigPath; keys: readonly string[] } | undefined {
  const above = path.slice(0, -1);
  const siblings = page.keys(above);
  const isKnown = (key: string): boolean => fieldAt([...above, key]) !== undefined;
  const index = siblings.indexOf(String(path.at(-1)));
  const holder = siblings.slice(0, index).findLastIndex(isKnown);
  const name = siblings[holder];
  if (name === undefined || !page.isNull([...above, name])) return undefined;
  const rest = siblings.slice(holder + 1);
  const end = rest.findIndex((key) => isKnown(key) || fieldAt([...above, name, key]) === undefined);
  const keys = end < 0 ? rest : rest.slice(0, end);
  return keys.includes(String(path.at(-1))) ? { parent: [...above, name], keys } : undefined;
}

const EXAMPLES: Readonly<Record<string, string>> = {
  base_url: 'http://localhost:8000',
  rate: '5',
  duration: '60',
  num_requests: '320',
  concurrency_level: '8',
  concurrent_sessions: '8',
};

function missing({ path }: Problem, page: Page): readonly Fix[] {
  const name = String(path.at(-1));
  const words = Object.keys(fieldAt(path)?.enumValues ?? {});
  const example = own(EXAMPLES, name) ?? words[0];
  const text = words.length > 1 ? `\${1|${words.join(',')}|}` : `\${1:${example ?? ''}}`;
  return fix(`Add '${name}'`, page.set(path, text, { snippet: true }), false);
}

/** Two things that exclude each other. */
function contradiction(problem: Problem, page: Page): readonly Fix[] {
  const { path, message } = problem;
  const here = (key: string): ConfigPath => [...path, key];
  if (message.includes('variance') && page.has(here('variance'))) {
    if (!page.has(here('std_dev')))
      return fix(`Add std_dev: 0 to ${formatPath(path)}`, page.before(here('variance'), 'std_dev: 0'));
    return [
      ...fix('Set std_dev: 0, so that variance counts', page.set(here('std_dev'), '0'), false),
      ...fix('Comment out variance, so that std_dev counts', page.commentOut(here('variance')), false),
    ];
  }
  if (message.includes('two names of one field'))
    return fix(`Comment out '${String(path.at(-1))}'`, page.commentOut(path));
  if (message.includes(' above max ')) {
    const [min, max] = [page.scalar(here('min')), page.scalar(here('max'))];
    if (min === undefined || max === undefined) return [];
    return fix('Swap min and max', [...(page.set(here('min'), max) ?? []), ...(page.set(here('max'), min) ?? [])]);
  }
  const both = /sets? .* or choose|has (num_requests|concurrency_level),/.exec(message);
  if (both?.[1] !== undefined)
    return [
      ...fix(`Comment out '${both[1]}'`, page.commentOut(here(both[1])), false),
      ...fix('Set load.type: concurrent', page.set(['load', 'type'], 'concurrent'), false),
    ];
  return remedies(problem, page);
}

/** Blocks that a type cannot do without, with figures to go over. */
const BLOCKS: Readonly<Record<string, string>> = {
  'data.shared_prefix':
    '\n  num_groups: ${1:8}\n  num_prompts_per_group: ${2:8}\n  system_prompt_len: ${3:512}\n  question_len: ${4:128}\n  output_len: ${5:128}',
  'load.trace': '\n  file: ${1:trace.csv}\n  format: AzurePublicDataset',
};

/** Remedies that name a key: "Remove x", "Set a.b: c". Two of them joined by "or" are a choice. */
function remedies({ remedy = '', path }: Problem, page: Page): readonly Fix[] {
  const isOnly = !/\bor\b/.test(remedy);
  const removal = /\bRemove ([a-z_]+)\b/i.exec(remedy)?.[1];
  const setting = /\b(?:Set|set) ((?:api|data|load)\.type): ([a-zA-Z_]+)/.exec(remedy);
  const found: Fix[] = [];
  if (setting) {
    const [, key = '', word = ''] = setting;
    found.push(...fix(`Set ${key}: ${word}`, page.set(key.split('.'), word), isOnly));
  }
  if (removal !== undefined && removal !== 'the') {
    const target =
      [...path, removal].join('.') === path.join('.') || path.at(-1) === removal ? path : [...path, removal];
    if (page.has(target)) found.push(...fix(`Comment out '${removal}'`, page.commentOut(target), isOnly && !setting));
  }
  if (/remove the block/i.test(remedy))
    found.push(...fix(`Comment out '${String(path.at(-1))}'`, page.commentOut(path), false));
  const block = /^Add (data\.shared_prefix|load\.trace)\b/.exec(remedy)?.[1];
  const lines = block === undefined ? undefined : own(BLOCKS, block);
  if (block !== undefined && lines !== undefined)
    found.push(...fix(`Add ${block}`, page.set(block.split('.'), lines, { snippet: true }), false));
  const needed = /^Add (data\.(?:input|output)_distribution)\b/.exec(remedy)?.[1];
  if (needed !== undefined)
    found.push(
      ...fix(
        `Add ${needed}`,
        page.add(needed.split('.'), '\n  type: fixed\n  mean: ${1:128}', { snippet: true }),
        false,
      ),
    );
  return found;
}

/** A directive with a slip of the pen. */
function directiveFix(range: TextRange, text: string): readonly Fix[] {
  const line = text.split(/\r\n|\n|\r/)[range.startLine] ?? '';
  const comment = line.slice(range.startColumn, range.endLine === range.startLine ? range.endColumn : undefined);
  const names = [...Object.keys(DIRECTIVES), 'disable'];
  const words = [...comment.matchAll(/(?:isoperf\s*:|,)\s*([\w-]+)/gi)].filter(([, word]) => !names.includes(word!));
  const [only, second] = words;
  const name = only?.[1];
  const guess = name === undefined ? undefined : nearest(name, names);
  if (!only || second || guess === undefined) return [];
  const column = range.startColumn + only.index + only[0].length - name!.length;
  const place = { ...at({ line: range.startLine, column }), endColumn: column + name!.length };
  return fix(`Change to '${guess}'`, [{ range: place, newText: guess }]);
}
