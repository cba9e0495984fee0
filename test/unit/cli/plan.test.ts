// `isoperf plan` and frozen streams, as called: figures, exit codes, one stream for any server, what cannot be changed in it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CliIo, Command } from '../../../src/cli/command';
import { planCommand } from '../../../src/cli/plan';
import { runCommand } from '../../../src/cli/run';
import { usableCores } from '../../../src/cores';
import { readFrozen } from '../../../src/run/frozen';
import { startSimulator, type Simulator } from '../../../src/simulator/server';
import { writeTokenizer } from '../datagen/tokenizer-fixture';
import { SAMPLE_TOKENIZER } from '../run/harness';

vi.stubGlobal('ISOPERF_VERSION', 'test');
vi.stubGlobal('UNDICI_VERSION', 'test');

const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-plan-'));
let sim: Simulator;
beforeAll(async () => {
  sim = await startSimulator({ port: 0, ttftSeconds: 0.002, tokenSeconds: 0.001 });
});
afterAll(async () => {
  await sim.close();
  rmSync(folder, { recursive: true, force: true });
});

async function call(command: Command, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const io: CliIo = {
    out: (text) => (out += text),
    err: (text) => (err += text),
    isTerminal: false,
    columns: 120,
    env: { HF_HOME: folder, XDG_CACHE_HOME: folder },
    cwd: folder,
  };
  const code = await command.run(args, io);
  return { code, out, err };
}

const CONFIG = `# isoperf: seed=3
load: { type: constant, interval: 0, num_workers: 2, worker_max_concurrency: 5, stages: [{ rate: 60, duration: 1 }, { rate: 20, duration: 1 }] }
server: { type: vllm, model_name: one, base_url: "http://127.0.0.1:9", api_key: very-secret-key }
tokenizer: { pretrained_model_name_or_path: ${SAMPLE_TOKENIZER} }
data: { type: random, input_distribution: { mean: 20, std_dev: 9, min: 10, max: 30 }, output_distribution: { type: fixed, mean: 4 } }
`;

function file(name: string, text: string): string {
  writeFileSync(path.join(folder, name), text);
  return name;
}

interface PlanJson {
  readonly planned: boolean;
  readonly hashes: { fingerprint: string };
  readonly frozen?: { sha256: string };
  readonly stages: {
    requests: number;
    safePercentile: string;
    repeated: number;
    inFlightCap: number;
    promptLength: { min: number; max: number; mean: number };
  }[];
  readonly expected: { timeout: { seconds: number }; stages: { inFlightNeed: number }[] };
  readonly problems: { code: string }[];
}

describe('a plan needs no server', () => {
  const body = CONFIG.replace(/^server:.*\n/m, '');
  it.each([
    ['none', ''],
    ['no address', 'server: { type: vllm, model_name: one }\n'],
    ['placeholders', 'server: { type: vllm, model_name: "${MODEL}", base_url: "{{ .Values.url }}", api_key: $KEY }\n'],
    ['an address that is none', 'server: { type: vllm, base_url: localhost }\n'],
    ['a place for reports to fill', 'storage: { local_storage: { path: "${DIR}" } }\n'],
  ])('%s', async (name, server) => {
    const config = file(`open-${name.replaceAll(' ', '-')}.yaml`, `${server}${body}`);
    const { code, out, err } = await call(planCommand, config, '--json');
    expect([code, err]).toEqual([0, '']);
    const plan = JSON.parse(out) as PlanJson;
    expect(plan.stages.map(({ requests }) => requests)).toEqual([60, 20]);
    const whole = await call(planCommand, file('whole.yaml', CONFIG), '--json');
    expect(plan.hashes).toEqual((JSON.parse(whole.out) as PlanJson).hashes);
  });
  it('a placeholder in what is sent is a reason to refuse', async () => {
    const config = file('open.yaml', CONFIG.replace('mean: 20', 'mean: "${MEAN}"'));
    expect((await call(planCommand, config)).code).toBe(2);
  });
});

