// Lint rules: typescript-eslint's strict type-checked set, plus the walls of the house that a rule can express.
import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { house } from './scripts/lint-rules.mjs';

export default tseslint.config(
  { ignores: ['dist/**', 'out/**', 'node_modules/**', 'shots/**', 'test/fixtures/**'] },
  js.configs.recommended,
  {
    files: ['src/**/*.ts', 'webview/**/*.ts', 'test/**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './webview/tsconfig.json', './test/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'No default exports.' },
        { selector: 'TSEnumDeclaration', message: 'No enums: use a union of strings.' },
        {
          selector: "ImportDeclaration[source.value='zod'] > ImportSpecifier",
          message: "Write `import * as z from 'zod'`: the named import costs 380 kB in the bundle.",
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    plugins: { house },
    rules: { 'house/no-decision-on-prose': 'error', 'house/no-prototype-look-up': 'error' },
  },
  {
    // Still decided by words; this list only gets shorter. A remedy's edit has to come from where the remedy is written.
    files: ['src/language/fixes.ts'],
    rules: { 'house/no-decision-on-prose': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', name: ['describe', 'it', 'test'], package: 'node:test' }] },
      ],
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        URL: 'readonly',
        URLSearchParams: 'readonly',
        Buffer: 'readonly',
        performance: 'readonly',
        AbortController: 'readonly',
        AbortSignal: 'readonly',
        document: 'readonly',
        window: 'readonly',
        getComputedStyle: 'readonly',
      },
    },
  },
);
