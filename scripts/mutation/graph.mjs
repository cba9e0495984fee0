// Which unit tests see a source file, the nearest first: over the imports, as written.
import { readFileSync, readdirSync, existsSync } from 'node:fs';
import path from 'node:path';

const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

function filesUnder(folder, ending) {
  return readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, String(name)))
    .filter((file) => file.endsWith(ending));
}

/** @param {string} root of the repository @returns {(file: string) => string[]} tests by their distance from a file */
export function testsBySource(root) {
  const importers = new Map();
  for (const file of [...filesUnder(path.join(root, 'src'), '.ts'), ...filesUnder(path.join(root, 'test'), '.ts')]) {
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
    while (edge.length > 0) {
      edge = edge.flatMap((each) => importers.get(each) ?? []).filter((each) => !seen.has(each) && seen.add(each));
      tests.push(...edge.filter((each) => each.endsWith('.test.ts')));
    }
    return tests;
  };
}
