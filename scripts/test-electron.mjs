// The extension-host tests in desktop VS Code, for a machine that can download one: `node esbuild.mjs && node scripts/test-electron.mjs`.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runTests } from '@vscode/test-electron';
import { buildSuite, root } from './floor.mjs';

const workspace = mkdtempSync(path.join(os.tmpdir(), 'isoperf-workspace-'));
cpSync(path.join(root, 'samples', 'workspace'), workspace, { recursive: true });
try {
  await runTests({
    extensionDevelopmentPath: root,
    extensionTestsPath: await buildSuite(),
    launchArgs: [workspace, '--disable-extensions', '--disable-workspace-trust'],
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(workspace, { recursive: true, force: true });
}
