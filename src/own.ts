// Values that came from outside: which are objects, and what stands in a table keyed by text.

/** An object with keys: no list, and not null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The entry of that name, as it was written there: a key like `constructor` or `__proto__` has none. */
export function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
