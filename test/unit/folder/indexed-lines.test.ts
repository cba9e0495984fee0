// Lines written in one order and read in another, larger than any block, over block borders, and when the disk refuses.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { IndexedLines } from '../../../src/folder/indexed-lines';
import type { LineFile } from '../../../src/folder/write-lines';

const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-lines-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
let files = 0;
const place = (): string => path.join(folder, `lines-${files++}`);

describe('lines in any order', () => {
  it('come back as they were written, whatever their length and order', async () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).map((text) => JSON.stringify(text)),
      fc.nat(300_000).map((length) => `"${'é'.repeat(length)}"`),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 30 }), fc.nat(), async (lines, turn) => {
        const file = place();
        const kept = await IndexedLines.create(file, lines.length + 1);
        const order = lines.map((_, index) => (index * 7 + turn) % lines.length);
        const written = [...new Set(order)];
        for (const number of written) kept.append(number, lines[number]!);
        await kept.settle();
        expect(kept.count).toBe(written.length);
        for (const [number, text] of lines.entries()) {
          expect(kept.read(number)).toBe(written.includes(number) ? text : undefined);
        }
        expect(readFileSync(file, 'utf8')).toBe(written.map((number) => `${lines[number]}\n`).join(''));
        kept.close();
      }),
      { numRuns: 40 },
    );
  });

  it('a number beyond what was planned is a bug, and says so', async () => {
    const kept = await IndexedLines.create(place(), 2);
    expect(() => {
      kept.append(2, 'x');
    }).toThrow(/line 2 of at most 2/);
    await kept.settle();
  });

  it.skipIf(process.platform !== 'linux')('what the disk refused is read from memory', async () => {
    const told: Error[] = [];
    // Every write to this device fails as on a full disk.
    const kept = await IndexedLines.create('/dev/full', 3, (error) => told.push(error));
    kept.append(1, '{"id":1}');
    kept.append(0, '{"id":0}');
    await kept.settle();
    expect(told).toHaveLength(1);
    expect(kept.error?.message).toMatch(/ENOSPC/);
    expect([kept.read(0), kept.read(1), kept.read(2)]).toEqual(['{"id":0}', '{"id":1}', undefined]);
  });

  it(
    'what a disk that fills up refused keeps its place among lines that waited, were on their way, and came later',
    { timeout: 120_000 },
    async () => {
      const step = fc.record({
        bytes: fc.oneof(fc.nat(40), fc.nat(600_000)),
        pause: fc.constantFrom('none', 'none', 'flush', 'tick', 'turn'),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), fc.nat(2_000_000), async (steps, room) => {
          const capacity = steps.length + 1;
          const texts = steps.map(({ bytes }, number) => `{"id":${number},"text":"${'é'.repeat(bytes >> 1)}"}`);
          const last = '{"id":"told"}';
          const kept = await IndexedLines.create(place(), capacity, () => {
            kept.append(capacity - 1, last);
          });
          fillsUp(kept, room);
          const flushes: Promise<void>[] = [];
          for (const [number, { pause }] of steps.entries()) {
            kept.append(number, texts[number]!);
            if (pause === 'flush') flushes.push(fileOf(kept).flush());
            if (pause === 'tick') await Promise.resolve();
            if (pause === 'turn') await new Promise(setImmediate);
          }
          await kept.settle();
          await Promise.all(flushes);
          // What is appended while the last of it is refused is beyond what `settle` promises.
          if (kept.error) await kept.settle();
          expect(steps.map((_, number) => kept.read(number))).toEqual(texts);
          expect(kept.read(capacity - 1)).toBe(kept.error ? last : undefined);
          kept.close();
        }),
        { numRuns: 75 },
      );
    },
  );
});

function fileOf(lines: IndexedLines): LineFile {
  return Reflect.get(lines, 'lines') as LineFile;
}

/** As a disk with so much room: the write that does not fit is done in part. */
function fillsUp(lines: IndexedLines, room: number): void {
  const handle = Reflect.get(fileOf(lines), 'handle') as FileHandle;
  const write = handle.writeFile.bind(handle);
  let left = room;
  handle.writeFile = async (bytes) => {
    const part = (bytes as Buffer).subarray(0, left);
    left -= part.length;
    await write(part);
    if (part.length < (bytes as Buffer).length)
      throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
  };
}
