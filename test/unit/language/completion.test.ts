// Completion, as on the screen: the cursor is `|`, and the text around it need not be finished.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completions, type Completion } from '../../../src/language/completion';
import { fieldAt } from '../../../src/config/model/fields';
import { loaderVerdict } from '../../../src/config/loader';
import type { Target } from '../../../src/config/model/target';
import { diagnostics } from '../../../src/language/diagnostics';
import { CONFIG, cursor } from './screen';

function at(marked: string): readonly Completion[] {
  const { text, position } = cursor(marked);
  return completions(text, position);
}
const labels = (marked: string, kind: Completion['kind'] = 'key'): string[] =>
  at(marked)
    .filter((entry) => entry.kind === kind)
    .map((entry) => entry.label);

/** The text after choosing an entry, its tab stops taken at their defaults. */
function chosen(marked: string, label: string): string {
  const { text, position } = cursor(marked);
  const entry = completions(text, position).find((candidate) => candidate.label === label);
  if (!entry) throw new Error(`${label} is not offered`);
  const lines = text.split('\n');
  const line = lines[entry.range.startLine]!;
  const inserted = entry.insertText
    .replace(/\$\{\d+\|([^,|]*)[^}]*\}/g, '$1')
    .replace(/\$\{\d+:([^}]*)\}/g, '$1')
    .replace(/\$\d+/g, '');
  lines[entry.range.startLine] = line.slice(0, entry.range.startColumn) + inserted + line.slice(entry.range.endColumn);
  return lines.join('\n');
}

describe('keys', () => {
  it('sections at the top level, those present left out', () => {
    expect(labels(`${CONFIG}|`)).toEqual([
      'api',
      'data',
      'metrics',
      'report',
      'storage',
      'tokenizer',
      'circuit_breakers',
    ]);
  });
  it('of a stage by load type, in an item and under a lone dash', () => {
    expect(labels(CONFIG.replace('      duration: 60', '      |'))).toEqual(['duration']);
    expect(labels('load:\n  type: concurrent\n  stages:\n    - |\n')).toEqual(['num_requests', 'concurrency_level']);
    expect(labels('load:\n  stages:\n  - rate: 4\n    |\n  type: poisson\n')).toEqual(['duration']);
    expect(labels('load:\n  type: trace_session_replay\n  stages:\n    - |\n')).toContain('session_rate');
  });
  it('of data by data type', () => {
    expect(labels('load: {stages: []}\ndata:\n  type: random\n  |\n')).toEqual([
      'input_distribution',
      'output_distribution',
      'trace',
      'use_chat_template',
    ]);
    expect(labels('load: {stages: []}\ndata:\n  |\n  type: shared_prefix\n')).toEqual(['shared_prefix', 'multimodal']);
    expect(labels('data:\n  |\n')).toContain('conversation_replay');
  });
  it('of a distribution by its shape', () => {
    const text = 'data:\n  type: random\n  input_distribution:\n    type: fixed\n    |\n';
    expect(labels(text)).toEqual(['mean', 'total_count']);
    expect(labels(text.replace('fixed', 'uniform'))).toEqual(['min', 'max', 'total_count']);
    expect(labels('data:\n  shared_prefix:\n    question_len:\n      type: skew_normal\n      |\n')).toContain('skew');
  });
  it('by a part of the word, which is replaced whole', () => {
    const [entry] = at(CONFIG.replace('duration', 'dura|tion')).filter(({ label }) => label === 'duration');
    expect(entry).toMatchObject({
      insertText: 'duration',
      range: { startLine: 5, startColumn: 6, endLine: 5, endColumn: 14 },
    });
  });
  it('in braces', () => {
    expect(labels('load:\n  type: poisson\n  stages: [{ rate: 5, | }]\n')).toEqual(['duration']);
    expect(labels('data: { type: random, input_distribution: { type: fixed, | } }\n')).toEqual(['mean', 'total_count']);
    expect(labels('data: { | }\n')).toContain('type');
  });
  it('in a ConfigMap, in Helm values, in a workload; nowhere else in those files', () => {
    const map =
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  config.yml: |-\n    load:\n      type: concurrent\n      stages:\n        - @\n';
    const marked = (text: string): string => text.replace('|-', '>-').replace('@', '|');
    expect(labels(marked(map))).toEqual(['num_requests', 'concurrency_level']);
    expect(labels(marked(map.replace('name: x', '@').replace('- @', '- x: 1')))).toEqual([]);
    expect(labels('config:\n  load:\n    type: concurrent\n    |\n')).toContain('num_workers');
    expect(labels('workload:\n  one:\n    server:\n      |\n')).toContain('base_url');
    expect(labels('services:\n  |\n')).toEqual([]);
  });
  const JOB = `apiVersion: batch/v1
kind: Job
spec:
  template:
    spec:
      containers:
        - name: perf
          args:
            - |
              cat <<'EOF' > /tmp/config.yaml
              load:
                type: concurrent
                stages:
                  - 
              EOF
              inference-perf -c /tmp/config.yaml
`;
  it('in a here-document of a Job and under any name in a ConfigMap, with the indentation of the place', () => {
    const inJob = completions(JOB, { line: 13, column: 20 }).map(({ label }) => label);
    expect(inJob).toEqual(['num_requests', 'concurrency_level']);
    expect(completions(JOB, { line: 15, column: 14 })).toEqual([]);
    const map = 'apiVersion: v1\nkind: ConfigMap\ndata:\n  perf: |\n    load:\n      type: constant\n      \n';
    const stages = completions(map, { line: 6, column: 6 }).find(({ label }) => label === 'stages');
    expect(stages?.range).toMatchObject({ startLine: 6, startColumn: 6 });
    const below = stages!.insertText.split('\n').slice(1);
    expect(below.length).toBeGreaterThan(0);
    for (const line of below) expect(line).toMatch(/^ {6,}\S/);
  });
  it('that the version knows: by the setting, the image, the directive, the last of them first', () => {
    const circuit = (text: string, defaultTarget?: Target): boolean => {
      const lines = text.split('\n').length - 1;
      const found = completions(text, { line: lines, column: 0 }, defaultTarget ? { defaultTarget } : {});
      return found.some(({ label }) => label === 'circuit_breakers');
    };
    expect(circuit(CONFIG)).toBe(true);
    expect(circuit(CONFIG, 'v0.2.0')).toBe(false);
    expect(circuit(`# isoperf: target=v0.6.1\n${CONFIG}`, 'v0.2.0')).toBe(true);
    expect(circuit(`# isoperf: target=v0.2.0\n${CONFIG}`)).toBe(false);
    // Half a line is broken YAML: the directive counts all the same.
    expect(circuit(`# isoperf: target=v0.2.0\nload:\n  type\n`, 'main')).toBe(false);
  });
  it('while other lines are broken', () => {
    const broken =
      'load:\n  type: concurrent\n  stages:\n    - num_requests 5\n      concurrency_level: {\nserver:\n  |\n';
    expect(labels(broken)).toEqual(expect.arrayContaining(['base_url', 'ignore_eos']));
    expect(labels('load:\n  ty\n  "\n  |\n')).toContain('num_workers');
  });
  it('say type, unit, default, meaning', () => {
    const entry = at('load:\n  |\n').find(({ label }) => label === 'interval');
    expect(entry).toMatchObject({ detail: 'number, s, default 1' });
    expect(entry?.documentation).toContain('Pause after every stage');
  });
  it('come with what must stand under them', () => {
    expect(chosen(`${CONFIG}|`, 'metrics')).toContain('metrics:\n  type: prometheus');
    expect(chosen('load:\n  type: concurrent\n  |\n', 'stages')).toBe(
      'load:\n  type: concurrent\n  stages:\n    - num_requests: 320\n      concurrency_level: 8\n',
    );
    expect(chosen('data:\n  type: random\n  |\n', 'input_distribution')).toContain('    type: fixed\n    mean: 128');
  });
});