describe('isoperf plan', () => {
  it('says how many threads would send, where it is more than one', async () => {
    const load = 'load: { type: concurrent, stages: [{ num_requests: 900, concurrency_level: 900 }] }';
    const heavy = CONFIG.replace(/^load:.*$/m, `${load}\napi: { streaming: true }`);
    const cores = vi.spyOn(os, 'availableParallelism').mockReturnValue(4);
    const quota = usableCores();
    const [text, json] = [await call(planCommand, file('t.yaml', heavy)), await call(planCommand, 't.yaml', '--json')];
    const small = await call(planCommand, file('c.yaml', CONFIG));
    cores.mockRestore();
    expect(small.out).not.toContain('Sending threads');
    const count = quota - 1;
    const { threads } = JSON.parse(json.out) as { threads: { count: number; reason: string } };
    expect([threads.count, threads.reason]).toEqual([Math.max(1, count), expect.stringContaining('45,000 tokens/s')]);
    if (count > 1) expect(text.out).toContain(`Sending threads: ${count} on this machine (auto: `);
  });

  it('tells requests, realised lengths, in flight against the cap, timeout and percentile, without a server', async () => {
    const { code, out } = await call(planCommand, file('c.yaml', CONFIG), '--json', '--latency', '0.5');
    expect(code).toBe(0);
    const plan = JSON.parse(out) as PlanJson;
    expect(plan.stages.map(({ requests, safePercentile }) => [requests, safePercentile])).toEqual([
      [60, 'p95'],
      [20, 'p50'],
    ]);
    expect(plan.stages[0]!.promptLength).toMatchObject({ min: 10, max: 30 });
    expect(plan.stages[0]!.inFlightCap).toBe(10);
    expect(plan.expected.stages[0]!.inFlightNeed).toBe(30);
    expect(plan.expected.timeout.seconds).toBe(300);
    const text = (await call(planCommand, 'c.yaml', '--latency', '0.5')).out;
    expect(text).toMatch(/up to 30 at once; the client allows 10 \(num_workers 2 x 5\): requests will wait/);
    expect(text).toMatch(/300 s a request \(request_timeout is not set/);
    expect(text).toMatch(/Repeats: none/);
    expect(text).not.toContain('very-secret-key');
  });

  it('tells of prompts that repeat', async () => {
    const data = 'data: { type: shared_prefix, shared_prefix: { num_groups: 2, num_prompts_per_group: 5, seed: 1 } }';
    const { out } = await call(planCommand, file('r.yaml', CONFIG.replace(/data: .*/, data)), '--json');
    expect((JSON.parse(out) as PlanJson).stages.map(({ repeated }) => repeated)).toEqual([50, 20]);
  });

  it('a sweep that must probe: what is known, and no stream to freeze', async () => {
    const sweep = CONFIG.replace(/stages: \[.*\] \}/, 'sweep: { type: linear } }');
    const { code, out, err } = await call(planCommand, file('s.yaml', sweep));
    expect(code).toBe(0);
    expect(out).toMatch(/sweep finds its rates by probing/);
    expect(err).toMatch(/RUN071/);
    expect((await call(planCommand, 's.yaml', '--freeze', 'none.jsonl')).code).toBe(2);
  });

  it.each([
    ['no such file', ['none.yaml'], 2],
    ['a config with errors', ['bad.yaml'], 2],
    ['a data type that cannot be sent', ['vision.yaml'], 2],
  ])('%s: exit code %i', async (_, args, code) => {
    file('bad.yaml', 'load: { type: fast }\n');
    file('vision.yaml', CONFIG.replace(/data: .*/, 'data: { type: visionarena, visionarena: {} }'));
    expect((await call(planCommand, ...args)).code).toBe(code);
  });

  it('an output file that cannot be written: exit code 1', async () => {
    const { code, err } = await call(planCommand, file('c.yaml', CONFIG), '--freeze', 'no/such/folder/x.jsonl');
    expect(code).toBe(1);
    expect(err).toMatch(/was not frozen/);
  });
});

