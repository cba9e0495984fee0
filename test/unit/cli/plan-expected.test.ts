// What the plan, the hints and the hover expect, against what the stream really draws; and each line of the plan that says it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { CliIo } from '../../../src/cli/command';
import { planCommand } from '../../../src/cli/plan';
import { hints } from '../../../src/language/hints';
import { hover } from '../../../src/language/hover';
import { SAMPLE_TOKENIZER } from '../run/harness';

vi.stubGlobal('ISOPERF_VERSION', 'test');
vi.stubGlobal('UNDICI_VERSION', 'test');

const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-expected-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function plan(text: string, ...flags: string[]): Promise<string> {
  let out = '';
  const io: CliIo = {
    out: (words) => (out += words),
    err: () => 0,
    isTerminal: false,
    columns: 160,
    env: { HF_HOME: folder, XDG_CACHE_HOME: folder },
    cwd: folder,
  };
  writeFileSync(path.join(folder, 'c.yaml'), text);
  expect(await planCommand.run(['c.yaml', ...flags], io)).toBe(0);
  return out;
}

const config = (data: string, load = '{ type: poisson, stages: [{ rate: 100, duration: 30 }] }'): string =>
  `# isoperf: seed=5
load: ${load}
server: { model_name: one, base_url: "http://127.0.0.1:9" }
api: { type: completion, streaming: true }
tokenizer: { pretrained_model_name_or_path: ${SAMPLE_TOKENIZER} }
data: ${data}
`;

interface Length {
  readonly mean: number;
  readonly spread: number;
  readonly atMin: number;
}
interface Planned {
  readonly stages: readonly {
    readonly requests: number;
    readonly promptLength: { mean: number };
    readonly maxTokens: { mean: number };
  }[];
  readonly expected: {
    readonly totalRequests: number;
    readonly input: { perRequest: Length; totalTokens: number };
    readonly output: { perRequest: Length; totalTokens: number };
  };
}

const WORKLOADS: readonly (readonly [string, string])[] = [
  ['mean: 100 alone', '{ type: random, input_distribution: { mean: 100 }, output_distribution: { mean: 100 } }'],
  [
    'lognormal and uniform',
    '{ type: random, input_distribution: { type: uniform, min: 20, max: 60 }, output_distribution: { type: lognormal, min: 5, max: 200, mean: 60, std_dev: 60 } }',
  ],
  [
    'skewed and Poisson, behind shared prefixes',
    '{ type: shared_prefix, shared_prefix: { num_groups: 30, num_prompts_per_group: 100, system_prompt_len: 20, question_len: { type: poisson, min: 10, max: 60, mean: 40 }, output_len: { type: skew_normal, min: 10, max: 90, mean: 30, std_dev: 20, skew: 3 } } }',
  ],
];

describe('drawn and expected', () => {
  it.each(WORKLOADS)('%s: 3,000 requests come to what was said, in tokens and in all', async (_name, data) => {
    const { stages, expected } = JSON.parse(await plan(config(data), '--json')) as Planned;
    const [stage] = stages;
    expect(stage!.requests).toBe(3000);
    expect(expected.totalRequests).toBe(3000);
    for (const [drawn, said] of [
      [stage!.promptLength, expected.input],
      [stage!.maxTokens, expected.output],
    ] as const) {
      const error = (4 * said.perRequest.spread) / Math.sqrt(3000) + 0.1;
      expect(Math.abs(drawn.mean - said.perRequest.mean)).toBeLessThan(error);
      expect(said.totalTokens).toBeCloseTo(3000 * said.perRequest.mean, 3);
      expect(Math.abs(3000 * drawn.mean - said.totalTokens)).toBeLessThan(3000 * error);
    }
  });

  it('mean: 100 alone is 143, with a third of the prompts at the bound', async () => {
    const { expected } = JSON.parse(await plan(config(WORKLOADS[0]![1]), '--json')) as Planned;
    expect(expected.input.perRequest.mean).toBeGreaterThan(141);
    expect(expected.input.perRequest.mean).toBeLessThan(145);
    expect(expected.input.perRequest.atMin).toBeCloseTo(0.327, 2);
  });
});

