// Bad input, each as a user would meet it: a clear message that names file, line, key and remedy, and a non-zero exit.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder, isoperf, simulator, smallConfig, type Simulator } from './support';

const { folder, remove } = emptyFolder();
afterAll(remove);

function file(name: string, text: string): string {
  writeFileSync(path.join(folder, name), text);
  return name;
}

const GOOD = smallConfig('http://127.0.0.1:9');

describe('isoperf validate', () => {
  const cases: readonly { name: string; text: string; says: RegExp[] }[] = [
    { name: 'empty.yaml', text: '', says: [/empty/i] },
    { name: 'list.yaml', text: '- load:\n    type: constant\n', says: [/list\.yaml:1:1: error/, /mapping/] },
    { name: 'tab.yaml', text: 'load:\n\ttype: constant\n', says: [/tab\.yaml:2:1: error/, /tab/i] },
    {
      name: 'unknown.yaml',
      text: GOOD.replace('num_workers:', 'num_worker:'),
      says: [/unknown\.yaml:5:3: error/, /num_worker\b/, /num_workers/],
    },
    {
      name: 'type.yaml',
      text: GOOD.replace('rate: 40', 'rate: fast'),
      says: [/type\.yaml:9:15: error/, /rate/, /number/],
    },
    {
      name: 'duplicate.yaml',
      text: GOOD.replace('  interval: 0\n', '  interval: 0\n  interval: 5\n'),
      says: [/duplicate\.yaml:5:3: error/, /interval/, /twice|duplicate/i],
    },
  ];
  it.each(cases)('$name', async ({ name, text, says }) => {
    const { code, out, err } = await isoperf(['validate', file(name, text)], { cwd: folder });
    expect(code, out + err).toBe(name === 'empty.yaml' ? 2 : 1);
    for (const pattern of says) expect(out + err).toMatch(pattern);
  });

  it('a good file passes', async () => {
    const { code, out, err } = await isoperf(['validate', file('good.yaml', GOOD)], { cwd: folder });
    expect(code, out + err).toBe(0);
  });

  it('a file that is not there, and nothing at all', async () => {
    const missing = await isoperf(['validate', 'nowhere.yaml'], { cwd: folder });
    expect(missing.code).toBe(2);
    expect(missing.out + missing.err).toMatch(/nowhere\.yaml/);
    expect((await isoperf(['validate'], { cwd: folder })).code).toBe(2);
  });
});

