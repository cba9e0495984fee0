// A run as the command line makes one, against a simulator in this process or a client of the test's own.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createClient } from '../../../src/client/http-client';
import { loadConfig } from '../../../src/config/load';
import { withRuntimeDefaults } from '../../../src/config/will/runtime';
import type { RunEvent } from '../../../src/events';
import { StopControl } from '../../../src/loadgen/stop';
import type { RequestRecord } from '../../../src/metrics/record';
import { runBenchmark, type FinishedRun, type RunOptions, type RunResult } from '../../../src/run';

export interface Harness {
  readonly folder: string;
  readonly events: RunEvent[];
  remove(): void;
  run(yaml: string, changes?: Partial<RunOptions> & { overrides?: readonly string[] }): Promise<RunResult>;
  ran(yaml: string, changes?: Partial<RunOptions>): Promise<FinishedRun & { records: readonly RequestRecord[] }>;
}

export function harness(): Harness {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-run-'));
  const events: RunEvent[] = [];
  const run: Harness['run'] = (yaml, { overrides = [], ...changes } = {}) => {
    const loaded = loadConfig(yaml, { overrides });
    if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'));
    const { config, directives, warmupStages, seed } = loaded.value;
    return runBenchmark(
      {
        config: withRuntimeDefaults(config, { cpus: 2, nowMs: Date.now() }, seed),
        file: 'bench/test.yaml',
        text: yaml,
        target: 'main',
        overrides,
        directives,
        warmupStages: [...warmupStages],
        seedSource: seed === undefined ? 'clock' : 'directive',
      },
      {
        version: { isoperf: 'test', undici: 'test' },
        cwd: folder,
        env: { HF_HOME: path.join(folder, 'no-such-cache') },
        out: 'report',
        endpointKind: 'config',
        apiKey: undefined,
        apiKeyVariable: 'ISOPERF_API_KEY',
        stop: new StopControl(),
        onEvent: (event) => events.push(event),
        clientFactory: createClient,
        graceSeconds: 5,
        now: () => new Date(),
        ...changes,
      },
    );
  };
  return {
    folder,
    events,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
    run,
    ran: async (yaml, changes) => {
      const result = await run(yaml, changes);
      if (result.kind === 'refused') throw new Error(result.problems.map(({ message }) => message).join('\n'));
      return { ...result.run, records: recordsOf(result.run) };
    },
  };
}

export interface ConfigParts {
  readonly url: string;
  readonly load?: string;
  readonly api?: string;
  readonly data?: string;
  readonly tokenizer?: string;
  readonly report?: string;
  readonly server?: string;
}

/** A config of a second or so; parts are YAML flow mappings. */
export function configOf(parts: ConfigParts): string {
  return `# isoperf: seed=5
load: ${parts.load ?? '{ type: constant, interval: 0, num_workers: 1, stages: [{ rate: 40, duration: 1 }] }'}
api: ${parts.api ?? '{ type: completion, streaming: true }'}
server: ${parts.server ?? `{ type: vllm, model_name: m, base_url: "${parts.url}" }`}
${parts.tokenizer === undefined ? '' : `tokenizer: { pretrained_model_name_or_path: "${parts.tokenizer}" }\n`}data: ${
    parts.data ??
    `{ type: random, input_distribution: { type: fixed, mean: 16 }, output_distribution: { type: fixed, mean: 8 } }`
  }
report: ${parts.report ?? '{ request_lifecycle: { per_request: true } }'}
`;
}

export const SAMPLE_TOKENIZER = path.resolve(import.meta.dirname, '../../../samples/tokenizer');

export function readJson(...names: string[]): unknown {
  return JSON.parse(readFileSync(path.join(...names), 'utf8'));
}

/** The journal of a finished run, in planned order. */
export function recordsOf({ folder }: Pick<FinishedRun, 'folder'>): RequestRecord[] {
  const lines = readFileSync(path.join(folder, 'records.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as RequestRecord);
}
