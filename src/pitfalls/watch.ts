// A config of which some values were refused, given to a check that may use all the others: did it look at one of them?
import type { LoadedConfig } from '../config/load';
import type { ConfigPath } from '../problem';

export interface Watched {
  readonly loaded: LoadedConfig;
  /** Has anything been read so far that was refused? */
  readonly touched: () => boolean;
}

export function watch(loaded: LoadedConfig, refused: readonly ConfigPath[]): Watched {
  let touched = false;
  const names = refused.map((path) => path.map(String));
  const isPart = (path: readonly string[], whole: readonly string[]): boolean =>
    path.length >= whole.length && whole.every((step, index) => step === path[index]);
  const see = (path: readonly string[]): void => {
    if (names.some((name) => isPart(path, name))) touched = true;
  };
  /** Whoever asks which keys there are learns something of each. */
  const seeKeys = (path: readonly string[]): void => {
    if (names.some((name) => name.length === path.length + 1 && isPart(name, path))) touched = true;
  };
  const wrap = <T extends object>(value: T, path: readonly string[]): T =>
    new Proxy(value, {
      get: (object, key, receiver) => {
        const found: unknown = Reflect.get(object, key, receiver);
        if (typeof key === 'symbol' || typeof found === 'function') return found;
        const at = [...path, key];
        see(at);
        return typeof found === 'object' && found !== null ? wrap(found, at) : found;
      },
      has: (object, key) => {
        see([...path, String(key)]);
        return Reflect.has(object, key);
      },
      ownKeys: (object) => {
        if (!Array.isArray(object)) seeKeys(path);
        return Reflect.ownKeys(object);
      },
    });
  const isWritten = (path: ConfigPath): boolean => {
    see(path.map(String));
    return loaded.isWritten(path);
  };
  return { loaded: { ...loaded, config: wrap(loaded.config, []), isWritten }, touched: () => touched };
}
