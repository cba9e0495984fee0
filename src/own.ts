// Tables keyed by text: what stands in them, and nothing that every object answers to.

/** The entry of that name, as it was written there: a key like `constructor` or `__proto__` has none. */
export function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
