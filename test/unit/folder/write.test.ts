// Writing a report: never over another run, never half a file, YAML that reads back, no secrets, errors of the disk in words.
import fc from 'fast-check';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load';
import { withRuntimeDefaults } from '../../../src/config/will/runtime';
import { parseDocument } from '../../../src/config/yaml/document';
import type { RequestRecord } from '../../../src/metrics/record';
import { configYaml, savedConfig, withoutCredentials } from '../../../src/folder/write-config';
import { describeWriteError, makeReportFolder, writeWhole } from '../../../src/folder/write-folder';
import { LineFile } from '../../../src/folder/write-lines';
import { PerRequestFile } from '../../../src/folder/write-per-request';
import { toYaml } from '../../../src/folder/write-yaml';

const root = mkdtempSync(path.join(os.tmpdir(), 'isoperf-write-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});
const at = (...names: string[]): string => path.join(root, ...names);

describe('report folder', () => {
  it.skipIf(process.platform !== 'linux')('a place where no folder can be made is refused, not waited for', () => {
    const refused = makeReportFolder('/proc/isoperf/report');
    expect(refused.ok).toBe(false);
    expect(refused.problems[0]).toMatchObject({ code: 'RUN201' });
    expect(refused.problems[0]!.message).toContain('/proc/isoperf/report');
  });

  it('is made, with its parents', () => {
    expect(makeReportFolder(at('a', 'b'))).toEqual({ ok: true, value: at('a', 'b'), problems: [] });
    expect(existsSync(at('a', 'b'))).toBe(true);
    expect(readdirSync(at('a', 'b'))).toEqual([]);
  });

  it.each(['run.json', 'records.jsonl', 'x-summary_lifecycle_metrics.json'])('never holds two runs: %s', (file) => {
    const wanted = at(`run-${file}`);
    mkdirSync(wanted);
    writeFileSync(path.join(wanted, file), 'mine');
    const second = makeReportFolder(`${wanted}/`);
    expect(second.ok && second.value).toBe(`${wanted}-2`);
    expect(second.problems[0]!.message).toContain(`${wanted}-2`);
    writeFileSync(path.join(`${wanted}-2`, file), 'mine');
    const third = makeReportFolder(wanted);
    expect(third.ok && third.value).toBe(`${wanted}-3`);
    expect(readFileSync(path.join(wanted, file), 'utf8')).toBe('mine');
  });

  it('may hold files that are no run', () => {
    mkdirSync(at('notes'));
    writeFileSync(at('notes', 'notes.md'), '');
    expect(makeReportFolder(at('notes'))).toMatchObject({ ok: true, value: at('notes') });
  });

  it('that cannot be made is a problem with a remedy', () => {
    writeFileSync(at('file'), '');
    const made = makeReportFolder(at('file', 'inside'));
    expect(made.ok).toBe(false);
    expect(made.problems[0]).toMatchObject({ code: 'RUN201', severity: 'error' });
    expect(made.problems[0]!.message).toContain(at('file', 'inside'));
    expect(made.problems[0]!.remedy).toContain('--out');
  });
});

describe('files', () => {
  it('are replaced in one step, and an error leaves the old one and no rest', () => {
    writeWhole(at('whole.json'), 'one');
    writeWhole(at('whole.json'), 'two');
    expect(readFileSync(at('whole.json'), 'utf8')).toBe('two');
    expect(existsSync(at('whole.json.tmp'))).toBe(false);
    expect(() => {
      writeWhole(at('nowhere', 'whole.json'), 'x');
    }).toThrow();
  });

  it('grow by lines that come to the disk without being closed', async () => {
    const lines = await LineFile.create(at('lines'));
    lines.append('first');
    lines.append('second');
    await expect.poll(() => readFileSync(at('lines'), 'utf8'), { timeout: 20_000 }).toBe('first\nsecond\n');
    lines.append('third');
    await lines.close();
    expect(readFileSync(at('lines'), 'utf8')).toBe('first\nsecond\nthird\n');
    expect(lines.error).toBeUndefined();
  });

  it('keep their order however much is appended at once', async () => {
    const lines = await LineFile.create(at('many'));
    const written = Array.from({ length: 20_000 }, (_, index) => `line ${index} ${'x'.repeat(index % 50)}`);
    for (const [index, line] of written.entries()) {
      lines.append(line);
      if (index % 3_000 === 0) await lines.flush();
    }
    await lines.close();
    expect(readFileSync(at('many'), 'utf8')).toBe(`${written.join('\n')}\n`);
  });

  it.skipIf(!existsSync('/dev/full'))('tell once that the disk is full, and stay quiet then', async () => {
    const told: Error[] = [];
    const lines = await LineFile.create('/dev/full', (error) => told.push(error));
    lines.append('x');
    await lines.flush();
    lines.append('y');
    await lines.close();
    expect(told).toHaveLength(1);
    expect(lines.error).toBe(told[0]);
    expect(describeWriteError(told[0])).toMatch(/disk is full/);
  });

  it('errors in words', () => {
    expect(describeWriteError(Object.assign(new Error('x'), { code: 'EROFS' }))).toMatch(/read-only/);
    expect(describeWriteError(new Error('something else'))).toBe('something else');
  });
});

describe('YAML', () => {
  const value = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      // Whole numbers beyond 2^53 are integers of any size to YAML.
      fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .filter((x) => !Number.isInteger(x) || Number.isSafeInteger(x)),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        'yes',
        'no',
        'null',
        '~',
        '1e3',
        '0x10',
        '12:30',
        '',
        ' x',
        'a: b',
        '# no',
        '- x',
        '2024-01-01',
        'a\u2028b',
        '\u0085',
        '\u007f',
      ),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), tie('tree'), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).tree;

  it('reads back as what was written', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c_d'), value, { noNullPrototype: true }), (map) => {
        fc.pre(Object.keys(map).length > 0);
        const document = parseDocument(toYaml(map));
        expect(document.problems).toEqual([]);
        // -0 has no YAML form of its own.
        expect(JSON.stringify(document.value)).toBe(JSON.stringify(map));
      }),
      { numRuns: 300 },
    );
  });

  it('writes block style with comments where they belong', () => {
    const text = toYaml(
      { load: { stages: [{ rate: 5, duration: 1 }, { rate: 1e-7 }], empty: [] }, x: Infinity },
      (where) => (where.join('.') === 'load.stages.0' ? 'isoperf: warmup' : undefined),
    );
    expect(text).toBe(
      `load:
  stages:
    - rate: 5 # isoperf: warmup
      duration: 1
    - rate: 1.0e-7
  empty: []
x: .inf
`,
    );
  });
});

