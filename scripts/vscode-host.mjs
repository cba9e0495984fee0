// A VS Code server (setup-vscode.mjs) with the packaged extension in it, on a free port of this machine, for tests and the workbench.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { packageExtension } from './package.mjs';
import { ensureVscode } from './setup-vscode.mjs';

const START_LIMIT_MS = 60_000;

/** What makes VS Code quiet and the same every time. */
const SETTINGS = {
  'security.workspace.trust.enabled': false,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.colorTheme': 'Default Dark Modern',
  'window.restoreWindows': 'none',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'update.showReleaseNotes': false,
  'git.enabled': false,
  'git.openRepositoryInParentFolders': 'never',
  'chat.commandCenter.enabled': false,
  'files.simpleDialog.enable': true,
  'files.autoSave': 'off',
  'editor.minimap.enabled': false,
};

/** A folder of its own with the extension installed from a fresh package; `remove` takes everything away. */
export async function prepareHost() {
  const main = ensureVscode();
  const work = mkdtempSync(path.join(os.tmpdir(), 'isoperf-host-'));
  const remove = () => rmSync(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  const folders = {
    extensions: path.join(work, 'extensions'),
    server: path.join(work, 'server-data'),
    user: path.join(work, 'user-data'),
  };
  try {
    for (const folder of Object.values(folders)) mkdirSync(folder);
    const vsix = path.join(work, 'isoperf.vsix');
    await packageExtension(vsix);
    const args = [main, ...dirs(folders), '--install-extension', vsix];
    const installed = spawnSync(process.execPath, args, { encoding: 'utf8', env: environment() });
    if (installed.status !== 0) {
      throw new Error(`VS Code did not install the package:\n${installed.stdout}${installed.stderr}`);
    }
  } catch (error) {
    remove();
    throw error;
  }
  return { main, work, folders, remove };
}

function dirs(folders) {
  return ['--extensions-dir', folders.extensions, '--server-data-dir', folders.server, '--user-data-dir', folders.user];
}

function environment(extra = {}) {
  // Without a gallery the workbench asks nobody on the internet.
  const env = { ...process.env, EXTENSIONS_GALLERY: '{}', ...extra };
  delete env['NODE_OPTIONS'];
  delete env['CODE_SERVER_PARENT_PID'];
  return env;
}

/** Starts the server. `settings` come on top of the quiet ones; port 0 takes a free one. */
export async function startVscode({ main, work, folders }, { settings = {}, env = {}, port = 0 } = {}) {
  mkdirSync(path.join(folders.user, 'User'), { recursive: true });
  // The workbench reads the file when its page is loaded.
  const configure = (more) => {
    const all = { ...SETTINGS, ...settings, ...more };
    writeFileSync(path.join(folders.user, 'User', 'settings.json'), JSON.stringify(all, null, 2));
  };
  configure({});
  const child = spawn(
    process.execPath,
    [
      main,
      ...['--host', '127.0.0.1', '--port', String(port), '--without-connection-token', '--accept-server-license-terms'],
      ...['--telemetry-level', 'off', '--disable-workspace-trust', ...dirs(folders)],
    ],
    { env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const orphan = () => child.kill('SIGKILL');
  process.once('exit', orphan);
  const gone = new Promise((resolve) => child.once('close', resolve));
  const listening = await whenListening(child, path.join(work, 'server.log'));
  return {
    port: listening,
    authority: `127.0.0.1:${listening}`,
    configure,
    url(folder, payload = []) {
      const query = new URLSearchParams({
        folder: path.resolve(folder),
        payload: JSON.stringify([['skipWelcome', 'true'], ...payload]),
      });
      return `http://127.0.0.1:${listening}/?${query.toString()}`;
    },
    async stop() {
      process.removeListener('exit', orphan);
      child.kill('SIGTERM');
      const timer = setTimeout(orphan, 5000);
      await gone;
      clearTimeout(timer);
    },
  };
}

function whenListening(child, logFile) {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`VS Code did not start within 60 s:\n${said}`)), START_LIMIT_MS);
    child.once('close', (code) => reject(new Error(`VS Code ended with ${code}:\n${said}`)));
    const hear = (data) => {
      said = (said + data).slice(-20_000);
      writeFileSync(logFile, said);
      const match = /agent listening on (\d+)/.exec(said);
      if (!match) return;
      clearTimeout(timer);
      resolve(Number(match[1]));
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
  });
}

/** What the extension host logged, for a test that failed. */
export function extensionHostLog({ folders }) {
  try {
    const found = spawnSync('find', [folders.user, '-name', '*.log', '-path', '*exthost*'], { encoding: 'utf8' });
    return found.stdout
      .split('\n')
      .filter(Boolean)
      .map((file) => `== ${path.basename(file)}\n${readFileSync(file, 'utf8').slice(-4000)}`)
      .join('\n');
  } catch {
    return '';
  }
}
