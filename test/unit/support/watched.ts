// Which fields of a value does some code read? And the same value without some of them.

/** Position in a list does not keep two fields apart: `records[].usage.promptTokens`. */
export type FieldPath = string;

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Lists of plain numbers or words are one field. */
const isLeaf = (value: unknown): boolean =>
  !isContainer(value) || (Array.isArray(value) && value.every((entry) => !isContainer(entry)));

/** The value, watched: every field that is read is reported with its path. One object stays one object. */
export function watched<T extends object>(value: T, report: (path: FieldPath) => void): T {
  const known = new WeakMap<object, object>();
  const wrap = (inner: unknown, path: FieldPath): unknown => {
    if (isLeaf(inner) || !isContainer(inner)) return inner;
    const found = known.get(inner);
    if (found) return found;
    const made = inner instanceof Map ? watchedMap(inner, path) : watchedObject(inner, path);
    known.set(inner, made);
    return made;
  };
  const watchedMap = (inner: ReadonlyMap<unknown, unknown>, path: FieldPath): object =>
    new Map([...inner].map(([key, entry]) => [key, wrap(entry, `${path}[]`)]));
  const watchedObject = (inner: object, path: FieldPath): object =>
    new Proxy(inner, {
      get(target, key, receiver) {
        const entry: unknown = Reflect.get(target, key, receiver);
        if (typeof key === 'symbol' || typeof entry === 'function') return entry;
        const isElement = Array.isArray(target);
        if (isElement && !/^\d+$/.test(key)) return entry;
        const own = isElement ? `${path}[]` : path === '' ? key : `${path}.${key}`;
        if (entry !== undefined && isLeaf(entry)) report(own);
        return wrap(entry, own);
      },
      ownKeys(target) {
        // Who looks at the names of the keys has read what is under them.
        if (!Array.isArray(target)) {
          for (const [key, entry] of Object.entries(target)) {
            if (entry !== undefined && isLeaf(entry)) report(path === '' ? key : `${path}.${key}`);
          }
        }
        return Reflect.ownKeys(target);
      },
    });
  return wrap(value, '') as T;
}

/** A copy without the fields at these paths, or at any path under one of them. */
export function withoutFields<T>(value: T, dropped: ReadonlySet<FieldPath>): T {
  const isTouched = (path: FieldPath): boolean =>
    path === '' ||
    [...dropped].some((field) => field.startsWith(path) && /^(?:\[\]|\.|$)/.test(field.slice(path.length)));
  const strip = (inner: unknown, path: FieldPath): unknown => {
    if (!isContainer(inner) || ArrayBuffer.isView(inner)) return inner;
    // What nothing is taken from stays the same object: hundreds of records need no copy.
    if (!isTouched(path)) return inner;
    if (inner instanceof Map) return new Map([...inner].map(([key, entry]) => [key, strip(entry, `${path}[]`)]));
    if (Array.isArray(inner)) return inner.map((entry) => strip(entry, `${path}[]`));
    const kept = Object.entries(inner).flatMap(([key, entry]): [string, unknown][] => {
      const own = path === '' ? key : `${path}.${key}`;
      return dropped.has(own) ? [] : [[key, strip(entry, own)]];
    });
    return Object.fromEntries(kept);
  };
  return strip(value, '') as T;
}

/** Every field there is, and every part that holds fields, in the order they stand. */
export function fieldsOf(value: unknown): FieldPath[] {
  const found = new Set<FieldPath>();
  const walk = (inner: unknown, path: FieldPath): void => {
    if (inner === undefined) return;
    if (path !== '' && !path.endsWith('[]')) found.add(path);
    if (isLeaf(inner) || ArrayBuffer.isView(inner)) found.add(path);
    else if (inner instanceof Map) for (const entry of inner.values()) walk(entry, `${path}[]`);
    else if (Array.isArray(inner)) for (const entry of inner) walk(entry, `${path}[]`);
    else for (const [key, entry] of Object.entries(inner as object)) walk(entry, path === '' ? key : `${path}.${key}`);
  };
  walk(value, '');
  return [...found];
}