describe('config.yaml', () => {
  const source = `# isoperf: seed=7
load:
  type: poisson
  stages:
    - rate: 10 # isoperf: warmup
      duration: 4
    - { rate: 20, duration: 2 }
api:
  headers: { Authorization: Bearer top-secret, X-Team: blue }
server: { base_url: "http://me:top-secret@localhost:8000", api_key: top-secret, model_name: m }
tokenizer: { pretrained_model_name_or_path: org/model, token: top-secret }
data:
  type: random
  input_distribution: { mean: 100, std_dev: 0, variance: 25 }
  output_distribution: { mean: 50, std_dev: 3 }
`;
  function load(text: string, overrides: readonly string[] = []) {
    const loaded = loadConfig(text, { overrides });
    if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'));
    const config = withRuntimeDefaults(loaded.value.config, { cpus: 4, nowMs: 0 }, loaded.value.seed);
    return { ...loaded.value, config };
  }

  it('reads back as the config that ran, directives included, secrets not', () => {
    const { config, directives } = load(source);
    const text = configYaml(savedConfig(config, 40), directives, 'note');
    expect(text).not.toContain('top-secret');
    expect(text).toContain('X-Team: blue');
    // A header that held a secret has to be filled in again before the file runs.
    expect(() => load(text)).toThrow(/Authorization is to be filled/);
    const again = load(text, ['api.headers.Authorization=Bearer other']);
    expect([...again.warmupStages]).toEqual([0]);
    expect(again.seed).toBe(7);
    expect(again.config.load).toEqual(config.load);
    expect(again.config.server).toEqual({ ...config.server, api_key: null, base_url: 'http://localhost:8000' });
    expect(again.config.data.input_distribution).toMatchObject({ std_dev: 5, variance: null, total_count: 41 });
  });

  it('has inference-perf’s own changes for concurrent stages and shared_prefix', () => {
    const { config } = load(`load: { type: concurrent, stages: [{ num_requests: 30, concurrency_level: 3 }] }
server: { base_url: "http://localhost:1", model_name: m }
data: { type: shared_prefix, shared_prefix: { num_groups: 2 } }
`);
    const saved = savedConfig(config, 30) as { load: unknown; data: { shared_prefix: unknown } };
    expect(saved.load).toMatchObject({
      worker_max_concurrency: 0,
      stages: [{ num_requests: 30, concurrency_level: 3, rate: 30, duration: 1 }],
    });
    expect(saved.data.shared_prefix).toMatchObject({ num_unique_system_prompts: 2, num_users_per_system_prompt: 10 });
    expect(load(configYaml(savedConfig(config, 30), [], 'note')).config.data).toEqual(config.data);
  });

  it('addresses lose their credentials and nothing else', () => {
    expect(withoutCredentials('https://a:b@host/x?y=z@q')).toBe('https://host/x?y=z@q');
    expect(withoutCredentials('http://host:1/p')).toBe('http://host:1/p');
    expect(withoutCredentials(undefined)).toBeUndefined();
  });
});

