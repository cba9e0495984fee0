// What the extension's rooms (language.js, reports.js) both need is a third file, core.js: the config model, the pitfalls, zod and
// yaml under them. It is read and evaluated once. A module of it is, in a room, a stub that asks core.js for it by name.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const isCore = (file) => /\/src\/(config|pitfalls)\//.test(file.replaceAll('\\', '/'));

/** A plugin for the rooms, and the build options of core.js, which are known when the rooms are built. */
export function sharedCore() {
  const modules = new Set();
  const zodNames = new Set();
  const plugin = {
    name: 'shared-core',
    setup(setup) {
      setup.onResolve({ filter: /^\.\.?\// }, ({ importer, namespace, path: name, resolveDir }) => {
        if (namespace === 'core') return { path: name, external: true };
        const file = `${path.resolve(resolveDir, name)}.ts`;
        if (isCore(importer) || !isCore(file) || !existsSync(file)) return undefined;
        const known = path.relative(root, file).replaceAll('\\', '/');
        modules.add(known);
        return { path: known, namespace: 'core' };
      });
      setup.onResolve({ filter: /^zod$/ }, ({ importer }) => {
        for (const [, name] of readFileSync(importer, 'utf8').matchAll(/\bz\s*\.\s*(\w+)\(/g)) zodNames.add(name);
        return { path: 'zod', namespace: 'core' };
      });
      setup.onLoad({ filter: /./, namespace: 'core' }, ({ path: name }) => ({
        contents: `module.exports = require('./core.js')[${JSON.stringify(name)}];`,
        resolveDir: root,
        loader: 'js',
      }));
    },
  };
  const contents = () => {
    const files = [...modules].sort();
    const names = [...zodNames].sort().map((name) => `${name}: z.${name}`);
    return [
      ...files.map((file, index) => `import * as m${index} from './${file.replace(/\.ts$/, '')}';`),
      `import * as z from 'zod';`,
      'module.exports = {',
      ...files.map((file, index) => `  ${JSON.stringify(file)}: m${index},`),
      `  zod: { ${names.join(', ')} },`,
      '};',
    ].join('\n');
  };
  return { plugin, core: () => ({ contents: contents(), resolveDir: root, sourcefile: 'core.js', loader: 'js' }) };
}
