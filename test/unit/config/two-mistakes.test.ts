// A second mistake changes nothing of what is said about the first: same words, same remedy, same fix.
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readConfig } from '../../../src/config/load';
import { TEMPLATES } from '../../../src/language/templates';
import type { ConfigPath } from '../../../src/problem';
import '../support/property-seed';
import { runs } from '../support/property-runs';
import { parseDocument } from '../../../src/config/yaml/document';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const FILES = ['workspace/baseline', 'workspace/candidate', 'demo/baseline', 'demo/candidate'];

/** Configs of ours, as values: the samples, the templates, and what neither has. */
const CONFIGS: readonly unknown[] = [
  ...FILES.map((name) => readFileSync(path.join(ROOT, 'samples', `${name}.yaml`), 'utf8')),
  ...TEMPLATES.map(({ text }) => text.replace(/\$\{\d+(?:\|([^,|]*)[^}]*|:([^}]*))\}/g, '$1$2').replace(/\$\d/g, '')),
  `load: { type: concurrent, stages: [{ num_requests: 40, concurrency_level: 4 }, { num_requests: 80, concurrency_level: 8 }] }
api: { type: chat, streaming: true, headers: { x-a: b }, response_format: { type: json_object } }
data: { type: shared_prefix, shared_prefix: { num_groups: 2, num_prompts_per_group: 3, system_prompt_len: 9, question_len: { type: uniform, min: 3, max: 9 }, output_len: 5 } }
server: { type: vllm, base_url: "http://h:1", model_name: m }
storage: { local_storage: { path: r }, google_cloud_storage: { bucket_name: b, path: p } }
report: { request_lifecycle: { summary: true, percentiles: [50, 99] }, goodput: { constraints: { ttft: 0.2 } } }
metrics: { type: prometheus, prometheus: { url: "http://p:9090", scrape_interval: 15 } }
`,
  `load: { type: trace_session_replay, stages: [{ concurrent_sessions: 4, num_sessions: 20 }] }
api: { type: chat }
data: { type: otel_trace_replay, otel_trace_replay: { trace_files: [a.json], max_wait_ms: 10 } }
server: { base_url: "http://h:1" }
tokenizer: { pretrained_model_name_or_path: m, trust_remote_code: false }
`,
  `load: { type: constant, sweep: { type: linear, num_stages: 3, stage_duration: 20 }, lora_traffic_split: [{ name: a, split: 0.5 }, { name: b, split: 0.5 }] }
data: { type: conversation_replay, conversation_replay: { num_conversations: 3, turns_per_conversation: { min: 1, max: 3, mean: 2, std_dev: 1 } } }
server: { base_url: "http://h:1" }
report: { request_lifecycle: { per_stage: true } }
`,
].map((text) => parseDocument(text).value);

interface Mistake {
  readonly config: number;
  readonly path: ConfigPath;
  readonly name: string;
  readonly make: (value: unknown) => unknown;
}

type Tree = Record<string, unknown>;
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

function renamed(tree: unknown, key: string, other: string): Tree {
  return Object.fromEntries(Object.entries(tree as Tree).map(([name, value]) => [name === key ? other : name, value]));
}

/** Types decide what these sections mean: a mistake there is not independent of another in one of them. */
const DECIDING = new Set(['load.type', 'data.type', 'api.type']);
const DECIDED = new Set<unknown>(['load', 'data', 'api']);

function mistakesOf(root: unknown, config: number): Mistake[] {
  const found: Mistake[] = [];
  const visit = (value: unknown, path: ConfigPath): void => {
    const add = (name: string, make: Mistake['make'], at: ConfigPath = path): void => {
      found.push({ config, path: at, name, make });
    };
    if (isTree(value)) {
      add('an unknown key', (tree) => ({ ...(tree as Tree), brandNew: 5 }), [...path, 'brandNew']);
      for (const key of Object.keys(value)) {
        if (key.length > 4 && !/headers$/.test(path.join('.'))) {
          const other = `${key.slice(0, 2)}${key.slice(3)}`;
          add(`${key} written ${other}`, (tree) => renamed(tree, key, other), [...path, key]);
        }
        visit(value[key], [...path, key]);
      }
    } else if (Array.isArray(value)) value.forEach((item, index) => visit(item, [...path, index]));
    if (path.length === 0) return;
    if (typeof value === 'number') {
      add('text for a number', () => 'soon');
      add('a list for a number', () => [value]);
      add('below every limit', () => -5);
      add('a unit', () => `${value}ms`);
    } else if (typeof value === 'string') {
      add('a number for text', () => 5);
      add('a mapping for text', () => ({ a: 1 }));
      if (path.at(-1) === 'type') add('a misspelt word', () => `${value.slice(0, 2)}${value.slice(3)}`);
    } else if (typeof value === 'boolean') add('a word for yes or no', () => 'perhaps');
    else if (isTree(value)) {
      add('nothing for a mapping', () => null);
      add('a list for a mapping', () => [value]);
    } else if (Array.isArray(value)) add('one for a list', () => value[0] ?? 'x');
  };
  visit(root, []);
  return found;
}

