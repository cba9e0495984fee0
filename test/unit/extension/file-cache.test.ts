// The workspace's files as the trees know them: what changed is read, what did not is not, and nothing is left out silently.
import { describe, expect, it } from 'vitest';
import { FileCache } from '../../../src/extension/file-cache';

function cacheOf(files: readonly string[], limit = 1000) {
  const reads: string[][] = [];
  const content = new Map(files.map((uri) => [uri, `config ${uri}`]));
  let lists = 0;
  const cache = new FileCache<string>({
    list: () => {
      lists += 1;
      return Promise.resolve([...content.keys()]);
    },
    read: (uris) => {
      reads.push([...uris]);
      return Promise.resolve(uris.map((uri) => content.get(uri)));
    },
    limit: () => limit,
  });
  return { cache, reads, content, lists: () => lists };
}

describe('files that are kept', () => {
  it('are read once, and after a save only the one that was saved', async () => {
    const { cache, reads, content, lists } = cacheOf(['/w/a.yaml', '/w/b.yaml', '/w/c.yaml']);
    await cache.all();
    await cache.all();
    expect(reads).toEqual([['/w/a.yaml', '/w/b.yaml', '/w/c.yaml']]);
    content.set('/w/b.yaml', 'another');
    cache.changed('/w/b.yaml');
    expect((await cache.all()).entries).toContain('another');
    expect(reads.at(-1)).toEqual(['/w/b.yaml']);
    expect(lists()).toBe(1);
  });

  it('follow files that come and go', async () => {
    const { cache, content } = cacheOf(['/w/a.yaml']);
    await cache.all();
    content.set('/w/new.yaml', 'new');
    cache.changed('/w/new.yaml');
    expect((await cache.all()).entries).toEqual(['config /w/a.yaml', 'new']);
    cache.removed('/w/a.yaml');
    expect((await cache.all()).entries).toEqual(['new']);
  });

  it('beyond the limit are counted, the deepest first to be left out', async () => {
    const { cache, reads } = cacheOf(['/w/deep/er/a.yaml', '/w/z.yaml', '/w/deep/b.yaml'], 2);
    expect(await cache.all()).toEqual({ entries: ['config /w/z.yaml', 'config /w/deep/b.yaml'], leftOut: 1 });
    expect(reads.flat()).not.toContain('/w/deep/er/a.yaml');
  });

  it('are not read twice by two who ask at once', async () => {
    const { cache, reads } = cacheOf(['/w/a.yaml']);
    await Promise.all([cache.all(), cache.all()]);
    expect(reads).toHaveLength(1);
  });
});
