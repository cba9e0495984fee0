// Which model answered: the names in the answers and on the server's list, against the one that was asked for.
import { at } from './readers/values';

/** What a run recorded of it. */
export interface NamedModels {
  /** As requests asked for it. */
  readonly asked: string | undefined;
  /** The run's config: adapters of `load.lora_traffic_split` are asked for in place of the model. */
  readonly config?: unknown;
  /** Answers by the model they name; undefined where that was not recorded. */
  readonly answers: Readonly<Record<string, number>> | undefined;
  /** What /v1/models lists; undefined where it was not asked, or lists nothing that means something. */
  readonly listed: readonly string[] | undefined;
}

/** The same model in other words: a folder before it, a revision or Ollama's `:latest` behind it, a date. */
export function isSameModel(asked: string, named: string): boolean {
  const [left, right] = [bareName(asked), bareName(named)];
  return left === right || right.startsWith(`${left}-20`);
}

/** Answers under a name that nobody asked for, by that name's last part. */
export function strangersIn({ asked, config, answers }: NamedModels): ReadonlyMap<string, number> {
  const expected = [...(asked === undefined ? [] : [asked]), ...adaptersIn(config)];
  const found = new Map<string, number>();
  for (const [name, count] of Object.entries(answers ?? {})) {
    if (expected.some((model) => isSameModel(model, name))) continue;
    found.set(bareName(name), (found.get(bareName(name)) ?? 0) + count);
  }
  return found;
}

/** What the server lists where that is not the model that was asked for; undefined where it is, or where nothing is known. */
export function otherThanAsked({ asked, listed = [] }: NamedModels): readonly string[] | undefined {
  if (asked === undefined || listed.length === 0 || listed.some((name) => isSameModel(asked, name))) return undefined;
  return listed.map(bareName).sort();
}

/** One run against itself: undefined where what answered is what was asked for, or where that is not recorded. */
export function modelContradiction(models: NamedModels): string | undefined {
  const { asked, answers = {}, listed = [] } = models;
  if (asked === undefined) return undefined;
  const strangers = strangersIn(models);
  const other = otherThanAsked(models);
  const all = Object.values(answers).reduce((sum, count) => sum + count, 0);
  const by = [...strangers.values()].reduce((sum, count) => sum + count, 0);
  const words = [
    ...(strangers.size > 0 ? [`${by} of ${all} answers name ${namesWords([...strangers.keys()])}`] : []),
    ...(other ? [`/v1/models lists ${namesWords(listed)}`] : []),
  ];
  return words.length === 0
    ? undefined
    : `'${asked}' was asked for, and ${words.join('; ')}: another model may have served`;
}

export function namesWords(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => `'${name}'`);
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - shown.length} more` : shown.join(', ');
}

function bareName(name: string): string {
  return name
    .replace(/\/+$/, '')
    .split('/')
    .at(-1)!
    .replace(/@[\w.-]+$/, '')
    .replace(/:latest$/i, '')
    .toLowerCase();
}

function adaptersIn(config: unknown): readonly string[] {
  const split = at(config, 'load', 'lora_traffic_split');
  if (!Array.isArray(split)) return [];
  return split.flatMap((entry: unknown) => {
    const name = at(entry, 'name');
    return typeof name === 'string' ? [name] : [];
  });
}