describe('isoperf run', () => {
  let sim: Simulator;
  beforeAll(async () => {
    sim = await simulator(['--ttft-ms', '5', '--tpot-ms', '1']);
  });
  afterAll(() => sim.stop());

  async function run(config: string, extra: readonly string[] = [], env: Record<string, string> = {}) {
    const out = extra.includes('--out') ? [] : ['--out', 'report'];
    return isoperf(['run', file('run.yaml', config), ...out, ...extra], { cwd: folder, env });
  }

  it('refuses a config with errors before it sends anything', async () => {
    const { code, err, out } = await run(GOOD.replace('num_workers:', 'num_worker:'));
    expect(code).not.toBe(0);
    expect(out + err).toMatch(/run\.yaml:5:3: error/);
  });

  it('with --json a refusal is JSON on standard output', async () => {
    for (const args of [
      ['run', 'nowhere.yaml', '--json'],
      ['run', file('broken.yaml', '- a list'), '--json'],
      ['compare', 'nowhere', 'nowhere', '--json'],
    ]) {
      const { code, out } = await isoperf(args, { cwd: folder });
      expect(code).toBe(2);
      const { state, reasons } = JSON.parse(out) as { state: string; reasons: string[] };
      expect(state).toBe('refused');
      expect(reasons.join('\n')).toMatch(/nowhere|mapping/);
    }
  });

  it('unreachable server', async () => {
    const probe = net.createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const { code, err, out } = await run(smallConfig(`http://127.0.0.1:${port}`));
    expect(code).toBe(1);
    expect(out + err).toMatch(new RegExp(`127\\.0\\.0\\.1:${port}`));
    expect(out + err).toMatch(/refused|cannot be reached/i);
    expect(out + err).toMatch(/server\.base_url/);
  });

  it('401, and the key never appears anywhere', async () => {
    const locked = await simulator(['--ttft-ms', '5'], { ISOPERF_SIMULATOR_API_KEY: 'right-key' });
    try {
      const { code, err, out } = await run(smallConfig(locked.url), ['--out', 'locked'], {
        ISOPERF_API_KEY: 'wrong-key-123',
      });
      expect(code).toBe(1);
      expect(out + err).toMatch(/401/);
      expect(out + err).toMatch(/ISOPERF_API_KEY|api key/i);
      expect(out + err).not.toContain('wrong-key-123');
      const good = await run(smallConfig(locked.url), ['--out', 'unlocked'], { ISOPERF_API_KEY: 'right-key' });
      expect(good.code, good.out + good.err).toBe(0);
      for (const name of readdirSync(path.join(folder, 'unlocked'))) {
        expect(readFileSync(path.join(folder, 'unlocked', name), 'utf8'), name).not.toContain('right-key');
      }
    } finally {
      await locked.stop();
    }
  });

  it('TLS failure', async () => {
    const { code, err, out } = await run(smallConfig(sim.url.replace('http:', 'https:')), ['--out', 'tls']);
    expect(code).toBe(1);
    expect(out + err).toMatch(/TLS|certificate/i);
  });

  it('a server that answers 200 with an error body', async () => {
    const server = http.createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' });
      if (request.url === '/v1/models') response.end('{"object":"list","data":[{"id":"sim-model"}]}');
      else response.end('{"error":{"message":"the engine is dead","code":500}}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const { code, err, out } = await run(smallConfig(`http://127.0.0.1:${port}`), ['--out', 'liar']);
      expect(code).toBe(1);
      expect(out + err).toMatch(/the engine is dead|error in (the )?(stream|body|answer)/i);
      const manifest = JSON.parse(readFileSync(path.join(folder, 'liar', 'run.json'), 'utf8')) as {
        counts: { planned: number; ok: number; failed: number };
      };
      expect(manifest.counts.ok).toBe(0);
      expect(manifest.counts.failed).toBe(manifest.counts.planned);
    } finally {
      server.close();
    }
  });

  it('disk full: says so, stops, and what was written still opens', async () => {
    // RLIMIT_FSIZE makes every file end at 8 blocks, as a full disk would; the signal it raises is ignored like on a real ENOSPC.
    const config = smallConfig(sim.url, { stages: '    - { rate: 100, duration: 4 }' });
    const { code, err, out } = await isoperf(['run', file('full.yaml', config), '--out', 'full'], {
      cwd: folder,
      prefix: ['bash', '-c', 'trap "" XFSZ; ulimit -f 40; exec "$0" "$@"'],
    });
    expect(code, out + err).toBe(1);
    expect(out + err).toMatch(/disk|space|could not (be )?writ|EFBIG|ENOSPC/i);
    const again = await isoperf(['compare', 'full', 'full'], { cwd: folder });
    expect(again.code, again.out + again.err).not.toBe(0);
    expect(again.code, again.out + again.err).not.toBe(1);
    expect(again.out + again.err).toMatch(/incomplete/i);
  });
});

describe('isoperf compare', () => {
  it('missing, empty and foreign folders', async () => {
    mkdirSync(path.join(folder, 'nothing'), { recursive: true });
    mkdirSync(path.join(folder, 'foreign'), { recursive: true });
    writeFileSync(path.join(folder, 'foreign', 'holiday.json'), '{"beach": true}');
    for (const [name, says] of [
      ['nowhere', /nowhere/],
      ['nothing', /nothing.*(empty|no report|run\.json)/s],
      ['foreign', /foreign/],
    ] as const) {
      const { code, out, err } = await isoperf(['compare', name, name], { cwd: folder });
      expect(code, out + err).toBe(2);
      expect(out + err).toMatch(says);
      expect(out + err).not.toMatch(/at .*\.(js|ts):\d+/);
    }
  });
});