describe('for every load.type and data.type', () => {
  const LOADS = Object.keys(fieldAt(['load', 'type'])!.enumValues!);
  const DATA = Object.keys(fieldAt(['data', 'type'])!.enumValues!);
  const STAGE: Readonly<Record<string, string>> = {
    concurrent: '{ num_requests: 5, concurrency_level: 2 }',
    trace_session_replay: '{ concurrent_sessions: 2 }',
  };
  const whole = (load: string, data: string, more = ''): string =>
    `api:\n  type: completion\nserver:\n  base_url: http://h:1\nload:\n  type: ${load}\n  stages:\n    - ${STAGE[load] ?? '{ rate: 1, duration: 2 }'}\ndata:\n  type: ${data}\n${more}`;
  const unknown = (text: string): readonly string[] =>
    loaderVerdict(text)
      .problems.filter(({ code }) => code === 'CFG001')
      .map(({ message }) => message);

  it.each(DATA)('under data of type %s: keys that it reads, its own block among them', (type) => {
    const keys = labels(`${whole('constant', type)}  |`);
    for (const key of keys) expect(unknown(whole('constant', type, `  ${key}: 1\n`))).toEqual([]);
    const blocks = DATA.filter((name) => fieldAt(['data', name]) !== undefined);
    expect(blocks.filter((name) => keys.includes(name))).toEqual(blocks.includes(type) ? [type] : []);
    const sampled = ['shareGPT', 'synthetic', 'random', 'cnn_dailymail', 'infinity_instruct', 'billsum_conversations'];
    expect(keys.includes('input_distribution')).toBe(sampled.includes(type));
  });

  it.each(LOADS)('under load of type %s, and in its stages: keys that it knows', (type) => {
    const data = type === 'trace_session_replay' ? 'otel_trace_replay' : 'mock';
    const text = whole(type, data);
    const inLoad = labels(text.replace(`  type: ${type}\n`, `  type: ${type}\n  |\n`));
    expect(inLoad.length).toBeGreaterThan(3);
    for (const key of inLoad) expect(unknown(text.replace('  stages', `  ${key}: 1\n  stages`))).toEqual([]);
    const inStage = labels(text.replace(/- \{.*\}/, '- |'));
    expect(inStage.length).toBeGreaterThan(1);
    for (const key of inStage)
      expect(unknown(text.replace(/- \{/, `- { ${key}: 1, `).replace(`, ${key}: 2`, ''))).toEqual([]);
    expect(inStage.includes('rate')).toBe(!['concurrent', 'trace_session_replay'].includes(type));
    expect(inStage.includes('concurrency_level')).toBe(type === 'concurrent');
    expect(inStage.includes('concurrent_sessions')).toBe(type === 'trace_session_replay');
  });
});

describe('values', () => {
  it('words with their meaning; a word that stops the run is left out', () => {
    expect(labels('load:\n  type: |\n', 'value')).toEqual([
      'constant',
      'poisson',
      'trace_replay',
      'concurrent',
      'trace_session_replay',
    ]);
    const text = 'data:\n  type: random\n  input_distribution:\n    type: |\n';
    expect(labels(text, 'value')).toEqual(['normal', 'lognormal', 'uniform', 'fixed']);
    expect(labels('data: { type: shared_prefix, shared_prefix: { question_len: { type: | } } }', 'value')).toContain(
      'poisson',
    );
  });
  it('booleans and default numbers', () => {
    expect(at('api:\n  streaming: t|\n')).toMatchObject([
      { label: 'true', detail: '', range: { startColumn: 13, endColumn: 14 } },
      { label: 'false', detail: 'default' },
    ]);
    expect(labels('load:\n  worker_max_concurrency: |\n', 'value')).toEqual(['100']);
    expect(labels('server:\n  base_url: |\n', 'value')).toEqual([]);
  });
});

describe('snippets', () => {
  it('a ladder of stages whose warm-up is marked, and a distribution of every shape, all valid', () => {
    const base = `server:\n  base_url: http://h:1\nload:\n  type: poisson\n  |\n`;
    const after = chosen(base, 'stages: warm-up and a ladder');
    expect(diagnostics(after).filter((problem) => problem.severity === 'error')).toEqual([]);
    expect(diagnostics(after).map((problem) => problem.code)).not.toContain('CMP008');
    for (const shape of ['fixed', 'normal', 'lognormal', 'uniform']) {
      const data = chosen('data:\n  type: random\n  |\n', `input_distribution: ${shape}`);
      const whole = `${data}  output_distribution: {type: fixed, mean: 9}\nserver: {base_url: 'http://h:1'}\nload: {base_seed: 1, stages: [{rate: 1, duration: 1}]}\n`;
      expect(
        diagnostics(whole).filter((problem) => ['CMP024', 'CFG001'].includes(problem.code)),
        shape,
      ).toEqual([]);
    }
  });
  it('one more stage where a dash belongs', () => {
    expect(chosen('load:\n  type: concurrent\n  stages:\n    |\n', '- stage')).toBe(
      'load:\n  type: concurrent\n  stages:\n    - num_requests: 320\n      concurrency_level: 8\n',
    );
    expect(labels('load:\n  stages:\n    - rate: 1\n      duration: 2\n    |\n', 'snippet')).toEqual(['- stage']);
  });
});

describe('directives', () => {
  it('the mark, then what may follow it', () => {
    expect(labels(`# is|\n${CONFIG}`, 'directive')).toEqual(['isoperf:']);
    expect(labels(CONFIG.replace('isoperf: warmup', 'isoperf: w|'), 'directive')).toEqual(
      expect.arrayContaining(['warmup', 'seed', 'disable']),
    );
    expect(labels('# a thought on | rates\n', 'directive')).toEqual([]);
  });
  it('the codes there are to disable', () => {
    const found = at(`# isoperf: disable C|\n${CONFIG}`);
    expect(found.map(({ label }) => label)).toContain('CMP001');
    expect(found[0]?.insertText).toMatch(/^CMP\d{3} because \$\{1:reason\}$/);
  });
});

it('any text at any place is answered without throwing, inside its line', () => {
  const soup = fc.string({
    unit: fc.constantFrom(...Array.from('ab: -#\n\n  "\'[]{},&*!|>%'), 'load:\n', '  stages:\n', '# isoperf: '),
    maxLength: 40,
  });
  fc.assert(
    fc.property(soup, fc.nat(20), fc.nat(30), (text, line, column) => {
      for (const entry of completions(text, { line, column })) {
        expect(entry.range.startColumn).toBeGreaterThanOrEqual(0);
        expect(entry.range.endColumn).toBeGreaterThanOrEqual(entry.range.startColumn);
      }
    }),
    { numRuns: 400 },
  );
});

it.each([
  ['brackets', `load: ${'['.repeat(50_000)}`],
  ['braces', `load: ${'{a: '.repeat(20_000)}`],
  ['dashes', `load:\n${'- '.repeat(30_000)}`],
  ['a huge line', `load: {a: ${'x'.repeat(900_000)}`],
])('a text of nothing but %s is answered in bounded time and memory', (_name, text) => {
  const lines = text.split('\n');
  const start = performance.now();
  completions(text, { line: lines.length - 1, column: lines.at(-1)!.length });
  expect(performance.now() - start).toBeLessThan(5000);
});
