// The program of a sending thread, bundled as esbuild.mjs does it.
import path from 'node:path';
import { build } from 'esbuild';

declare const ISOPERF_VERSION: string;

/** @param banner JavaScript that runs before it, for threads that die */
export async function bundleWorker(outfile: string, banner = ''): Promise<void> {
  await build({
    entryPoints: [path.resolve(import.meta.dirname, '../../../src/loadgen/load-worker.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    mainFields: ['module', 'main'],
    logLevel: 'error',
    banner: { js: banner },
    // As vitest.config.ts has it for the rest: the user agent is part of what is sent.
    define: { ISOPERF_VERSION: JSON.stringify(ISOPERF_VERSION), UNDICI_VERSION: '"test"' },
  });
}
