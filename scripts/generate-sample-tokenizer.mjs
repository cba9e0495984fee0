// `node scripts/generate-sample-tokenizer.mjs`: writes samples/tokenizer from the simulator's vocabulary, the one source.
// Deterministic; test/unit/simulator/vocabulary.test.ts says when the files are stale.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const root = path.resolve(import.meta.dirname, '..');
const bundle = await build({
  entryPoints: [path.join(root, 'src/simulator/vocabulary.ts')],
  bundle: true,
  format: 'esm',
  write: false,
});
const source = `data:text/javascript;base64,${Buffer.from(bundle.outputFiles[0].contents).toString('base64')}`;
const { tokenizerConfigJson, tokenizerJson } = await import(source);

const folder = path.join(root, 'samples', 'tokenizer');
mkdirSync(folder, { recursive: true });
writeFileSync(path.join(folder, 'tokenizer.json'), `${JSON.stringify(tokenizerJson(), null, 2)}\n`);
writeFileSync(path.join(folder, 'tokenizer_config.json'), `${JSON.stringify(tokenizerConfigJson(), null, 2)}\n`);
