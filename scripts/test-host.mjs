// The host floor: the packaged extension in a real VS Code, driven as a user would. `npm run host -- [suite | words of a step's name] [--watch]`
// Installs the VS Code server once (setup-vscode.mjs). The tests are one story: a failed step skips the ones after it, and a
// step that is asked for by name comes after all that lead to it.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runHostSuite } from './host-suite.mjs';
import { loadTests, reporter, root, startBrowser, wantedTests } from './floor.mjs';
import { extensionHostLog, prepareHost, startVscode } from './vscode-host.mjs';

const STEP_SECONDS = 180;
/** The first time, 270 MB come from the registry. */
const INSTALL_SECONDS = 400;

const wanted = await wantedTests('scripts/test-host.mjs', []);
mkdirSync(path.join(root, 'shots'), { recursive: true });
const report = reporter();
const { FRESH_TESTS, HOST_TESTS, Workbench } = await loadTests('test/host/tests.ts', 'test-host');
const story = HOST_TESTS.slice(0, HOST_TESTS.findLastIndex(({ name }) => name.toLowerCase().includes(wanted)) + 1);
const isFresh = FRESH_TESTS.some(({ name }) => name.toLowerCase().includes(wanted));
if (wanted !== '' && wanted !== 'suite' && story.length === 0 && !isFresh) {
  console.error(`There is no step '${wanted}'. Steps:\n  ${HOST_TESTS.map(({ name }) => name).join('\n  ')}`);
  process.exit(2);
}
const workspaces = mkdtempSync(path.join(os.tmpdir(), 'isoperf-workspaces-'));
/** A copy of the sample workspace; the suite and the story do not see each other's. */
function sampleWorkspace(name) {
  const folder = path.join(workspaces, name);
  cpSync(path.join(root, 'samples', 'workspace'), folder, { recursive: true });
  cpSync(path.join(root, 'samples', 'tokenizer'), path.join(folder, 'tokenizer'), { recursive: true });
  return folder;
}
const workspace = sampleWorkspace('bench');
let host;
const prepared = await report.test(
  'the package installs into VS Code',
  async () => {
    host = await prepareHost();
  },
  INSTALL_SECONDS,
);
if (!prepared) {
  rmSync(workspaces, { recursive: true, force: true });
  report.end();
}
const browser = await startBrowser();
let server;
try {
  const results = path.join(host.work, 'suite.json');
  server = await startVscode(host, {
    settings: { 'workbench.reduceMotion': 'on' },
    env: { ISOPERF_SUITE_RESULTS: results },
  });
  if ('suite'.includes(wanted)) {
    await runHostSuite({ browser, server, workspace: sampleWorkspace('suite'), results, report });
  }
  const open = async (folder) => {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    const workbench = new Workbench(page, server.configure);
    await workbench.open(server.url(folder));
    return { page, workbench };
  };
  for (const { name, body } of FRESH_TESTS) {
    if (!name.toLowerCase().includes(wanted)) continue;
    const folder = path.join(workspaces, 'fresh');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'README.md'), '# Nothing here yet');
    const { page, workbench } = await open(folder);
    if (!(await report.test(name, () => body(workbench, folder), STEP_SECONDS))) {
      await page.screenshot({ path: path.join(root, 'shots', 'FAIL-host-fresh.png') }).catch(() => {});
      console.log(extensionHostLog(host));
    }
    await page.context().close();
  }
  const steps = wanted === 'suite' ? [] : story;
  const { page, workbench } = steps.length > 0 ? await open(workspace) : {};
  if (process.env['VERBOSE']) page?.on('console', (message) => console.log('[console]', message.text().slice(0, 300)));
  let broken = false;
  for (const { name, body } of steps) {
    if (broken) {
      report.skip(name, 'an earlier step failed');
      continue;
    }
    broken = !(await report.test(name, () => body(workbench, workspace), STEP_SECONDS));
    if (broken) {
      await page.screenshot({ path: path.join(root, 'shots', 'FAIL-host.png') }).catch(() => {});
      console.log(extensionHostLog(host));
    }
  }
} finally {
  await browser.close();
  await server?.stop();
  if (process.env['KEEP'] && existsSync(host.work)) console.log(`kept: ${host.work} ${workspaces}`);
  else {
    host.remove();
    rmSync(workspaces, { recursive: true, force: true });
  }
}
report.end();