describe('per_request_lifecycle_metrics.json', () => {
  const record: RequestRecord = {
    id: 0,
    stage: 0,
    scheduledSeconds: 1,
    sentSeconds: 1.5,
    firstTokenSeconds: 2,
    chunkSeconds: [2, 3],
    chunkTokens: [1, 2],
    lastTokenSeconds: 3,
    endSeconds: 3.5,
    outcome: { kind: 'ok' },
    usage: { promptTokens: 7, completionTokens: 3, cachedPromptTokens: 4 },
    clientOutputTokens: 3,
    promptHash: 'x',
  };
  async function write(records: readonly RequestRecord[]): Promise<Record<string, unknown>[]> {
    const file = await PerRequestFile.create(at('per.json'), 100);
    for (const each of records) await file.add({ record: each, request: '{"prompt":"x"}', response: 'data: y' });
    await file.close();
    return JSON.parse(readFileSync(at('per.json'), 'utf8')) as Record<string, unknown>[];
  }

  it('has inference-perf’s layout, times on the monotonic clock, one time per token', async () => {
    const [entry] = await write([record]);
    expect(entry).toEqual({
      start_time: 101.5,
      end_time: 103.5,
      request: '{"prompt":"x"}',
      response: 'data: y',
      info: {
        request_metrics: { text: { input_tokens: 7 }, image: null, video: null, audio: null },
        response_metrics: {
          output_tokens: 3,
          server_usage: { prompt_tokens: 7, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } },
          chunk_times: [102, 103],
          output_token_times: [102, 103, 103],
        },
        extra_info: {},
        lora_adapter: null,
        labels: null,
        input_tokens: 7,
      },
      error: null,
    });
  });

  it('holds failures with their error, leaves out what never ended, and is valid when empty', async () => {
    const failed: RequestRecord = {
      ...record,
      outcome: { kind: 'failed', errorType: 'HTTP Error 500', label: '500', message: 'no' },
    };
    const entries = await write([failed, { ...record, outcome: { kind: 'cancelled', reason: 'stop' } }, record]);
    expect(entries).toHaveLength(2);
    expect(entries[0]!['error']).toEqual({ error_type: 'HTTP Error 500', error_msg: 'no' });
    expect(await write([])).toEqual([]);
  });
});
