// Lines that wait in blocks of bytes: what is in the file must be the lines, whatever their lengths and whenever they are flushed.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { LineFile } from '../../../src/folder/write-lines';

let folder: string | undefined;

afterEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true });
  folder = undefined;
});

function file(): string {
  folder ??= mkdtempSync(path.join(os.tmpdir(), 'isoperf-lines-'));
  return path.join(folder, 'lines');
}

const BLOCK = 256 * 1024;

describe('a file of lines', () => {
  it('holds all lines in order, short ones and ones longer than a block, in any characters', async () => {
    const line = fc.oneof(
      { weight: 6, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
      fc
        .tuple(fc.constantFrom('x', 'é', '🚀', '\ud800'), fc.constantFrom(1000, BLOCK / 3, BLOCK - 1, BLOCK, BLOCK + 1))
        .map(([text, bytes]) => text.repeat(Math.floor(bytes / Buffer.byteLength(text)))),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(line, fc.nat(9)), { maxLength: 25 }), async (lines) => {
        const written = await LineFile.create(file());
        let bytes = 0;
        for (const [text, chance] of lines) {
          expect(written.append(text)).toBe(Buffer.byteLength(text));
          bytes += Buffer.byteLength(text) + 1;
          // Sometimes while an earlier flush is still on its way.
          if (chance === 0) void written.flush();
          if (chance === 1) await written.flush();
        }
        await written.close();
        expect(written.error).toBeUndefined();
        expect(written.onDisk).toBe(bytes);
        const expected = Buffer.from(lines.map(([text]) => `${text}\n`).join(''));
        expect(readFileSync(file()).equals(expected)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
