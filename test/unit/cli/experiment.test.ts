// `isoperf experiment` as a user meets it: a plan, a run on two simulators, its answer, and an edit that is refused.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageError, type CliIo } from '../../../src/cli/command';
import { experimentCommand } from '../../../src/cli/experiment';
import { startSimulator, type Simulator } from '../../../src/simulator/server';

const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-cli-experiment-'));
let slow: Simulator;
let fast: Simulator;
beforeAll(async () => {
  slow = await startSimulator({ port: 0, ttftSeconds: 0.04, tokenSeconds: 0.001, prefixCache: true });
  fast = await startSimulator({ port: 0, ttftSeconds: 0.01, tokenSeconds: 0.001, prefixCache: true });
  writeFileSync(
    path.join(folder, 'base.yaml'),
    `load: { type: constant, interval: 0, num_workers: 1, stages: [{ rate: 50, duration: 1 }] }
api: { streaming: true }
server: { type: vllm, model_name: m, base_url: "${slow.url}", ignore_eos: true }
data: { type: random, input_distribution: { type: fixed, mean: 16 }, output_distribution: { type: fixed, mean: 4 } }
`,
  );
  writeFileSync(path.join(folder, 'experiment.yaml'), experiment());
});
afterAll(async () => {
  await Promise.all([slow.close(), fast.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const experiment = (more = ''): string => `isoperf: experiment/1
question: Is the other server faster?
change: { dimension: server }
sides:
  a: { config: base.yaml }
  b: { config: base.yaml, endpoint: "${fast.url}" }
design: { blocks: 3, discard: 1, cooldown: { seconds: 0 }, health: { lag_p99_ms: 2000 } }
primary: [ttft.p50]
margin: { ttft.p50: 5% }
${more}`;

async function isoperf(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' };
  const io: CliIo = {
    out: (text) => (said.out += text),
    err: (text) => (said.err += text),
    isTerminal: false,
    columns: 120,
    env: { HF_HOME: folder },
    cwd: folder,
  };
  const code = await experimentCommand.run(args, io);
  return { ...said, code };
}

describe('isoperf experiment', () => {
  it('plan says what it will take, and sends nothing', async () => {
    const { code, out } = await isoperf('plan', 'experiment.yaml');
    expect(code).toBe(0);
    expect(out).toContain('13: 1 discarded slot, 3 blocks of A B B A');
    expect(out).toMatch(/Hash +[0-9a-f]{64}/);
    expect(readdirSync(folder)).not.toContain('experiment');
  });

  it('run alternates, keeps every slot as a report folder, and answers', { timeout: 120_000 }, async () => {
    const { code, out, err } = await isoperf('run', 'experiment.yaml', '--json');
    expect(err.split('\n').filter((line) => /^ *\d+\/13 /.test(line))).toHaveLength(13);
    const slots = readdirSync(path.join(folder, 'experiment', 'slots')).sort();
    expect(slots).toHaveLength(13);
    for (const slot of slots) {
      expect(readdirSync(path.join(folder, 'experiment', 'slots', slot))).toContain('summary_lifecycle_metrics.json');
    }
    const report = JSON.parse(out) as {
      primary: { difference: number; interval: object }[];
      blocks: object;
      exitCode: number;
    };
    expect(report.blocks).toEqual({ whole: 3, void: 0, planned: 3 });
    expect(report.primary[0]!.difference).toBeLessThan(-0.4);
    expect(report.exitCode).toBe(code);
    // Nobody is told what serves: that the servers are the declared change is not shown by a record.
    expect(out).toContain('no record shows the declared change');
    const streams = new Map<string, Set<string>>();
    for (const slot of slots) {
      const manifest = JSON.parse(readFileSync(path.join(folder, 'experiment', 'slots', slot, 'run.json'), 'utf8')) as {
        workload: { promptsHash: string };
      };
      const block = slot.split('.')[0]!;
      streams.set(block, (streams.get(block) ?? new Set()).add(manifest.workload.promptsHash));
    }
    expect([...streams.values()].map((hashes) => hashes.size)).toEqual([1, 1, 1, 1]);
    expect(new Set([...streams.values()].flatMap((hashes) => [...hashes])).size).toBe(4);
  });

  it('once more runs nothing, and report answers the same', async () => {
    const again = await isoperf('run', 'experiment.yaml', '--json');
    expect(again.err).toContain('13 slots have ended already');
    const report = await isoperf('report', 'experiment', '--json');
    expect(report.out).toBe(again.out);
    const file = await isoperf('report', 'experiment', '--report', 'answer.md');
    expect(file.code).toBe(report.code);
    expect(readFileSync(path.join(folder, 'answer.md'), 'utf8')).toContain('# Is the other server faster?');
  });

  it.each([
    ['a look that nobody planned', 'stop: { looks: [3, 6] }\n', /stop changed/],
    ['another margin', '', /margin changed/],
  ])('refuses %s', async (_, more, words) => {
    const text = more === '' ? experiment().replace('5%', '50%') : experiment(more).replace('blocks: 3, ', '');
    writeFileSync(path.join(folder, 'experiment.yaml'), text);
    const { code, err } = await isoperf('run', 'experiment.yaml');
    writeFileSync(path.join(folder, 'experiment.yaml'), experiment());
    expect(code).toBe(2);
    expect(err).toMatch(words);
  });

  it('refuses what is wrong before anything is sent', async () => {
    const wrong = async (text: string): Promise<string> => {
      writeFileSync(path.join(folder, 'wrong.yaml'), text);
      const { code, err } = await isoperf('run', 'wrong.yaml');
      expect(code).toBe(2);
      expect(readdirSync(folder)).not.toContain('experiment-wrong');
      return err;
    };
    expect(await wrong(experiment().replace('primary', 'primry'))).toMatch(/wrong\.yaml:\d+.*Did you mean primary/s);
    expect(await wrong(experiment().replace('base.yaml', 'none.yaml'))).toContain('none.yaml cannot be read');
    expect(await wrong(experiment().replace(/endpoint: "[^"]*"/, 'set: { load.stages: 3 }'))).toContain('load.stages');
    await expect(isoperf('run')).rejects.toThrow(UsageError);
    await expect(isoperf('walk', 'x.yaml')).rejects.toThrow(UsageError);
    expect((await isoperf('report', 'nowhere')).code).toBe(2);
    expect((await isoperf('run', 'experiment.yaml', '--hash', '000')).code).toBe(2);
  });
});
