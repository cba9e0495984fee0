// One test file and all of ours that it imports as one file, in which each mutant of the sample has a switch.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { withSwitches } from './mutants.mjs';

/** @param {string} root @param {Map<string, object[]>} mutants by file @param {(file: string) => string} textOf */
export async function bundleOf(root, test, mutants, textOf) {
  const outfile = path.join(root, 'out', 'mutation', `${path.relative(root, test).replaceAll(/[\\/]/g, '-')}.mjs`);
  await build({
    entryPoints: [test],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
    define: { ISOPERF_VERSION: '"0.0.0-test"', UNDICI_VERSION: '"test"' },
    plugins: [
      {
        name: 'mutants',
        setup(within) {
          const shim = pathToFileURL(path.join(import.meta.dirname, 'shim.mjs')).href;
          within.onResolve({ filter: /^vitest$/ }, () => ({ path: shim, external: true }));
          // A file of a package that exports none by name.
          within.onResolve({ filter: /^[\w@-]+\/.*\/\w+$/ }, ({ path: name }) =>
            existsSync(path.join(root, 'node_modules', `${name}.js`))
              ? { path: `${name}.js`, external: true }
              : undefined,
          );
          within.onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
            const contents = withSwitches(textOf(file), mutants.get(file) ?? [])
              .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(file)))
              .replaceAll(/\b__dirname\b/g, JSON.stringify(path.dirname(file)))
              .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href));
            return { contents, loader: 'ts' };
          });
        },
      },
    ],
  });
  return outfile;
}
