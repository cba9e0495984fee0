// Which unit tests see a source file over the imports, and in what order: near ones that name it come first.
import { readFileSync, readdirSync, existsSync } from 'node:fs';
import path from 'node:path';

const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

function filesUnder(folder, ending) {
  return readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, String(name)))
    .filter((file) => file.endsWith(ending));
}

/** @param {string} root of the repository @returns {(file: string) => string[]} the tests that import a file, in that order */
export function testsBySource(root) {
  const importers = new Map();
  for (const file of [
    ...filesUnder(path.join(root, 'src'), '.ts'),
    ...filesUnder(path.join(root, 'test', 'unit'), '.ts'),
  ]) {
    for (const [, name] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const base = path.resolve(path.dirname(file), name);
      const target = [`${base}.ts`, path.join(base, 'index.ts')].find((each) => existsSync(each));
      if (target === undefined) continue;
      if (!importers.has(target)) importers.set(target, []);
      importers.get(target).push(file);
    }
  }
  return (file) => {
    const seen = new Set([file]);
    const tests = [];
    let edge = [file];
    // Tests of the same room, or that speak of it, know more than others at the same distance.
    const room = path.join(root, 'test', 'unit', path.relative(path.join(root, 'src'), path.dirname(file)));
    const name = path.basename(file, '.ts');
    const rank = (test, distance) =>
      distance - (room.startsWith(path.dirname(test)) ? 4 : 0) - (readFileSync(test, 'utf8').includes(name) ? 2 : 0);
    let distance = 0;
    while (edge.length > 0) {
      edge = edge.flatMap((each) => importers.get(each) ?? []).filter((each) => !seen.has(each) && seen.add(each));
      distance++;
      for (const test of edge.filter((each) => each.endsWith('.test.ts'))) tests.push([test, rank(test, distance)]);
    }
    return tests.sort((a, b) => a[1] - b[1]).map(([test]) => test);
  };
}
