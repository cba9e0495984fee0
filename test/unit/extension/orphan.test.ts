// VS Code may die under a run: the engine must not go on loading a server that nobody watches any more.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../../..');
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-orphan-'));
  cpSync(path.join(ROOT, 'samples', 'workspace', 'candidate.yaml'), path.join(folder, 'candidate.yaml'));
  cpSync(path.join(ROOT, 'samples', 'tokenizer'), path.join(folder, 'tokenizer'), { recursive: true });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

function manifest(): { state: string; stateReason?: string; stages: { state: string }[] } | undefined {
  const report = readdirSync(folder).find((name) => name.startsWith('reports-'));
  const file = report && path.join(folder, report, 'run.json');
  return file !== undefined && existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof manifest>)
    : undefined;
}

async function until(holds: () => boolean | undefined): Promise<void> {
  for (let i = 0; i < 200 && holds() !== true; i++) await new Promise((resolve) => setTimeout(resolve, 100));
  expect(holds()).toBe(true);
}

it('a run whose host was killed stops, and says why', async () => {
  const cli = path.join(ROOT, 'dist', 'cli.js');
  const host = path.join(folder, 'host.cjs');
  const args = ['run', 'candidate.yaml', '--events', '--simulator'];
  const options = { stdio: ['pipe', 'ignore', 'ignore', 'ipc'], execArgv: [] };
  writeFileSync(
    host,
    `require('node:child_process').fork(${JSON.stringify(cli)}, ${JSON.stringify(args)}, ${JSON.stringify(options)});`,
  );
  const parent = spawn(process.execPath, [host], { cwd: folder, stdio: 'ignore' });
  await until(() => manifest()?.stages.some((stage) => stage.state === 'running'));
  parent.kill('SIGKILL');
  await until(() => manifest()?.state === 'incomplete');
  expect(manifest()?.stateReason).toContain('the program that started the run ended');
}, 60_000);
