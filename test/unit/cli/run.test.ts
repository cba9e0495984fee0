// `isoperf run` as a command line: words that are wrong, output for people and for programs, progress on and off a terminal.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageError, type CliIo } from '../../../src/cli/command';
import { runCommand } from '../../../src/cli/run';
import { createProgress } from '../../../src/cli/run-progress';
import type { RunEvent } from '../../../src/events';
import { startSimulator, type Simulator } from '../../../src/simulator/server';

const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-cli-run-'));
let sim: Simulator;
beforeAll(async () => {
  sim = await startSimulator({ port: 0, ttftSeconds: 0.01, tokenSeconds: 0.002 });
});
afterAll(async () => {
  await sim.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Said {
  readonly io: CliIo;
  out: string;
  err: string;
}
function terminal(changes: Partial<CliIo> = {}): Said {
  const said: Said = {
    out: '',
    err: '',
    io: {
      out: (text) => (said.out += text),
      err: (text) => (said.err += text),
      isTerminal: false,
      columns: 100,
      env: { HF_HOME: folder },
      cwd: folder,
      ...changes,
    },
  };
  return said;
}

function config(name: string, changes = ''): string {
  writeFileSync(
    path.join(folder, name),
    `load: { type: constant, interval: 0, stages: [{ rate: 30, duration: 2 }] }
api: { streaming: true }
server: { type: vllm, model_name: m, base_url: "${sim.url}" }
data: { type: mock }
${changes}`,
  );
  return name;
}

async function run(args: readonly string[], io = terminal()): Promise<Said & { code: number }> {
  const code = await runCommand.run(args, io.io);
  return { ...io, code, out: io.out, err: io.err };
}

describe('the command line', () => {
  it.each([
    [[], /no config/],
    [['a.yaml', 'b.yaml'], /b\.yaml/],
  ])('%j is wrong usage', async (args, says) => {
    await expect(run(args)).rejects.toThrow(UsageError);
    await expect(run(args)).rejects.toThrow(says);
  });

  it.each(['random', 'shared_prefix'])(
    'Ctrl+C while %s prompts are prepared: nothing is sent, 1, no folder',
    async (type) => {
      const many = '500000';
      const name = config(
        `many-${type}.yaml`,
        `
tokenizer: { pretrained_model_name_or_path: "${path.resolve('samples/tokenizer')}" }
`,
      );
      const length = '{ type: fixed, min: 1, max: 500, mean: 100 }';
      const data =
        type === 'random'
          ? ['data.type=random', `data.input_distribution=${length}`, `data.output_distribution=${length}`]
          : [
              'data.type=shared_prefix',
              `data.shared_prefix={ num_groups: 1, num_prompts_per_group: ${many}, system_prompt_len: 50, question_len: 50, output_len: 9 }`,
            ];
      const sets = [...data, `load.stages=[{ rate: ${many}, duration: 1 }]`].flatMap((set) => ['--set', set]);
      const shown = terminal({ isTerminal: true });
      const interrupt = setInterval(() => {
        if (!/prepared [\d,]+ of 500,000 prompts/.test(shown.err)) return;
        clearInterval(interrupt);
        process.emit('SIGINT');
      }, 50);
      const said = await run([name, '--out', `out-${type}`, ...sets], shown);
      clearInterval(interrupt);
      expect(said.err).toMatch(
        /prepared [\d,]+ of 500,000 prompts[^]*Nothing was sent: the run was stopped before it began/,
      );
      expect([said.code, existsSync(path.join(folder, `out-${type}`))]).toEqual([1, false]);
    },
  );

  it('an unknown option is wrong usage', async () => {
    await expect(run(['a.yaml', '--rate', '5'])).rejects.toThrow(/there is no option --rate/);
  });

  it('ends with the line that compares it with the run before, and tables that keep to the width', async () => {
    const name = config('twice.yaml');
    const first = await run([name, '--out', 'twice/a']);
    expect(first.code).toBe(0);
    expect(first.out).not.toContain('isoperf compare');
    const again = await run([name, '--out', 'twice/b b'], terminal({ columns: 80 }));
    expect(again.out).toContain("Compare with the run before: isoperf compare twice/a 'twice/b b'\n");
    expect(Math.max(...again.out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    for (const column of ['TTFT p50', 'E2E p99', 'late p99', 'cancelled']) expect(again.out).toContain(column);
    const other = await run([config('other.yaml'), '--out', 'twice/c']);
    expect(other.out).not.toContain('isoperf compare');
  });

  it('--max-failures decides over a run with failures: 1 and why, or 0', async () => {
    const faulty = await startSimulator({
      faultRate: 0.3,
      faultKinds: ['http500'],
      ttftSeconds: 0.002,
      tokenSeconds: 0.0005,
    });
    const file = config('faulty.yaml');
    const withLimit = (limit: string) =>
      run([
        file,
        '--set',
        `server.base_url=${faulty.url}`,
        '--set',
        'load.stages=[{rate: 60, duration: 1}]',
        '--max-failures',
        limit,
      ]);
    try {
      const strict = await withLimit('5%');
      expect(strict.code).toBe(1);
      expect(strict.out + strict.err).toMatch(/of 60 requests failed, more than the 5 % that --max-failures allows/);
      expect((await withLimit('59')).code).toBe(0);
      await expect(withLimit('many')).rejects.toThrow(/--max-failures needs a share/);
    } finally {
      await faulty.close();
    }
  });

  it('a file that is not there, a folder, an empty file: 2', async () => {
    writeFileSync(path.join(folder, 'empty.yaml'), '\n');
    for (const [name, says] of [
      ['nowhere.yaml', /nowhere\.yaml.*no such file/],
      ['.', /no regular file/],
      ['empty.yaml', /empty/],
    ] as const) {
      const { code, err } = await run([name]);
      expect(code).toBe(2);
      expect(err).toMatch(says);
    }
  });

  it('a config with errors: each at its place, nothing sent, 2', async () => {
    const { code, err } = await run([config('bad.yaml', 'lod: {}\n')]);
    expect(code).toBe(2);
    expect(err).toMatch(/bad\.yaml:5:1: error .*lod/);
    expect(err).toMatch(/nothing was sent/);
  });
});

describe('a run', () => {
  it('for people: progress on standard error, the table and the folder on standard output, 0', async () => {
    const { code, out, err } = await run([config('good.yaml'), '--out', 'people']);
    expect(code, err).toBe(0);
    expect(err).toMatch(/good: constant, 30 rps, 2 s \(60 requests\)/);
    expect(err).toMatch(/complete: 60 ok, 0 failed, 0 cancelled, 0 not sent/);
    expect(out).toMatch(/^0\s+30\.0 rps\s+[\d.]+ rps\s+60\s+0\s+0\s+0/m);
    expect(out).toMatch(/TTFT p50\s+TTFT p95\s+TTFT p99/);
    // 60 requests carry a p95 (59), not a p99 (299).
    expect(out).toMatch(/p99 needs 299 requests/);
    expect(out).not.toMatch(/p95 needs/);
    expect(out).toMatch(/Output tokens: server-usage/);
    expect(out).toMatch(/Report: people$/m);
  });

  it('for programs, as events: JSON lines in order, and nothing else on standard output', async () => {
    const { code, out } = await run([config('events.yaml'), '--out', 'events', '--events']);
    expect(code).toBe(0);
    const events = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as RunEvent);
    const kinds = events.map(({ type }) => type).filter((type) => type !== 'problem');
    expect(kinds[0]).toBe('planned');
    expect(kinds).toContain('tick');
    expect(kinds.at(-1)).toBe('finished');
    expect(kinds.indexOf('stageStarted')).toBeLessThan(kinds.indexOf('stageFinished'));
  });

  it('for programs, as one object', async () => {
    const { code, out } = await run([
      config('json.yaml'),
      '--out',
      'json',
      '--json',
      '--set',
      'load.stages[0].rate=10',
    ]);
    expect(code).toBe(0);
    const result = JSON.parse(out) as Record<string, unknown>;
    expect(result).toMatchObject({ state: 'complete', valid: true, counts: { planned: 20, ok: 20 } });
    expect(result['folder']).toBe(path.join(folder, 'json'));
    expect(Object.keys(result['stages'] as object)).toEqual(['0']);
  });

  it('that finds no server: the problem once, with its remedy, 1', async () => {
    const { code, err } = await run([config('dead.yaml'), '--set', 'server.base_url=http://127.0.0.1:1']);
    expect(code).toBe(1);
    expect(err.match(/RUN104/g)).toHaveLength(1);
    expect(err).toMatch(/Remedy:/);
  });

  it('takes a key from the environment and sends OpenAI’s to nobody else', async () => {
    const locked = await startSimulator({ port: 0, apiKey: 'k' });
    try {
      const args = [config('key.yaml'), '--set', `server.base_url=${locked.url}`, '--out', 'key'];
      const env = (variables: Record<string, string>) => terminal({ env: { HF_HOME: folder, ...variables } });
      expect((await run(args, env({}))).code).toBe(1);
      expect((await run(args, env({ OPENAI_API_KEY: 'k' }))).code).toBe(1);
      expect((await run([...args, '--api-key-env', 'MINE'], env({ MINE: 'k' }))).code).toBe(0);
      expect((await run(args, env({ ISOPERF_API_KEY: 'k' }))).code).toBe(0);
    } finally {
      await locked.close();
    }
  });
});

describe('progress', () => {
  const tick = (atSeconds: number): RunEvent => ({
    type: 'tick',
    stage: 0,
    atSeconds,
    stageElapsedSeconds: atSeconds,
    counts: { planned: 100, ok: 40, failed: 10, cancelled: 0, notSent: 0, sent: 60, inFlight: 10 },
    achievedRps: 12.34,
    ttftMs: 51.2,
    errors: [{ label: 'Timeout', count: 10 }],
  });

  it('on a terminal: one line, redrawn, never wider than the terminal', () => {
    const said = terminal({ isTerminal: true, columns: 60 });
    const progress = createProgress(said.io, 'x.yaml');
    for (let second = 0; second < 5; second++) progress.onEvent(tick(second));
    progress.finish();
    expect(said.err).not.toContain('\n');
    const [last] = said.err
      .split('\r\u001b[2K')
      .filter((text) => text !== '')
      .slice(-1);
    expect(last!.length).toBeLessThan(60);
    expect(last).toMatch(/^\[########\.{8}\] stage 0, 4 s, 50\/100 done/);
  });

  it('elsewhere: a plain line now and then', () => {
    const said = terminal();
    const progress = createProgress(said.io, 'x.yaml');
    for (let second = 0; second < 25; second++) progress.onEvent(tick(second));
    expect(said.err.trimEnd().split('\n')).toHaveLength(3);
    expect(said.err).toContain('10 failed (Timeout)');
    expect(said.err).not.toContain('\u001b');
  });

  it('says how far the prompts are, before anything else is known', () => {
    const said = terminal({ isTerminal: true });
    createProgress(said.io, 'x.yaml').onEvent({ type: 'preparing', done: 12_000, total: 300_000 });
    expect(said.err).toBe('\r\u001b[2Kprepared 12,000 of 300,000 prompts');
  });

  it('a problem is printed as compilers print it', () => {
    const said = terminal();
    createProgress(said.io, 'x.yaml').onEvent({
      type: 'problem',
      problem: { code: 'RUN999', severity: 'warning', path: ['a'], message: 'is odd.', remedy: 'Look.' },
    });
    expect(said.err).toBe('x.yaml: warning RUN999 a: is odd. Remedy: Look.\n');
  });
});
