// The last few results of a function of a text: an editor asks for diagnostics, hints, lenses and outline of one and the same text.

interface Entry<T> {
  readonly text: string;
  readonly key: string;
  readonly result: T;
}

/**
 * Keeps the `size` newest results. Only for results that nobody changes. A text that is the same string object is recognised
 * without being read.
 */
export function remember<Args extends readonly unknown[], T>(
  size: number,
  make: (text: string, ...args: Args) => T,
  keyOf: (...args: Args) => string = () => '',
): (text: string, ...args: Args) => T {
  let entries: readonly Entry<T>[] = [];
  return (text, ...args) => {
    const key = keyOf(...args);
    const known = entries.find((entry) => entry.key === key && entry.text === text);
    if (known) return known.result;
    const result = make(text, ...args);
    entries = [{ text, key, result }, ...entries].slice(0, size);
    return result;
  };
}
