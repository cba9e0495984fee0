// A config of which some values were refused, given to a check that may use all the others: did it look at one of them?
import type { LoadedConfig } from '../config/load';
import type { ConfigPath } from '../problem';

export interface Watched {
  readonly loaded: LoadedConfig;
  /** Has anything been read so far that was refused? */
  readonly touched: () => boolean;
}

/** What lies below a step of the refused paths; `refused`: one ends here, so all of it is. */
interface Step {
  refused: boolean;
  readonly below: Map<string, Step>;
  /** What stands here, and its stand-in: checks walk the same values again and again. */
  watched?: { readonly value: object; readonly standIn: object };
}

function stepsOf(refused: readonly ConfigPath[]): Step {
  const root: Step = { refused: false, below: new Map() };
  for (const path of refused) {
    let at = root;
    for (const name of path) {
      const next = at.below.get(String(name)) ?? { refused: false, below: new Map<string, Step>() };
      at.below.set(String(name), next);
      at = next;
    }
    at.refused = true;
  }
  return root;
}

export function watch(loaded: LoadedConfig, refused: readonly ConfigPath[]): Watched {
  const root = stepsOf(refused);
  let touched = root.refused;
  /** Only what has something refused below it is watched: nothing else can be touched. */
  const wrap = <T extends object>(value: T, step: Step): T => {
    if (step.watched?.value === value) return step.watched.standIn as T;
    const standIn = new Proxy(value, {
      get: (object, key) => {
        const found: unknown = Reflect.get(object, key);
        const next = typeof key === 'symbol' ? undefined : step.below.get(key);
        if (!next || typeof found === 'function') return found;
        if (next.refused) touched = true;
        return typeof found === 'object' && found !== null ? wrap(found, next) : found;
      },
      has: (object, key) => {
        if (step.below.get(String(key))?.refused) touched = true;
        return Reflect.has(object, key);
      },
      // Whoever asks which keys there are learns something of each.
      ownKeys: (object) => {
        if (!Array.isArray(object) && [...step.below.values()].some((next) => next.refused)) touched = true;
        return Reflect.ownKeys(object);
      },
    });
    step.watched = { value, standIn };
    return standIn;
  };
  const isWritten = (path: ConfigPath): boolean => {
    let at: Step | undefined = root;
    for (const name of path) {
      at = at?.below.get(String(name));
      if (at?.refused) touched = true;
    }
    return loaded.isWritten(path);
  };
  return { loaded: { ...loaded, config: wrap(loaded.config, root), isWritten }, touched: () => touched };
}
