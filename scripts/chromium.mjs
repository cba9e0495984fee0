// Finds Chromium for the page and host tests, and installs Debian's where this machine allows it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const PLACES = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Path of the browser, or undefined. */
export function findChromium() {
  return PLACES.find((place) => place !== undefined && place !== '' && existsSync(place));
}

/** Makes sure there is one. Returns undefined when there is, otherwise the reason why not. */
export async function ensureChromium() {
  if (findChromium()) return undefined;
  const canInstall =
    process.platform === 'linux' && process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0;
  if (!canInstall) return 'no Chromium found: install it, or set CHROMIUM to its path';
  console.log('Installing Chromium (apt-get) ...');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update', '-q'], { stdio: 'ignore', env });
  const installed = spawnSync(
    'apt-get',
    ['install', '-y', '-q', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'],
    { stdio: ['ignore', 'ignore', 'inherit'], env },
  );
  return installed.status === 0 && findChromium() ? undefined : 'apt-get could not install chromium';
}
