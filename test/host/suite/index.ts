// Mocha inside the extension host: the entry that VS Code is given as its tests, on a laptop and in the test host alike.
import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/** Resolves when every test passed; the results go to the file that ISOPERF_SUITE_RESULTS names, for the driver to read. */
export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: 'bdd', color: false, timeout: 30_000 });
  mocha.suite.emit('pre-require', globalThis, '', mocha);
  await import('./activation.tests');
  await import('./language.tests');
  await import('./editing.tests');
  await import('./runs.tests');
  await import('./report-files.tests');
  const rows: { title: string; error?: string }[] = [];
  const failures = await new Promise<number>((resolve) => {
    const runner = mocha.run(resolve);
    runner.on('pass', (test) => rows.push({ title: test.fullTitle() }));
    runner.on('fail', (test, error: Error) =>
      rows.push({ title: test.fullTitle(), error: error.stack ?? error.message }),
    );
  });
  const file = process.env['ISOPERF_SUITE_RESULTS'];
  if (file !== undefined) writeFileSync(file, JSON.stringify(rows));
  if (failures > 0) throw new Error(`${failures} tests failed`);
}
