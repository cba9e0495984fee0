import type { KnipConfig } from 'knip';

const config: KnipConfig = {
  entry: [
    // What scripts bundle to write the documents.
    'src/translate/page.ts',
    'webview/style.css',
    'scripts/*.mjs',
    'bench/*.mjs',
    'test/host/**/*.ts',
    'test/page/**/*.ts',
    'test/unit/**/*.test.ts',
    'test/clock/*.{test.ts,mjs}',
    'scripts/mutation/*.mjs',
  ],
  project: ['src/**/*.ts', 'webview/**/*.ts', 'test/**/*.ts', 'scripts/**/*.mjs'],
  // A type of a public signature is exported beside it, whether or not somebody names it yet.
  ignoreExportsUsedInFile: true,
  // Debian's own, where it is there.
  ignoreBinaries: ['apt-get', 'mkfifo'],
};

export default config;
