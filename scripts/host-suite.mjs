// Runs the extension-host tests (test/host/suite) in the VS Code server: its page is told which tests to load by the URL's payload.
import { readFileSync, rmSync } from 'node:fs';
import { buildSuite, root } from './floor.mjs';

const LIMIT_MS = 120_000;

/** Reports one line per test. A host that died without results is a failure, whatever it said. */
export async function runHostSuite({ browser, server, workspace, results, report }) {
  const suite = await buildSuite();
  const remote = (file) => `vscode-remote://${server.authority}${file}`;
  const page = await browser.newPage();
  let ended;
  const done = new Promise((resolve) => {
    ended = resolve;
  });
  const timer = setTimeout(() => ended(`no end within ${LIMIT_MS / 1000} s`), LIMIT_MS);
  const said = [];
  await page.exposeFunction('codeAutomationLog', (_type, words) => said.push(words.map(String).join(' ')));
  await page.exposeFunction('codeAutomationExit', (code) => ended(code));
  page.on('crash', () => ended('the page crashed'));
  await page.goto(
    server.url(workspace, [
      ['extensionDevelopmentPath', remote(root)],
      ['extensionTestsPath', remote(suite)],
    ]),
  );
  const end = await done;
  clearTimeout(timer);
  await page.close();
  const rows = readResults(results);
  for (const { title, error } of rows ?? []) {
    await report.test(`host suite: ${title}`, () => {
      if (error !== undefined) throw Object.assign(new Error(error), { stack: error });
    });
  }
  if (!rows || rows.length === 0 || (end !== 0 && !rows.some((row) => row.error))) {
    await report.test('host suite: ran to its end', () => {
      throw new Error(`it ended with ${end}\n${said.slice(-30).join('\n')}`);
    });
  }
}

function readResults(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  } finally {
    rmSync(file, { force: true });
  }
}
