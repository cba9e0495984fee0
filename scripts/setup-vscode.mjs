// Puts a real VS Code server (workbench and extension host) into a cache folder, from the npm registry alone:
// no compiler, no marketplace. `node scripts/setup-vscode.mjs` installs it once; a stamp makes later calls free.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync } from 'node:fs';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const CODE_SERVER = '4.100.3'; // ships VS Code 1.100.3, the last one that asks for no more than Node 20
const RIPGREP = '1.18.0';

/**
 * The folder must lie outside the repository: VS Code takes every theme beneath an extension under development for
 * one of that extension's own. XDG_CACHE_HOME and ISOPERF_VSCODE_DIR move it.
 */
const CACHE =
  process.env['ISOPERF_VSCODE_DIR'] ??
  path.join(process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache'), 'isoperf-vscode');
const HOST = path.join(CACHE, CODE_SERVER);

/** Entry point of the installed server; installs it when its stamp is missing. Throws with npm's output on failure. */
export function ensureVscode(log = console.log) {
  const main = path.join(HOST, 'vscode', 'out', 'server-main.js');
  if (existsSync(path.join(HOST, '.ok'))) return main;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('the VS Code host is put together for Linux x64; elsewhere use `node scripts/test-electron.mjs`');
  }
  log(`Installing the VS Code 1.${CODE_SERVER.slice(2)} server into ${HOST} (once, about 270 MB) ...`);
  mkdirSync(CACHE, { recursive: true });
  // Built beside its final place and renamed at the end: two test runs at once cannot see half of it.
  const building = mkdtempSync(path.join(CACHE, 'building-'));
  try {
    assemble(building);
    writeFileSync(path.join(building, '.ok'), '');
    if (!existsSync(path.join(HOST, '.ok'))) {
      rmSync(HOST, { recursive: true, force: true });
      renameSync(building, HOST);
    }
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
  return main;
}

function assemble(folder) {
  npm(['pack', '--silent', `code-server@${CODE_SERVER}`, `@vscode/ripgrep-linux-x64@${RIPGREP}`], folder);
  const [server] = archives(folder, 'code-server');
  const [ripgrep] = archives(folder, 'ripgrep');
  run('tar', ['xzf', server, 'package/lib/vscode'], folder);
  renameSync(path.join(folder, 'package', 'lib', 'vscode'), path.join(folder, 'vscode'));
  rmSync(path.join(folder, 'package'), { recursive: true });
  run('tar', ['xzf', ripgrep], folder);

  const code = path.join(folder, 'vscode');
  // Its shrinkwrap pins every package; none of their install scripts (native builds, downloads) is needed.
  npm(
    ['ci', '--loglevel=error', '--omit=dev', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'],
    code,
  );
  symlinkSync('node_modules', path.join(code, 'node_modules.asar'));
  const rg = path.join(code, 'node_modules', '@vscode', 'ripgrep', 'bin');
  mkdirSync(rg, { recursive: true });
  cpSync(path.join(folder, 'package', 'bin', 'rg'), path.join(rg, 'rg'));
  chmodSync(path.join(rg, 'rg'), 0o755);
  rmSync(path.join(folder, 'package'), { recursive: true });
  for (const archive of [server, ripgrep]) rmSync(path.join(folder, archive));

  // Two native modules that are not built: file logging, and a watchdog that only ends an orphaned host.
  cpSync(
    fileURLToPath(new URL('spdlog-stub.cjs', import.meta.url)),
    path.join(code, 'node_modules/@vscode/spdlog/index.js'),
  );
  for (const name of ['native-watchdog', '@vscode/native-watchdog']) {
    const module = path.join(code, 'node_modules', name);
    if (existsSync(module)) writeFileSync(path.join(module, 'index.js'), 'exports.start = function () {};\n');
  }
  const productFile = path.join(code, 'product.json');
  const product = JSON.parse(readFileSync(productFile, 'utf8'));
  delete product.extensionsGallery;
  delete product.linkProtectionTrustedDomains;
  product.enableTelemetry = false;
  writeFileSync(productFile, JSON.stringify(product, null, 2));
}

const archives = (folder, word) => readdirSync(folder).filter((name) => name.endsWith('.tgz') && name.includes(word));
const npm = (args, cwd) => run('npm', args, cwd);

function run(program, args, cwd) {
  const result = spawnSync(program, args, { cwd, encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } });
  if (result.error) throw result.error;
  if (result.status !== 0) {
    throw new Error(`${program} ${args.join(' ')} failed with ${result.status}:\n${result.stdout}${result.stderr}`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(ensureVscode());
}
