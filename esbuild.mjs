// Builds the bundles: extension host (cjs; what configs need is read when it is needed), command line and
// engine (cjs; what uploads a report to a bucket or reads Parquet is read when a run does), webview (iife).
// `--production` minifies; `--watch` rebuilds on change; `--outdir=FOLDER` builds there instead of into dist/.
// Metafiles go to out/ for the bundle tests, those of another folder stay there.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, context } from 'esbuild';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');
const outdir = process.argv.find((word) => word.startsWith('--outdir='))?.slice('--outdir='.length) ?? 'dist';
const isElsewhere = outdir !== 'dist';
const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
const undiciVersion = JSON.parse(
  readFileSync(new URL('node_modules/undici/package.json', import.meta.url), 'utf8'),
).version;

const common = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  metafile: true,
  logLevel: 'warning',
  absWorkingDir: import.meta.dirname,
  define: {
    ISOPERF_VERSION: JSON.stringify(version),
    UNDICI_VERSION: JSON.stringify(undiciVersion),
  },
};

/** Modules that are files of their own beside the one that imports them, read when they are first needed. */
const lazy = (names) => ({
  name: 'lazy',
  setup(setup) {
    setup.onResolve({ filter: new RegExp(`/(?:${Object.keys(names).join('|')})$`) }, ({ kind, path: name }) =>
      kind === 'dynamic-import' ? { path: `./${names[path.basename(name)]}.js`, external: true } : undefined,
    );
  },
});

/** Of the extension: read when the first config is met. Reports are read by the command line, in a process of its own. */
const rooms = { 'language-room': 'language' };
/** Of the command line: the stores' own libraries, and the reader of Parquet files. */
const stores = { 'store-s3': 'store-s3', 'store-gcs': 'store-gcs' };
const parquet = { 'parquet-file': 'parquet-file' };

const host = {
  ...common,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['vscode'],
  mainFields: ['module', 'main'],
};

const bundles = {
  extension: {
    ...host,
    entryPoints: { extension: 'src/extension/main.ts' },
    outdir,
    plugins: [lazy(rooms)],
  },
  rooms: {
    ...host,
    entryPoints: Object.fromEntries(
      Object.entries(rooms).map(([source, name]) => [name, `src/extension/${source}.ts`]),
    ),
    outdir,
    plugins: [lazy(rooms)],
  },
  cli: {
    ...common,
    // The program of the engine's sending threads stands beside the command line.
    entryPoints: { cli: 'src/cli/main.ts', 'load-worker': 'src/loadgen/load-worker.ts' },
    outdir,
    plugins: [lazy({ ...stores, ...parquet })],
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    mainFields: ['module', 'main'],
    banner: { js: '#!/usr/bin/env node' },
  },
  stores: {
    ...common,
    entryPoints: {
      ...Object.fromEntries(Object.entries(stores).map(([source, name]) => [name, `src/folder/storage/${source}.ts`])),
      ...Object.fromEntries(Object.entries(parquet).map(([source, name]) => [name, `src/datagen/${source}.ts`])),
    },
    outdir,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    mainFields: ['module', 'main'],
    // Their maps would be larger than everything of ours.
    sourcemap: false,
  },
  webview: {
    ...common,
    entryPoints: { webview: 'webview/main.ts', style: 'webview/style.css' },
    outdir,
    platform: 'browser',
    format: 'iife',
    target: 'chrome128',
  },
};

async function make(name, options) {
  if (watch) {
    const watching = await context(options);
    await watching.watch();
    return;
  }
  const { metafile } = await build(options);
  if (!isElsewhere) writeFileSync(new URL(`out/${name}.meta.json`, import.meta.url), JSON.stringify(metafile));
}

// What an editor's task waits for.
if (watch) console.log('watch: building');
const only = process.argv.filter((word) => word in bundles);
mkdirSync(new URL('out/', import.meta.url), { recursive: true });
for (const [name, options] of Object.entries(bundles)) {
  if (only.length > 0 && !only.includes(name) && !(name === 'rooms' && only.includes('extension'))) continue;
  await make(name, options);
  if (name === 'cli' && !watch) chmodSync(path.resolve(import.meta.dirname, outdir, 'cli.js'), 0o755);
}
if (watch) console.log('watch: ready, builds again when a source changes (Ctrl+C ends it)');
