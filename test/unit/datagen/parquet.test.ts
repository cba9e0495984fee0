// Data sets in Parquet: the same records as from JSON, whatever they are compressed with; what cannot be read is said with a way out.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { prepareWorkload, type WorkloadData } from '../../../src/datagen/workload';
import type { Problem } from '../../../src/problem';
import { temporaryFolder } from './tokenizer-fixture';

const { folder, remove } = temporaryFolder();
afterAll(remove);
const FIXTURES = path.join(import.meta.dirname, '../../fixtures/parquet');
const at = (file: string): NonNullable<WorkloadData['path']> => ({
  file: path.resolve(FIXTURES, file),
  configured: file,
});

async function make(
  data: WorkloadData,
  count: number,
  api: 'completion' | 'chat' = 'completion',
): Promise<{ prompts: unknown[]; problems: readonly Problem[] }> {
  const made = await prepareWorkload({
    data,
    body: { model: 'm', api, streaming: false, ignoreEos: true },
    isMockServer: false,
    seed: 1,
    stages: [{ name: { kind: 'measured', index: 0 }, count }],
  });
  if (!made.ok) throw new Error(`${made.problems[0]!.code} ${made.problems[0]!.message} ${made.problems[0]!.remedy}`);
  const bodies = made.value.stages
    .flat()
    .map(({ body }) => JSON.parse(String(body)) as { prompt?: string; messages?: unknown; max_tokens: number });
  return { prompts: bodies.map((body) => [body.prompt ?? body.messages, body.max_tokens]), problems: made.problems };
}

const codes = (problems: readonly Problem[]): string[] => problems.map(({ code }) => code);

describe('records', () => {
  it('of all row groups in order, the first skipped, those with nulls left out, and from the start again', async () => {
    const made = await make({ type: 'cnn_dailymail', path: at('news-0.parquet') }, 3);
    expect(made.prompts).toEqual([
      ['The bridge opens again on Monday.', 3],
      ['skipped', 1],
      ['The bridge opens again on Monday.', 3],
    ]);
    expect(codes(made.problems)).toContain('RUN057');
    expect(made.problems.find(({ code }) => code === 'RUN058')!.message).toMatch(/inference-perf.*refuses/);
  });

  it('of a folder of such files, as one data set; gzip, and characters of several bytes', async () => {
    for (const name of ['news-1.parquet', 'news-0.parquet']) {
      mkdirSync(path.join(folder, 'news'), { recursive: true });
      writeFileSync(path.join(folder, 'news', name), readFileSync(path.join(FIXTURES, name)));
    }
    const made = await make({ type: 'cnn_dailymail', path: at(path.join(folder, 'news')) }, 3);
    expect(made.prompts.map((entry) => (entry as [string])[0])).toEqual([
      'The bridge opens again on Monday.',
      'Åse counted 漢字 and \u{1f600}.',
      'Last of all.',
    ]);
  });

  it.each(['talks.parquet', 'talks-brotli.parquet'])('nested: conversations of %s', async (name) => {
    const instruct = await make({ type: 'infinity_instruct', path: at(name) }, 2);
    expect(instruct.prompts).toEqual([
      ['one\ntwo\nthree', 2],
      ['last', 2],
    ]);
    const bills = await make({ type: 'billsum_conversations', path: at(name) }, 2, 'chat');
    expect(bills.prompts[1]).toEqual([
      [
        { role: 'human', content: 'last' },
        { role: 'gpt', content: 'of all' },
      ],
      30,
    ]);
  });

  it('zstd where Node has it, else the way out', async () => {
    const made = make({ type: 'billsum_conversations', path: at('talks-zstd.parquet') }, 1);
    if ('zstdDecompressSync' in zlib) expect((await made).prompts).toEqual([['one', 1]]);
    else await expect(made).rejects.toThrow(/RUN052.*talks-zstd\.parquet.*zstd.*cannot read.*snappy/);
  });
});

describe('what cannot be read', () => {
  const write = (name: string, bytes: Uint8Array): NonNullable<WorkloadData['path']> => {
    writeFileSync(path.join(folder, name), bytes);
    return at(path.join(folder, name));
  };
  const whole = readFileSync(path.join(FIXTURES, 'news-0.parquet'));

  it.each([
    ['cut off', whole.subarray(0, -40)],
    ['empty', Buffer.alloc(0)],
    ['a page of a web server', Buffer.from('<html>not found</html>')],
    ['a pointer of Git LFS', Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 257\n')],
    [
      'a footer longer than the file',
      Buffer.concat([whole.subarray(0, -8), Buffer.from([255, 255, 255, 127]), Buffer.from('PAR1')]),
    ],
    ['damaged pages', Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(200, 0xff), whole.subarray(204)])],
  ])('%s: RUN052 with the file and the remedy', async (name, bytes) => {
    const data = { type: 'cnn_dailymail', path: write(`${name.replace(/\W/g, '-')}.parquet`, bytes) };
    await expect(make(data, 1)).rejects.toThrow(
      /RUN052 Nothing was sent: .*\.parquet cannot be read as Parquet: .*get it again/,
    );
  });

  it('a missing column: named, with those that are there', async () => {
    await expect(make({ type: 'cnn_dailymail', path: at('talks.parquet') }, 1)).rejects.toThrow(
      /RUN052.*talks\.parquet has no column 'article'; it has id, conversations, label\. Take the file/,
    );
  });

  it('a row group beyond the memory it may take, before it is decompressed', async () => {
    await expect(make({ type: 'cnn_dailymail', path: at('one-large-group.parquet') }, 1)).rejects.toThrow(
      /RUN052.*row group 0 of .*one-large-group\.parquet takes 515 MB, and 512 MB.*smaller row groups/,
    );
  });
});
