// Lines are broken where JSON lines are: at LF and CRLF, wherever the chunks end, and nowhere else.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { linesOf } from '../../../src/folder/read-lines';

async function read(bytes: Buffer, sizes: readonly number[]): Promise<string[]> {
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  const lines: string[] = [];
  async function* given(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield await Promise.resolve(chunk);
  }
  for await (const line of linesOf(given())) lines.push(line);
  return lines;
}

const value = fc.oneof(
  fc.string({ unit: 'binary-ascii' }),
  fc.constantFrom('\u2028', '\u2029\u0085', '東京\r', '😀', '\ufeff'),
);

it('gives back the lines of any values, however the bytes come', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(value, { maxLength: 8 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
      async (values, end, isEnded, sizes) => {
        const lines = values.map((each) => JSON.stringify(each));
        const text = lines.join(end) + (isEnded && lines.length > 0 ? end : '');
        expect(await read(Buffer.from(text), sizes)).toEqual(lines);
      },
    ),
  );
});

it('rejects with the file’s error', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(Buffer.from('{}\n'));
    throw new Error('EIO');
  }
  const lines = linesOf(broken());
  expect((await lines.next()).value).toBe('{}');
  await expect(lines.next()).rejects.toThrow('EIO');
});
