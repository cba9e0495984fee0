// Two places by as little of their paths as tells them apart, for titles.

/**
 * "run-3" and "run-4"; of `a/run` and `b/run`, "a/run" and "b/run". Slashes of either kind are read, and written forwards. One path twice
 * is its last part, and two spellings of one are given as they are.
 */
export function distinctPaths(a: string, b: string): readonly [string, string] {
  const [x, y] = [partsOf(a), partsOf(b)];
  for (let count = 1; count <= Math.max(x.length, y.length); count++) {
    const [left, right] = [x.slice(-count).join('/'), y.slice(-count).join('/')];
    if (left !== right && left !== '' && right !== '') return [left, right];
  }
  const last = x.at(-1);
  return a === b && last !== undefined ? [last, last] : [a, b];
}

function partsOf(place: string): string[] {
  return place.split(/[\\/]/).filter((part) => part !== '' && part !== '.');
}
