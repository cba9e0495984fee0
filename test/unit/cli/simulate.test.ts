// `isoperf simulate` as a program: what it prints, what it refuses, how it stops.
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { UsageError, type CliIo } from '../../../src/cli/command';
import { SIMULATE_FLAGS, simulateCommand } from '../../../src/cli/simulate';
import { FAULT_KINDS } from '../../../src/simulator/options';

const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-simulate-'));
const program = path.join(folder, 'simulate.cjs');

beforeAll(async () => {
  // The verb alone, as the command line runs it; the rest of the bundle is tested with the bundle.
  await build({
    stdin: {
      contents: `import { SIMULATE_FLAGS, simulateCommand } from './src/cli/simulate';
        const io = { out: (t) => process.stdout.write(t), err: (t) => process.stderr.write(t), isTerminal: false, columns: 100, env: process.env, cwd: '.' };
        simulateCommand.run(process.argv.slice(2), io).then((code) => { process.exitCode = code; });`,
      resolveDir: path.resolve(__dirname, '../../..'),
    },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    define: { ISOPERF_VERSION: '"0.0.0-test"' },
    outfile: program,
    logLevel: 'error',
  });
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function track<T extends ChildProcess>(child: T): T {
  children.push(child);
  return child;
}

function start(args: readonly string[], env: Record<string, string> = {}): ReturnType<typeof spawn> {
  return track(
    spawn(process.execPath, [program, '--port', '0', ...args], { stdio: 'pipe', env: { ...process.env, ...env } }),
  );
}

async function firstOutput(child: ChildProcess): Promise<string> {
  const [data] = (await once(child.stdout!, 'data')) as [Buffer];
  return data.toString();
}

async function exitOf(child: ChildProcess): Promise<unknown> {
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

function urlIn(text: string): string {
  return /^listening on (http:\/\/127\.0\.0\.1:\d+)$/m.exec(text)![1]!;
}

const quiet: CliIo = { out: () => undefined, err: () => undefined, isTerminal: false, columns: 100, env: {}, cwd: '.' };

describe('when it is ready', () => {
  it('says where, then its truth, and serves there', async () => {
    const child = start(['--ttft-ms', '12.5', '--tpot-ms', '3', '--seed', '4', '--queue', '9', '--prefix-cache', 'on']);
    const text = await firstOutput(child);
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toBe(
      'truth: TTFT 12.5 ms; 3 ms per token; 256 slots; queue 9; prefix cache on; ignore_eos honoured; usage on; seed 4',
    );
    expect((await fetch(`${urlIn(text)}/health`)).status).toBe(200);
  });

  it('says it as one JSON line with --json', async () => {
    const text = await firstOutput(
      start(['--json', '--fault-rate', '0.1', '--fault-kind', 'reset,slow', '--model', 'a']),
    );
    const ready = JSON.parse(text) as { url: string; port: number };
    expect(ready).toMatchObject({ type: 'ready', host: '127.0.0.1', needsKey: false });
    expect(ready).toMatchObject({
      truth: { faultRate: 0.1, faultKinds: ['reset', 'slow'], models: ['a'], ttftSeconds: 0.05 },
    });
    expect(ready.url).toBe(`http://127.0.0.1:${ready.port}`);
  });

  it('takes the key from the environment and never prints it', async () => {
    const child = start(['--json'], { ISOPERF_SIMULATOR_API_KEY: 'sk-simulated' });
    const text = await firstOutput(child);
    expect(text).not.toContain('sk-simulated');
    expect(text).toContain('"needsKey":true');
    const { url } = JSON.parse(text) as { url: string };
    expect((await fetch(`${url}/v1/models`)).status).toBe(401);
    const headers = { authorization: 'Bearer sk-simulated' };
    expect((await fetch(`${url}/v1/models`, { headers })).status).toBe(200);
  });
});

describe('it stops', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('cleanly on %s, also with a request on the way', async (signal) => {
    const child = start(['--ttft-ms', '60000']);
    const url = urlIn(await firstOutput(child));
    const body = JSON.stringify({ model: 'm', prompt: 'x', stream: true });
    const pending = fetch(`${url}/v1/completions`, { method: 'POST', body }).then((response) => response.text());
    const broken = expect(pending).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const exit = exitOf(child);
    child.kill(signal);
    expect(await exit).toBe(0);
    await broken;
  });

  it('when standard input closes, with --exit-with-parent', async () => {
    const child = start(['--exit-with-parent']);
    await firstOutput(child);
    const exit = exitOf(child);
    child.stdin!.end();
    expect(await exit).toBe(0);
  });

  it('when the channel of fork closes, with --exit-with-parent, and not because it has no standard input', async () => {
    const child = track(
      fork(program, ['--port', '0', '--exit-with-parent'], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] }),
    );
    const url = urlIn(await firstOutput(child));
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect((await fetch(`${url}/health`)).status).toBe(200);
    const exit = exitOf(child);
    child.disconnect();
    expect(await exit).toBe(0);
  });

  it('not when standard input closes without it', async () => {
    const child = start([]);
    const url = urlIn(await firstOutput(child));
    child.stdin!.end();
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });
});

describe('a wrong command line', () => {
  it.each([
    [['--ttft-ms', 'fast'], "--ttft-ms takes a number of at least 0, got 'fast'"],
    [['--ttft-ms', ''], '--ttft-ms'],
    [['--tpot-ms=-1'], '--tpot-ms'],
    [['--jitter', '1.5'], 'from 0 to 1'],
    [['--port', '70000'], 'from 0 to 65535'],
    [['--slots', '0'], '--slots'],
    [['--slots', '1.5'], 'whole number'],
    [['--usage', 'maybe'], 'on or off'],
    [['--ignore-eos', 'yes'], 'honour or ignore'],
    [['--overload-status', '500'], '503 or 429'],
    [['--fault-kind', 'fire', '--fault-rate', '1'], 'http429'],
    [['--fault-kind', 'reset'], 'needs --fault-rate'],
  ])('%j is refused in words', async (args, said) => {
    const run = simulateCommand.run(args, quiet);
    await expect(run).rejects.toThrow(UsageError);
    await expect(run).rejects.toThrow(said);
  });

  it('an unknown flag or a stray word is refused', async () => {
    await expect(simulateCommand.run(['--nope'], quiet)).rejects.toThrow(/there is no option --nope/);
    await expect(simulateCommand.run(['8000'], quiet)).rejects.toMatchObject({
      code: 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL',
    });
  });

  it('a port that is taken is an exit code and a remedy', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    let said = '';
    const code = await simulateCommand.run(['--port', String(port)], { ...quiet, err: (text) => (said += text) });
    expect(code).toBe(1);
    expect(said).toMatch(new RegExp(`port ${port} on 127\\.0\\.0\\.1 is taken.*--port`));
    other.close();
  });
});

describe('the help', () => {
  it('names every flag, every fault, and nothing that does not exist', () => {
    const { help } = simulateCommand;
    for (const kind of FAULT_KINDS) expect(help).toContain(kind);
    const named = new Set(help.match(/--[a-z-]+/g)?.map((flag) => flag.slice(2)));
    expect([...named].sort()).toEqual([...SIMULATE_FLAGS].sort());
  });
});
