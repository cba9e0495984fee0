// `npm run workbench`: the packaged extension with a sample workspace in a real VS Code, in a browser, for anyone without a desktop.
// Prints the address and serves it until Ctrl+C. `--port N` for a fixed port, `--folder DIR` for a folder of your own.
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './floor.mjs';
import { prepareHost, startVscode } from './vscode-host.mjs';

const { values } = parseArgs({ options: { port: { type: 'string' }, folder: { type: 'string' } } });
const port = Number(values.port ?? 0);
if (!Number.isInteger(port) || port < 0 || port > 65535) {
  console.error(`--port must be a number from 0 to 65535, not '${values.port}'`);
  process.exit(2);
}
if (values.folder !== undefined && !existsSync(values.folder)) {
  console.error(`--folder: there is no folder ${values.folder}`);
  process.exit(2);
}

/** A copy: what is tried in it does not change the checkout. */
function sampleWorkspace() {
  const folder = path.join(mkdtempSync(path.join(os.tmpdir(), 'isoperf-workbench-')), 'bench');
  cpSync(path.join(root, 'samples', 'workspace'), folder, { recursive: true });
  cpSync(path.join(root, 'samples', 'tokenizer'), path.join(folder, 'tokenizer'), { recursive: true });
  return folder;
}

console.log('Packaging the extension and starting VS Code ...');
const folder = values.folder === undefined ? sampleWorkspace() : path.resolve(values.folder);
const host = await prepareHost();
const server = await startVscode(host, { port });
console.log(`\nVS Code with IsoPerf: ${server.url(folder)}`);
console.log(`Workspace: ${folder}`);
console.log('Open baseline.yaml, press Run above its first key and choose the embedded simulator. Ctrl+C ends it.');

let ending = false;
async function end() {
  if (ending) return;
  ending = true;
  await server.stop();
  host.remove();
  if (values.folder === undefined) rmSync(path.dirname(folder), { recursive: true, force: true });
  process.exit(0);
}
process.on('SIGINT', () => void end());
process.on('SIGTERM', () => void end());
