// A folder's config is a stranger's: a value of any type, at any key that a comparison looks at, ends no comparison.
import { parse, stringify } from 'yaml';
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import { readRun } from '../../../src/readers/read';
import { judgeReport } from '../../../src/audit/identities';
import { memoryFolder } from '../support/memory-folder';
import { perfFolder } from '../support/perf-folder';
import { HONEST, runOf } from './cases';

type Node = Record<string, unknown> | unknown[];

const ODD: readonly unknown[] = [
  { a: 1 },
  [],
  [{ b: [2] }],
  null,
  true,
  'text',
  '',
  -1,
  12345678901234567890123n,
  1e300,
  '.nan',
];

/** Every place in the config, the containers themselves too. */
function places(node: unknown, at: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof node !== 'object' || node === null) return [at];
  const entries = Array.isArray(node) ? [...node.entries()] : Object.entries(node);
  return [...(at.length > 0 ? [at] : []), ...entries.flatMap(([key, value]) => places(value, [...at, key]))];
}

function put(config: unknown, at: readonly (string | number)[], value: unknown): unknown {
  const copy = structuredClone(config) as Node;
  const parent = at.slice(0, -1).reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], copy);
  (parent as Record<string, unknown>)[at.at(-1)!] = value;
  return copy;
}

const FILES = perfFolder(HONEST);
const CONFIG = parse(FILES['config.yaml']!) as Record<string, unknown>;
// Keys that the honest config has no need of, and that something looks at.
const EXTRA: readonly (readonly (string | number)[])[] = [
  ['load', 'base_seed'],
  ['load', 'num_workers'],
  ['load', 'worker_max_concurrency'],
  ['load', 'request_timeout'],
  ['load', 'sweep'],
  ['load', 'lora_traffic_split'],
  ['data', 'shared_prefix'],
  ['data', 'input_distribution'],
  ['data', 'output_distribution'],
  ['data', 'path'],
  ['server', 'ignore_eos'],
  ['server', 'model_name'],
  ['tokenizer'],
  ['report'],
  ['metrics'],
  ['storage'],
];

describe('a config of a report folder with odd values', () => {
  it.each(ODD.map((value) => [stringify(value).trim(), value]))('%s everywhere', async (_words, value) => {
    const honest = await runOf(HONEST);
    const all = [...places(CONFIG), ...EXTRA];
    expect(all.length).toBeGreaterThan(20);
    for (const at of all) {
      const files = { ...FILES, 'config.yaml': stringify(put(CONFIG, at, value)) };
      const read = await readRun(memoryFolder(files));
      if (!read.ok) {
        expect([at, read.problems[0]?.code]).toEqual([at, expect.stringMatching(/^[A-Z]{3}\d{3}$/)]);
        continue;
      }
      try {
        if (read.value.canonical) judgeReport(read.value.canonical);
        compare(honest, read.value, { resamples: 10 });
        compare(read.value, honest, { resamples: 10 });
      } catch (error) {
        throw new Error(at.join('.'), { cause: error });
      }
    }
  });
});
