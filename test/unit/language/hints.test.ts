// Hints: the figure stands at the line that decides it, and hover says the same.
import { describe, expect, it } from 'vitest';
import { hints } from '../../../src/language/hints';
import { hover } from '../../../src/language/hover';
import { TEMPLATES } from '../../../src/language/templates';
import { cursor } from './screen';

const TEXT = `# isoperf: seed=42
load:
  type: poisson # arrivals
  stages:
    - rate: 10
      duration: 6
    - rate: 2.5
      duration: 13
  request_timeout: 20
data:
  type: random
  input_distribution:
    mean: 100
  output_distribution: { type: fixed, mean: 64 }
server:
  base_url: http://h:1
`;

/** Hints at the end of their lines, as on the screen. */
function shown(text: string, cpus?: number): Record<string, string> {
  const lines = text.split('\n');
  return Object.fromEntries(
    hints(text, cpus === undefined ? {} : { cpus }).map(({ position, label }) => {
      const line = lines[position.line]!;
      expect(position.column).toBe(line.trimEnd().length);
      return [line.trim(), label];
    }),
  );
}

describe('hints', () => {
  it('say what will really happen', () => {
    expect(shown(TEXT, 2)).toEqual({
      'load:': '≤ 200 in flight (2 CPUs), timeout 20 s',
      'type: poisson # arrivals': 'Poisson counts per second; seed: 42',
      'stages:': '92 requests, 23 s, 13.1k in, 5,888 out',
      '- rate: 10': '60 requests, p95 safe, open to 20 s',
      '- rate: 2.5': '32 requests, p90 safe, open to 80 s',
      'input_distribution:': 'mean 143, spread 146, 33 % at 10',
      'output_distribution: { type: fixed, mean: 64 }': 'always 64',
    });
  });
  it('the default of the workers is the machine’s: without one there is no limit to name', () => {
    expect(shown(TEXT)['load:']).toBe('timeout 20 s');
  });
  it('how many threads IsoPerf would send with stands there when it is more than one', () => {
    const heavy = `${TEXT.replace('rate: 10', 'rate: 400').replace('duration: 6', 'duration: 60')}api: { streaming: true }\n`;
    const load = (text: string, cores: number, asked: 'auto' | number = 'auto') =>
      hints(text, { cpus: 4, sending: { asked, cores } }).find(({ path }) => path.length === 1 && path[0] === 'load')!;
    expect(load(heavy, 16).label).toBe('≤ 400 in flight, timeout 20 s, 3 threads');
    expect(load(heavy, 16).tooltip).toContain('IsoPerf sends it with **3 threads** here (auto: ');
    expect(load(heavy, 2).label).not.toContain('thread');
    expect(load(TEXT, 16).tooltip).not.toContain('thread');
    expect(load(TEXT, 2, 4).tooltip).toContain('**4 threads** here (asked for)');
  });
  it('the spacing a directive asks for a single stage stands at that stage', () => {
    const even = TEXT.replace('- rate: 10', '- rate: 10 # isoperf: arrivals=even');
    const found = shown(even, 2);
    expect(found['- rate: 10 # isoperf: arrivals=even']).toBe('60 requests, even, p95 safe, open to 20 s');
    expect(found['- rate: 2.5']).toBe('32 requests, p90 safe, open to 80 s');
    const tooltip = hints(even, { cpus: 2 }).find(({ label }) => label.includes('even'))?.tooltip;
    expect(tooltip).toContain('Arrivals of this stage: even in IsoPerf; inference-perf keeps to the load type.');
  });
  it('chat on shareGPT, prompts that repeat, a warm-up', () => {
    const capped = TEXT.replace('random', 'shareGPT')
      .replace(/ {2}input[\s\S]*64 }\n/, '')
      .concat('api: {type: chat}\n');
    expect(shown(capped)['type: shareGPT']).toBe('30 output tokens a request');
    const shared = TEXT.replace(
      / {2}type: random[\s\S]*64 }\n/,
      '  type: shared_prefix\n  shared_prefix: {num_groups: 2, num_prompts_per_group: 10}\n',
    );
    expect(shown(shared)['type: shared_prefix']).toBe('each prompt up to 3x in a stage');
    expect(shown(shared)['- rate: 10']).toContain('each prompt 3x');
    const warm = shown(TEXT.replace('duration: 6', 'duration: 6 # isoperf: warmup'));
    expect(warm['- rate: 10']).toMatch(/^60 requests, warm-up/);
  });
  it('an arrivals directive is what IsoPerf does', () => {
    expect(shown(TEXT.replace('seed=42', 'seed=42, arrivals=even'))['type: poisson # arrivals']).toBe(
      'even in IsoPerf; seed: 42',
    );
  });
  it('figures that rest on a placeholder are not shown', () => {
    const open = shown(TEXT.replace('rate: 10', 'rate: ${RATE}'));
    expect(Object.keys(open)).toEqual(['input_distribution:', 'output_distribution: { type: fixed, mean: 64 }']);
    expect(shown(TEXT.replace('mean: 100', 'mean: ${MEAN}'))['stages:']).toBe('92 requests, 23 s');
    expect(Object.keys(shown(TEXT.replace('http://h:1', '${URL}')))).toHaveLength(7);
  });
  it('stand in the file where the wrapped config stands', () => {
    const map = `apiVersion: v1\nkind: ConfigMap\ndata:\n  config.yml: |\n${TEXT.replace(/^(?=.)/gm, '    ')}`;
    expect(shown(map)['- rate: 10']).toMatch(/^60 requests/);
    const values = `config:\n${TEXT.replace(/^(?=.)/gm, '  ')}`;
    expect(shown(values)['input_distribution:']).toMatch(/^mean 143/);
  });
  it('hover says the same, and how it comes about', () => {
    const over = (marked: string): string => {
      const { text, position } = cursor(marked);
      return hover(text, position, { cpus: 2 })?.markdown ?? '';
    };
    expect(over(TEXT.replace('duration: 13', 'dura|tion: 13'))).toContain('the whole part of rate x duration, 32.5');
    expect(over(TEXT.replace('input_dist', 'input|_dist'))).toContain('33 % are exactly 10');
    expect(over(TEXT.replace('stages:', 'sta|ges:'))).toContain('**92** requests in 2 stages');
    expect(over(TEXT.replace('load:', 'lo|ad:'))).toContain('In a pod it is the node’s');
  });
});

it('no hint is longer than what VS Code shows of one', () => {
  const texts = [TEXT, ...TEMPLATES.map(({ text }) => text)];
  const wide = TEXT.replace('rate: 10', 'rate: 12345.5').replace(
    'mean: 100',
    'mean: 4096\n    std_dev: 2048\n    max: 8192',
  );
  for (const text of [...texts, wide])
    for (const { label } of hints(text, { cpus: 128 })) expect(label.length, label).toBeLessThanOrEqual(43);
});
