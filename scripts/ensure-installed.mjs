// Installs the project's packages when they are missing or older than the lock file, so that `npm start` and `npm test`
// work in a fresh clone. Prints one line; a failed install is said in words.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 18)) {
  console.error(`IsoPerf needs Node 20.18 or newer; this is ${process.version}.`);
  process.exit(1);
}
const lock = readFileSync(path.join(root, 'package-lock.json'));
const hash = createHash('sha256').update(lock).digest('hex');
const stamp = path.join(root, 'node_modules', '.isoperf-installed');
if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) process.exit(0);
console.log('Installing packages (npm ci) ...');
const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
  cwd: root,
  stdio: ['ignore', 'inherit', 'inherit'],
  shell: process.platform === 'win32',
});
if (npm.status !== 0) {
  console.error(
    'npm ci failed: the lines above say why. IsoPerf needs the npm registry once, to install its packages.',
  );
  process.exit(npm.status ?? 1);
}
writeFileSync(stamp, hash);
