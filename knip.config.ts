import type { KnipConfig } from 'knip';

const config: KnipConfig = {
  entry: [
    'src/cli/main.ts',
    'src/extension/main.ts',
    'webview/main.ts',
    'webview/style.css',
    'scripts/*.mjs',
    'bench/*.mjs',
    'test/host/**/*.ts',
    'test/page/**/*.ts',
    'test/unit/**/*.test.ts',
  ],
  project: ['src/**/*.ts', 'webview/**/*.ts', 'test/**/*.ts', 'scripts/**/*.mjs'],
  ignoreBinaries: ['vsce', 'apt-get', 'openssl'],
};

// eslint-disable-next-line no-restricted-syntax -- knip reads the default export
export default config;
