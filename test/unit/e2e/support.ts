// Runs the built command line as a user would: a process of its own, in an empty folder.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const CLI = path.join(ROOT, 'dist', 'cli.js');
export const TOKENIZER = path.join(ROOT, 'samples', 'tokenizer');

if (!existsSync(CLI)) throw new Error('dist/cli.js is missing: run `node esbuild.mjs` first (npm test does)');

export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly done: Promise<Finished>;
  /** Resolves with the match once the output (out and err) contains it. */
  waitFor(pattern: RegExp, limitMs?: number): Promise<RegExpExecArray>;
}

export function start(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; prefix?: readonly string[] } = {},
): Running {
  const [command = process.execPath, ...before] = options.prefix ?? [];
  const words = options.prefix ? [...before, process.execPath, CLI, ...args] : [CLI, ...args];
  const child = spawn(command, words, {
    cwd: options.cwd ?? os.tmpdir(),
    env: { ...process.env, NO_COLOR: '1', CI: 'true', ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  const listeners = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    listeners.forEach((listener) => listener());
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    listeners.forEach((listener) => listener());
  });
  const done = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code, out, err });
      listeners.forEach((listener) => listener());
    });
  });
  const waitFor = (pattern: RegExp, limitMs = 20_000): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const limit = setTimeout(() => {
        listeners.delete(look);
        reject(new Error(`${String(pattern)} was not printed within ${limitMs} ms; printed:\n${out}\n${err}`));
      }, limitMs);
      function look(): void {
        const match = pattern.exec(out) ?? pattern.exec(err);
        if (match) {
          clearTimeout(limit);
          listeners.delete(look);
          resolve(match);
        }
      }
      listeners.add(look);
      look();
    });
  return { child, done, waitFor };
}

export async function isoperf(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; prefix?: readonly string[] } = {},
): Promise<Finished> {
  const running = start(args, options);
  running.child.stdin?.end();
  return running.done;
}

export interface Simulator {
  readonly url: string;
  stop(): Promise<void>;
}

export async function simulator(flags: readonly string[] = [], env: Record<string, string> = {}): Promise<Simulator> {
  const running = start(['simulate', '--port', '0', '--seed', '1', ...flags], { env });
  const [, url = ''] = await running.waitFor(/listening on (https?:\/\/\S+)/);
  return {
    url,
    stop: async () => {
      running.child.kill('SIGTERM');
      await running.done;
    },
  };
}

export function emptyFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-e2e-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A config of a few seconds; every value can be replaced by --set. */
export function smallConfig(url: string, changes: { stages?: string; seed?: number } = {}): string {
  return `# isoperf: seed=${changes.seed ?? 3}
load:
  type: constant
  interval: 0
  num_workers: 1
  worker_max_concurrency: 128
  request_timeout: 10
  stages:
${changes.stages ?? '    - { rate: 40, duration: 2 }'}
api: { type: completion, streaming: true }
server: { type: vllm, model_name: sim-model, base_url: "${url}", ignore_eos: true }
tokenizer: { pretrained_model_name_or_path: "${TOKENIZER}" }
data:
  type: random
  input_distribution: { type: fixed, min: 16, max: 16, mean: 16, std_dev: 0 }
  output_distribution: { type: fixed, min: 8, max: 8, mean: 8, std_dev: 0 }
report: { request_lifecycle: { per_request: true } }
`;
}
