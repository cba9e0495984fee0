// "Did you mean": the nearest known word, and where a key that stands in the wrong place belongs.
import type { ConfigPath } from '../../problem';
import { formatPath } from '../../problem';
import { allFields, fieldsUnder, type FieldInfo } from './fields';
import { NEWEST } from './target';

/** Damerau-Levenshtein distance (adjacent swaps count once), by the textbook dynamic programme. */
function editDistance(left: string, right: string): number {
  const rows = left.length + 1;
  const columns = right.length + 1;
  const cost = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_unused, column) => (row === 0 ? column : column === 0 ? row : 0)),
  );
  for (let row = 1; row < rows; row += 1) {
    for (let column = 1; column < columns; column += 1) {
      const same = left[row - 1] === right[column - 1] ? 0 : 1;
      let best = Math.min(cost[row - 1]![column]! + 1, cost[row]![column - 1]! + 1, cost[row - 1]![column - 1]! + same);
      if (row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1])
        best = Math.min(best, cost[row - 2]![column - 2]! + 1);
      cost[row]![column] = best;
    }
  }
  return cost[rows - 1]![columns - 1]!;
}

const flat = (word: string): string => word.toLowerCase().replace(/[_\-. ]/g, '');

/** The known word nearest to a misspelt one; undefined when none is near enough to be meant. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > 60) return undefined;
  const same = known.find((candidate) => flat(candidate) === flat(word));
  if (same !== undefined) return same;
  const limit = word.length <= 4 ? 1 : word.length <= 8 ? 2 : 3;
  let best: string | undefined;
  let distance = limit + 1;
  for (const candidate of known) {
    const next = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (next < distance) [best, distance] = [candidate, next];
  }
  if (best !== undefined) return best;
  // A cut-off word: `std` for `std_dev`, `concurrency` for `concurrency_level`.
  const longer = word.length < 3 ? [] : known.filter((candidate) => candidate.startsWith(`${word}_`));
  return longer.length === 1 ? longer[0] : undefined;
}

/** Names of older or other tools' configs, and what the config calls them now (bug reports and public files). */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['vllm', 'server (type: vllm, base_url, model_name)'],
  ['auto_stage', 'load.sweep'],
  ['prefix', 'path and report_file_prefix'],
  ['concurrency', 'concurrency_level'],
  ['qps', 'rate'],
  ['request_rate', 'rate'],
  ['model', 'server.model_name'],
  ['url', 'base_url'],
  ['timeout', 'request_timeout'],
  ['seed', 'load.base_seed'],
]);

/** Keys that inference-perf got after the newest release we know, by the name that stands for them until then. */
const AFTER_NEWEST: ReadonlyMap<string, { readonly list: string; readonly instead: string }> = new Map([
  ['max_stage_duration', { list: 'stages', instead: 'timeout' }],
]);

export interface KeyAdvice {
  /** Since when there is such a key, when the target is only too old. */
  readonly since?: string;
  /** Another name for the same place. */
  readonly rename?: string;
  /** The path the key belongs to. */
  readonly moveTo?: ConfigPath;
  readonly remedy: string;
}

let fieldsByName: ReadonlyMap<string, readonly FieldInfo[]> | undefined;

function homesOf(name: string): readonly FieldInfo[] {
  if (!fieldsByName) {
    const map = new Map<string, FieldInfo[]>();
    for (const field of allFields()) map.set(field.name, [...(map.get(field.name) ?? []), field]);
    fieldsByName = map;
  }
  return fieldsByName.get(name) ?? [];
}

/** Is it the name of any field of the model, wherever that stands? */
export function isFieldName(name: string): boolean {
  return homesOf(name).length > 0 || OTHER_NAMES.has(name);
}

const known = new Map<string, readonly string[]>();

/** Names and aliases of the fields under a path; the model never changes, so they are looked up once. */
function namesUnder(parent: ConfigPath, loadType: string | undefined): readonly string[] {
  const key = `${loadType ?? ''} ${parent.map((step) => (typeof step === 'number' ? 0 : step)).join('.')}`;
  const before = known.get(key);
  if (before) return before;
  const names = fieldsUnder(parent, loadType).flatMap((field) => [field.name, ...(field.aliases ?? [])]);
  // Only places of the model are kept: paths come from the user's text.
  if (names.length > 0) known.set(key, names);
  return names;
}

/** What to do about a key the model does not have under `parent`. */
export function adviseKey(key: string, parent: ConfigPath, loadType?: string): KeyAdvice | undefined {
  const newer = AFTER_NEWEST.get(key);
  if (newer && parent.includes(newer.list))
    return {
      rename: newer.instead,
      since: `it came after ${NEWEST}`,
      remedy: `Up to ${NEWEST} it is called '${newer.instead}'.`,
    };
  const siblings = namesUnder(parent, loadType);
  const rename = nearest(key, siblings);
  if (rename !== undefined) return { rename, remedy: `Did you mean '${rename}'?` };
  const homes = homesOf(key);
  const home = homes.find((field) => field.path.length === 1) ?? (homes.length === 1 ? homes[0] : undefined);
  if (home) {
    const to = home.path.length === 1 ? 'the top level' : formatPath(home.path.slice(0, -1)).replaceAll('[0]', '[]');
    return { moveTo: home.path, remedy: `'${key}' belongs under ${to}: move it there.` };
  }
  if (homes.length > 1 && homes.length <= 4) {
    const places = homes.map((field) => formatPath(field.path.slice(0, -1)).replaceAll('[0]', '[]'));
    return { remedy: `'${key}' is known under ${[...new Set(places)].join(', ')}.` };
  }
  const other = OTHER_NAMES.get(key);
  return other === undefined ? undefined : { remedy: `inference-perf calls it ${other}.` };
}
