// Tests that read what lies beside the checkout are few and named here; each prints a line and goes on where it is not there.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const TESTS = path.resolve(import.meta.dirname, '..');
const OUTSIDE = /\.\.\/shared\/(?:corpus|oracle|cases|reference)/;

/** What of it each one needs: public configs, the loader's own verdicts, public result files. */
const NAMED: Readonly<Record<string, string>> = {
  'comparability/cross-tool.test.ts': 'result files of several tools',
  'comparability/evidence-places.test.ts': 'result files of several tools',
  'comparability/kubecon.test.ts': 'inference-perf’s reports of KubeCon 2025',
  'comparability/same-figures.test.ts': 'result files of every tool',
  'config/corpus.test.ts': 'public configs',
  'config/json-schema.test.ts': 'inference-perf’s examples',
  'config/oracle.test.ts': 'verdicts of the real loader',
  'config/regions.test.ts': 'public configs',
  'folder/stack-secrets.test.ts': 'pods and values of charts',
  'language/fixing.test.ts': 'public configs',
  'readers/recorded-floor.test.ts': 'result files of several tools',
  'readers/read.test.ts': 'inference-perf’s reports',
  'run/corpus.test.ts': 'public configs, run for a moment',
  'support/corpus.ts': 'result files, for all tests that read them by this name',
};

it('no other test leaves the checkout', () => {
  const leaving = readdirSync(TESTS, { recursive: true })
    .map((name) => String(name).replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.ts') && name !== 'house/outside.test.ts')
    .filter((name) => OUTSIDE.test(readFileSync(path.join(TESTS, name), 'utf8')));
  expect(leaving.filter((name) => !(name in NAMED))).toEqual([]);
});