describe('plan, hints and hover say the same', () => {
  const text = config(
    '{ type: random, input_distribution: { mean: 100 }, output_distribution: { type: fixed, mean: 32 } }',
    '\n  type: constant\n  num_workers: 2\n  worker_max_concurrency: 20\n  stages:\n    - { rate: 5.5, duration: 11 }\n    - { rate: 6, duration: 10 }',
  );
  const line = (needle: string): number => text.split('\n').findIndex((entry) => entry.includes(needle));
  const over = (needle: string): string => {
    const column = text.split('\n')[line(needle)]!.indexOf(needle) + 1;
    return hover(text, { line: line(needle), column }, { cpus: 3 })?.markdown ?? '';
  };
  const labels = hints(text, { cpus: 3 }).map(({ label, tooltip }) => `${label} | ${tooltip}`);

  it.each([
    // [what, line of the plan, hint, key to hover, hover]
    [
      'requests with the floor',
      /0 +5\.5 rps for 11 s .* 60 /,
      /60 requests.*60\.5/s,
      'rate: 5.5',
      /\*\*60\*\* requests: the whole part/,
    ],
    ['requests and time', /120 requests, about 25 s/, /120 req.*25 s/, 'stages:', /\*\*120\*\* requests in 2 stages/],
    [
      'tokens in',
      /Prompts: on average 142\.7 tokens; about 17,12\d in all/,
      /17\.1k in/,
      'stages:',
      /143 tokens a request, \*\*about 17\.1k\*\* in all/,
    ],
    [
      'tokens out',
      /Outputs, as asked for: on average 32 tokens; about 3,840 in all/,
      /3,840\*\* in all/,
      'stages:',
      /32 tokens a request, \*\*3,840\*\*/,
    ],
    [
      'the clamped distribution',
      /mean 142\.7 \(asked for: 100\), standard deviation 145\.\d; 32\.7 % exactly 10/,
      /mean 143.*33 % at 10/,
      'input_distribution',
      /mean \*\*143\*\*, standard deviation 146; 33 % are exactly 10/,
    ],
    [
      'need and cap',
      /up to 60 at once; the client allows 40 \(num_workers 2 x 20\): requests will wait/,
      /at most 40 in flight/,
      'num_workers',
      /At most \*\*40\*\* requests in flight/,
    ],
    ['percentile', / p95\n/, /p95 safe/, 'rate: 6', /p95 is the highest/],
    [
      'law and seed',
      /Arrivals: exponential gaps scaled.*Seed: 5 \(directive\)/,
      /bursty: exponential gaps; seed: 5/,
      'type: constant',
      /exponential gaps scaled.*Seed of arrivals: 5/s,
    ],
    [
      'timeout',
      /Timeout: 300 s a request \(request_timeout is not set/,
      /timeout 300 s/,
      'worker_max_concurrency',
      /given up after \*\*300 s\*\*/,
    ],
    [
      'repeats',
      /Repeats: none, every prompt is sent once/,
      /What comes again: the lengths/,
      'type: random',
      /What comes again: the lengths/,
    ],
  ] as const)('%s', async (_what, planned, hint, key, hovered) => {
    expect(await plan(text)).toMatch(planned);
    expect(labels.some((label) => hint.test(label))).toBe(true);
    expect(over(key)).toMatch(hovered);
  });

  it('workers that are not written: this machine’s CPUs, and in a pod the node’s', async () => {
    const left = text.replace('  num_workers: 2\n', '');
    expect(await plan(left)).toMatch(
      /num_workers is not written: it is the number of CPUs, here of this machine, in a pod of the whole node/,
    );
    expect(await plan(text)).not.toContain('num_workers is not written');
    const tooltip = hints(left, { cpus: 3 }).find(({ path: at }) => at.join('.') === 'load')?.tooltip;
    expect(tooltip).toMatch(/\*\*3\*\* on this machine\)\. In a pod it is the node’s/);
  });

  it('a chat on shareGPT asks for 30 tokens', () => {
    const chat = config('{ type: shareGPT }').replace('type: completion', 'type: chat');
    const [row, column] = [chat.split('\n').length - 2, 'data: { type'.length];
    expect(hover(chat, { line: row, column }, {})?.markdown).toMatch(
      /30 tokens a request, \*\*about 90k\*\* in all \(capped at 30/,
    );
    expect(hints(chat).some(({ label }) => label === '30 output tokens a request')).toBe(true);
  });
});