function changed(value: unknown, at: ConfigPath, make: Mistake['make']): unknown {
  const [step, ...rest] = at;
  if (step === undefined) return make(value);
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (index === step ? changed(item, rest, make) : item));
  const tree = value as Tree;
  return { ...tree, [step]: changed(tree[step], rest, make) };
}

/** Keys are changed in the mapping they stand in, values in their place. */
function put(value: unknown, { path: at, name, make }: Mistake): unknown {
  const isKey = name === 'an unknown key' || name.includes(' written ');
  return changed(value, isKey ? at.slice(0, -1) : at, make);
}

const WRAPPERS: readonly ((config: unknown) => unknown)[] = [
  (config) => config,
  (config) => ({ config }),
  (config) => ({ bench: { runs: [{ config }] } }),
  (config) => ({ apiVersion: 'v1', kind: 'ConfigMap', data: { 'c.yml': JSON.stringify(config) } }),
];

/** What is said about the mistakes of a config: everything that stops the loader, with its remedy. */
function said(config: unknown, wrapper: number): readonly string[] {
  const text = JSON.stringify(WRAPPERS[wrapper]!(config));
  const { problems, fixes } = readConfig(text);
  return problems
    .filter(({ severity, code }) => severity === 'error' && code !== 'CFG011' && code !== 'CFG012')
    .map((problem) =>
      [
        problem.code,
        problem.path.join('.'),
        problem.message,
        problem.remedy ?? '',
        JSON.stringify(fixes.get(problem) ?? {}),
      ].join(' | '),
    )
    .sort();
}

const MISTAKES = CONFIGS.map(mistakesOf);

const BOUNDS = new Set<unknown>(['type', 'mean', 'min', 'max']);

/** Neither stands in what the other changes, and no rule holds the two against each other. */
function independent(left: Mistake, right: Mistake): boolean {
  const [a, b] = [left.path, right.path];
  const isIn = (x: ConfigPath, y: ConfigPath): boolean => y.every((step, index) => step === x[index]);
  if (isIn(a, b) || isIn(b, a)) return false;
  const decides = (x: ConfigPath, y: ConfigPath): boolean => DECIDING.has(x.join('.')) && DECIDED.has(y[0]);
  if (decides(a, b) || decides(b, a)) return false;
  const parent = (x: ConfigPath): string => JSON.stringify(x.slice(0, -1));
  if (parent(a) === parent(b) && BOUNDS.has(a.at(-1)) && BOUNDS.has(b.at(-1))) return false;
  return !(a[1] === 'lora_traffic_split' && b[1] === 'lora_traffic_split');
}

const pair = fc
  .nat(CONFIGS.length - 1)
  .chain((config) =>
    fc.tuple(fc.constantFrom(...MISTAKES[config]!), fc.constantFrom(...MISTAKES[config]!), fc.nat(WRAPPERS.length - 1)),
  );

it.each(CONFIGS.map((config, index) => [index, config]))('config %i is without a mistake', (_index, config) => {
  for (const wrapper of WRAPPERS.keys()) expect(said(config, wrapper)).toEqual([]);
});

it('each finding of a file with two mistakes is what it is alone', () => {
  fc.assert(
    fc.property(pair, ([left, right, wrapper]) => {
      fc.pre(independent(left, right));
      const root = CONFIGS[left.config];
      const alone = [said(put(root, left), wrapper), said(put(root, right), wrapper)];
      const both = said(put(put(root, left), right), wrapper);
      expect(both).toEqual([...new Set(alone.flat())].sort());
    }),
    { numRuns: runs(250) },
  );
});
