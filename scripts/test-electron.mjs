// `npm run test-electron`: the extension-host tests in desktop VS Code. Downloads it once (some 200 MB) and needs a screen, or xvfb-run.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runTests } from '@vscode/test-electron';
import { buildSuite, root } from './floor.mjs';

const workspace = mkdtempSync(path.join(os.tmpdir(), 'isoperf-workspace-'));
cpSync(path.join(root, 'samples', 'workspace'), workspace, { recursive: true });
console.log('Desktop VS Code is downloaded the first time (some 200 MB, into .vscode-test/).');
try {
  await runTests({
    extensionDevelopmentPath: root,
    extensionTestsPath: await buildSuite(),
    launchArgs: [workspace, '--disable-extensions', '--disable-workspace-trust'],
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error(
    'It needs update.code.visualstudio.com and a screen. Without them: `npm run host`, a VS Code server in Chromium.',
  );
  process.exitCode = 1;
} finally {
  rmSync(workspace, { recursive: true, force: true });
}
