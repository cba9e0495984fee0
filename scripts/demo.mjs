// `npm start`: two "equal" benchmarks against the embedded simulator and the comparison that says why they are not,
// then a pair that really is equal. Everything runs on this machine's loopback; reports go to out/demo.
// Exit code: 0 when both comparisons were judged as they must be (3 = confounded, then 0 = comparable), 1 otherwise.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const cli = path.join(root, 'dist', 'cli.js');
const out = path.join(root, 'out', 'demo');
const children = new Set();

function isoperf(args, { quiet = false } = {}) {
  const child = spawn(process.execPath, [cli, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  child.stdout.setEncoding('utf8');
  if (!quiet) child.stdout.on('data', (text) => process.stdout.write(text));
  const done = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      children.delete(child);
      resolve(code);
    });
  });
  return { child, done };
}

/** Starts a simulator on a port (0: any free one) and waits until it says where it listens. */
async function simulator(port, ...flags) {
  const { child, done } = isoperf(
    [
      'simulate',
      '--port',
      String(port),
      '--model',
      'sim-model',
      '--ttft-ms',
      '40',
      '--tpot-ms',
      '6',
      '--jitter',
      '0.05',
      '--seed',
      '1',
      ...flags,
    ],
    { quiet: true },
  );
  let said = '';
  const url = await new Promise((resolve, reject) => {
    const limit = setTimeout(
      () => reject(new Error(`the simulator did not start within 20 s; it said: ${said}`)),
      20_000,
    );
    done.then((code) => reject(new Error(`the simulator ended with code ${code}; it said: ${said}`)), reject);
    child.stdout.on('data', (text) => {
      said += text;
      const match = /listening on (http:\/\/\S+)/.exec(said);
      if (!match) return;
      clearTimeout(limit);
      resolve(match[1]);
    });
  });
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await done;
    },
  };
}

function say(text) {
  console.log(`\n${'─'.repeat(100)}\n${text}\n`);
}

async function run(config, url, folder) {
  const args = [
    'run',
    `samples/demo/${config}.yaml`,
    '--set',
    `server.base_url=${url}`,
    '--out',
    path.join('out', 'demo', folder),
  ];
  console.log(`$ isoperf ${args.join(' ')}`);
  const code = await isoperf(args).done;
  if (code !== 0) throw new Error(`the run of ${config}.yaml ended with code ${code}`);
}

async function compare(a, b) {
  const args = ['compare', path.join('out', 'demo', a), path.join('out', 'demo', b)];
  console.log(`\n$ isoperf ${args.join(' ')}\n`);
  const code = await isoperf(args).done;
  console.log(`\nisoperf compare ended with exit code ${code} (0 comparable, 3 confounded, 4 undetermined).`);
  return code;
}

process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

try {
  rmSync(out, { recursive: true, force: true });
  say('Run A: baseline.yaml against a simulated server that reports its token counts.');
  let server = await simulator(0);
  const { port } = new URL(server.url);
  await run('baseline', server.url, 'A');
  await server.stop();
  say('Run B: candidate.yaml against the same simulated server, which now keeps its token counts to itself.');
  server = await simulator(port, '--usage', 'off');
  await run('candidate', server.url, 'B');
  await server.stop();
  say('May A and B be compared?');
  const confounded = await compare('A', 'B');

  say('Now an honest repeat: run A again, nothing changed.');
  server = await simulator(port);
  await run('baseline', server.url, 'A-again');
  await server.stop();
  const comparable = await compare('A', 'A-again');

  const right = confounded === 3 && comparable === 0;
  say(
    right
      ? 'As it must be: the first pair is confounded (exit code 3), the repeat is comparable (exit code 0).\nReports: out/demo. Next: npm run workbench opens them in a real VS Code.'
      : `Not as it must be: expected exit codes 3 and 0, got ${confounded} and ${comparable}. Please report this.`,
  );
  process.exitCode = right ? 0 : 1;
} catch (error) {
  console.error(`npm start: ${error.message}`);
  process.exitCode = 1;
}
