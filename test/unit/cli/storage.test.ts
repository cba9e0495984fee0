// Buckets on the command line: what plan says of them, and what run prints and returns when a copy was made or was not.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { CliIo, Command } from '../../../src/cli/command';
import { planCommand } from '../../../src/cli/plan';
import { runCommand } from '../../../src/cli/run';
import { startSimulator, type Simulator } from '../../../src/simulator/server';
import { fakeS3, type FakeStore } from '../folder/storage/fake-stores';

vi.stubGlobal('ISOPERF_VERSION', 'test');
vi.stubGlobal('UNDICI_VERSION', 'test');

const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-cli-storage-'));
let sim: Simulator;
let store: FakeStore;
beforeAll(async () => {
  sim = await startSimulator({ port: 0, ttftSeconds: 0.002, tokenSeconds: 0.001 });
  store = await fakeS3();
  writeFileSync(
    path.join(folder, 'c.yaml'),
    `load: { type: constant, interval: 0, stages: [{ rate: 20, duration: 1 }] }
api: { streaming: true }
server: { type: vllm, model_name: m, base_url: "${sim.url}" }
data: { type: mock }
storage:
  local_storage: { path: here }
  simple_storage_service: { bucket_name: b, path: there, endpoint_url: "http://user:hunter2@127.0.0.1:${new URL(store.url).port}" }
`,
  );
});
afterAll(async () => {
  await sim.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function call(command: Command, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const io: CliIo = {
    out: (text) => (out += text),
    err: (text) => (err += text),
    isTerminal: false,
    columns: 200,
    env: { HF_HOME: folder, AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret-of-the-test' },
    cwd: folder,
  };
  const code = await command.run(args, io);
  return { code, out, err };
}

it('plan says where the report will go, without a password', async () => {
  const { code, out, err } = await call(planCommand, 'c.yaml');
  expect(code).toBe(0);
  expect(out).toContain('Report: here, then a copy to s3://b/there/ at http://127.0.0.1:');
  expect(out + err).not.toContain('hunter2');
  const json = JSON.parse((await call(planCommand, 'c.yaml', '--json')).out) as { reports: string[] };
  expect(json.reports).toHaveLength(2);
});

it('run: 0 with a copy, 1 without, the local report in both', async () => {
  const copied = await call(runCommand, 'c.yaml');
  expect(copied.out).toContain('Report: here\nUploaded to s3://b/there/\n');
  expect(copied.code).toBe(0);
  store.refuse = (method) => (method === 'PUT' ? { status: 403, code: 'AccessDenied' } : undefined);
  const refused = await call(runCommand, 'c.yaml', '--out', 'again', '--json');
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('not in s3://b/there-2/: these credentials may not write to the bucket b');
  expect(existsSync(path.join(folder, 'again', 'run.json'))).toBe(true);
  const result = JSON.parse(refused.out) as { valid: boolean; uploads: { failure?: string; written: number }[] };
  expect(result.valid).toBe(true);
  expect(result.uploads).toMatchObject([
    { written: 0, files: 5, failure: expect.stringContaining('may not write') as string },
  ]);
});
