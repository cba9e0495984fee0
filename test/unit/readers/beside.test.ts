// What lies beside or above a report folder: a shared config and a stack record, found alike by command line and extension.
import { describe, expect, it } from 'vitest';
import { withBeside } from '../../../src/readers/beside';
import type { FolderAccess } from '../../../src/folder/access';
import type { Run } from '../../../src/readers/run';
import { memoryFolder, type MemoryFiles } from '../support/memory-folder';

const FOREIGN: Run = { folder: 'run', tool: { name: 'inference-perf' }, stages: new Map(), files: [], problems: [] };
const inside = (own: MemoryFiles, above: MemoryFiles = {}): FolderAccess => ({
  ...memoryFolder(own),
  parent: () => memoryFolder(above),
});

describe('beside a report', () => {
  it('the config above is shared, unless the run has its own', async () => {
    const above = { 'config.yaml': 'load: { type: constant }' };
    const run = await withBeside(FOREIGN, inside({}, above), 'run');
    expect(run).toMatchObject({ configFile: '../config.yaml', config: { load: { type: 'constant' } } });
    const own = { ...FOREIGN, config: { load: { type: 'poisson' } } };
    expect((await withBeside(own, inside({}, above), 'run')).config).toEqual({ load: { type: 'poisson' } });
    expect(await withBeside(FOREIGN, inside({}, { 'config.yaml': '- no config' }), 'run')).toEqual(FOREIGN);
  });

  it('a stack record in the folder, else above it with the part of its name; a named one wins', async () => {
    const list = '# one\n- "--model=a"\n# two\n- "--model=b"\n';
    const near = await withBeside(
      FOREIGN,
      inside({ 'stack.yaml': 'engine: vllm' }, { 'server-args.txt': list }),
      'two',
    );
    expect(near.stack).toMatchObject({ source: 'stack.yaml', engine: 'vllm' });
    const far = await withBeside(FOREIGN, inside({}, { 'server-args.txt': list }), 'two');
    expect(far.stack).toMatchObject({ source: '../server-args.txt', args: ['--model=b'] });
    const given = { source: 'given.yaml', engine: 'sglang' };
    expect((await withBeside(FOREIGN, inside({ 'stack.yaml': 'engine: vllm' }), 'one', given)).stack).toEqual(given);
  });

  it('a folder without one above it, or a file that may not be read, is no trouble', async () => {
    expect(await withBeside(FOREIGN, memoryFolder({}), 'run')).toEqual(FOREIGN);
    const closed: FolderAccess = { ...memoryFolder({}), readText: () => Promise.reject(new Error('EACCES')) };
    expect(await withBeside(FOREIGN, { ...closed, parent: () => closed }, 'run')).toEqual(FOREIGN);
  });
});