describe('a frozen stream', () => {
  const freeze = async (config: string, name: string): Promise<PlanJson> => {
    const { out, code } = await call(planCommand, file(`${name}.yaml`, config), '--freeze', `${name}.jsonl`, '--json');
    expect(code).toBe(0);
    return JSON.parse(out) as PlanJson;
  };

  it('is sent as it was planned, to any server and model, and its hash is in the manifest', async () => {
    const plan = await freeze(CONFIG, 'f');
    const manifests = [];
    for (const [index, model] of ['one', 'another'].entries()) {
      const set = ['--set', `server.base_url=${sim.url}`, '--set', `server.model_name=${model}`];
      const { code } = await call(runCommand, '--frozen', 'f.jsonl', ...set, '--out', `run-${index}`);
      expect(code).toBe(0);
      manifests.push(
        JSON.parse(readFileSync(path.join(folder, `run-${index}`, 'run.json'), 'utf8')) as {
          workload: { fingerprint: string; frozen: { sha256: string } };
          endpoint: { model: string };
        },
      );
    }
    expect(manifests.map(({ endpoint }) => endpoint.model)).toEqual(['one', 'another']);
    for (const { workload } of manifests) {
      expect(workload.fingerprint).toBe(plan.hashes.fingerprint);
      expect(workload.frozen.sha256).toBe(plan.frozen!.sha256);
    }
    expect(readFileSync(path.join(folder, 'f.jsonl'), 'utf8')).not.toContain('very-secret-key');
  });

  it('holds prompts in their chat template: special tokens are in the text, counted once, and none are asked for', async () => {
    writeTokenizer(path.join(folder, 'chat'), { bos: true });
    writeFileSync(
      path.join(folder, 'chat', 'tokenizer_config.json'),
      '{"bos_token": "<s>", "chat_template": "unused"}',
    );
    writeFileSync(
      path.join(folder, 'chat', 'chat_template.jinja'),
      '{{ bos_token }}{% for m in messages %}({{ m.role }}) {{ m.content }}{% endfor %}{% if add_generation_prompt %}(answer){% endif %}',
    );
    const config = CONFIG.replace(SAMPLE_TOKENIZER, 'chat')
      .replace('mean: 20, std_dev: 9, min: 10, max: 30', 'mean: 50, std_dev: 9, min: 40, max: 60')
      .replace('type: random,', 'type: random, use_chat_template: true,')
      .replace('http://127.0.0.1:9', sim.url);
    const plan = await freeze(config, 't');
    expect(plan.problems.map(({ code }) => code)).toContain('RUN028');
    await call(runCommand, 't.yaml', '--out', 'run-plain');
    await call(runCommand, '--frozen', 't.jsonl', '--out', 'run-frozen');
    for (const run of ['run-plain', 'run-frozen']) {
      const { workload } = JSON.parse(readFileSync(path.join(folder, run, 'run.json'), 'utf8')) as {
        workload: { fingerprint: string; parameters: object };
      };
      expect(workload.parameters).toMatchObject({ add_special_tokens: false });
      expect(workload.fingerprint).toBe(plan.hashes.fingerprint);
      const records = readFileSync(path.join(folder, run, 'records.jsonl'), 'utf8')
        .trimEnd()
        .split('\n');
      const counts = records.map(
        (line) => JSON.parse(line) as { askedPromptTokens: number; clientPromptTokens: number },
      );
      const exact = counts.filter((record) => record.clientPromptTokens === record.askedPromptTokens);
      expect(counts).toHaveLength(80);
      expect(exact.length).toBeGreaterThan(75); // not every length has a text in this vocabulary
    }
    const [, , text] = readFileSync(path.join(folder, 't.jsonl'), 'utf8').split('\n');
    expect((JSON.parse(text!) as { content: string }).content).toMatch(/^<s>\(user\) [^]*\(answer\)$/);
  });

  it.each([
    ['a tokenizer without one', 'plain', /RUN027.*no chat template/],
    ['no tokenizer at all', 'nowhere', /RUN027.*there is no tokenizer/],
  ])('a chat template is refused with %s', async (_, name, says) => {
    writeTokenizer(path.join(folder, 'plain'), { bos: true });
    const config = CONFIG.replace(SAMPLE_TOKENIZER, name).replace(
      'type: random,',
      'type: random, use_chat_template: true,',
    );
    const { code, err } = await call(planCommand, file('n.yaml', config));
    expect(code).toBe(2);
    expect(err).toMatch(says);
  });

  it('has one hash for one seed, wherever it would be sent, and another for another seed', async () => {
    const [a, b, c] = [
      await freeze(CONFIG, 'h1'),
      await freeze(CONFIG.replace('127.0.0.1:9', '127.0.0.1:8').replace('one', 'two'), 'h2'),
      await freeze(CONFIG.replace('seed=3', 'seed=4'), 'h3'),
    ];
    expect(b.frozen!.sha256).toBe(a.frozen!.sha256);
    expect(c.frozen!.sha256).not.toBe(a.frozen!.sha256);
  });

  it.each([
    ['random', CONFIG],
    [
      'conversations',
      CONFIG.replace(
        /data: .*/,
        'data: { type: shared_prefix, shared_prefix: { num_groups: 2, num_prompts_per_group: 4, enable_multi_turn_chat: true, seed: 1 } }',
      ),
    ],
    [
      'closed loop',
      CONFIG.replace(/stages: \[.*\] \}/, 'stages: [{ num_requests: 9, concurrency_level: 3 }] }').replace(
        'constant',
        'concurrent',
      ),
    ],
    ['chat', CONFIG.replace(/data: .*/, 'data: { type: mock }\napi: { type: chat, streaming: true }')],
  ])('reads back request by request: %s', async (name, config) => {
    await freeze(config, name);
    const read = await readFrozen(`${name}.jsonl`, path.join(folder, `${name}.jsonl`));
    if (!read.ok) throw new Error(read.problems[0]!.message);
    const set = ['--set', `server.base_url=${sim.url}`];
    await call(runCommand, `${name}.yaml`, ...set, '--out', `own-${name}`);
    await call(runCommand, '--frozen', `${name}.jsonl`, ...set, '--out', `frozen-${name}`);
    const records = (run: string) =>
      readFileSync(path.join(folder, `${run}-${name}`, 'records.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .map(({ id, promptHash, maxTokens, askedPromptTokens }) => ({ id, promptHash, maxTokens, askedPromptTokens }));
    expect(records('frozen')).toEqual(records('own'));
  });

  it('refuses a file that was changed, cut off or is something else', async () => {
    await freeze(CONFIG, 'x');
    const text = readFileSync(path.join(folder, 'x.jsonl'), 'utf8');
    const lines = text.trimEnd().split('\n');
    for (const [broken, says] of [
      [text.replace('"maxTokens":4', '"maxTokens":5'), /changed after it was frozen/],
      [lines.slice(0, -1).join('\n'), /cut off/],
      [lines.filter((_, index) => index !== 5).join('\n'), /cut off|changed/],
      ['{"format":"other"}', /not a frozen stream/],
      ['hello', /not JSON/],
    ] as const) {
      const { code, err } = await call(runCommand, '--frozen', file('broken.jsonl', broken));
      expect(code).toBe(2);
      expect(err).toMatch(says);
    }
    expect((await call(runCommand, '--frozen', 'not-there.jsonl')).err).toMatch(/does not exist/);
  });

  it('cannot be changed by --set, nor be mixed with another config', async () => {
    await freeze(CONFIG, 'y');
    for (const key of ['data.type=mock', 'load.stages[0].rate=1', 'api.streaming=false', 'server.ignore_eos=false'])
      await expect(call(runCommand, '--frozen', 'y.jsonl', '--set', key)).rejects.toThrow(/frozen/);
    await expect(call(runCommand, '--frozen', 'y.jsonl', 'y.yaml')).rejects.toThrow(/one too many/);
  });
});
