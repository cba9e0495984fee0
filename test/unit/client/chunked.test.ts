// Chunks found beside the HTTP parser: whatever is given out and whatever is left to the parser must together be the body.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkedBody } from '../../../src/client/chunked';
import { runs } from '../support/property-runs';

type Form = 'plain' | 'upper' | 'zeros' | 'extension';

const write = (data: string, form: Form): string => {
  const size = Buffer.byteLength(data, 'latin1').toString(16);
  const line = { plain: size, upper: size.toUpperCase(), zeros: `0${size}`, extension: `${size};name="a;b"` }[form];
  return `${line}\r\n${data}\r\n`;
};

/** What a parser that knows all of the grammar would make of it: the data, and what follows the body. */
function decode(body: string): { data: string; rest: string } {
  let at = 0;
  let data = '';
  for (;;) {
    const lineEnd = body.indexOf('\r\n', at);
    const size = parseInt(body.slice(at, lineEnd), 16);
    at = lineEnd + 2;
    if (size === 0) {
      const trailersEnd = body.startsWith('\r\n', at) ? at + 2 : body.indexOf('\r\n\r\n', at) + 4;
      return { data, rest: body.slice(trailersEnd) };
    }
    data += body.slice(at, at + size);
    expect(body.slice(at + size, at + size + 2)).toBe('\r\n');
    at += size + 2;
  }
}

/** Reads cut at `cuts`, in memory that is used again; gives the data in order, and what the parser saw. */
function pass(body: string, cuts: readonly number[]): { data: string; parsed: string; inPlace: number } {
  const bytes = Buffer.from(body, 'latin1');
  const ends = [...new Set(cuts.map((cut) => cut % bytes.length)), bytes.length].sort((a, b) => a - b);
  const chunks = new ChunkedBody();
  const memory = Buffer.alloc(bytes.length + 10);
  // Data of the parser's parts come when it has them: `parsed` is decoded to know which of all data they are.
  let parsed = '';
  let data = '';
  let inPlace = 0;
  let from = 0;
  const give = (start: number, end: number): void => {
    const before = partial(parsed);
    parsed += memory.toString('latin1', start, end);
    data += partial(parsed).slice(before.length);
  };
  for (const end of ends) {
    const length = bytes.copy(memory, 3, from, end) + 3;
    from = end;
    let at = 3;
    while (at < length) {
      if (chunks.isAtChunk) {
        at = chunks.whole(memory, at, length, {
          onBody: (given, start, stop) => {
            data += given.toString('latin1', start, stop);
            inPlace += stop - start;
          },
        });
        if (at === length) break;
      }
      const next = chunks.isLost ? length : chunks.follow(memory, at, length);
      give(at, next);
      at = next;
    }
    memory.fill('0\r\n');
  }
  return { data, parsed, inPlace };
}

/** Data of a body that may be cut anywhere. */
function partial(body: string): string {
  let at = 0;
  let data = '';
  for (;;) {
    const lineEnd = body.indexOf('\r\n', at);
    if (lineEnd < 0) return data;
    const size = parseInt(body.slice(at, lineEnd), 16);
    if (!(size > 0)) return data;
    data += body.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 4 + size;
    if (at > body.length) return data;
  }
}

const datum = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40 }).map((text) => Buffer.from(text).toString('latin1')),
  fc.constantFrom('\r\n', '0\r\n\r\n', 'data: a\n\n', '5\r\nhello\r\n', 'x'.repeat(300)),
);
const form = fc.constantFrom<Form>('plain', 'plain', 'plain', 'upper', 'zeros', 'extension');

describe('chunks beside the parser', () => {
  it('are the body together with what the parser gets, in any reads', () => {
    let inPlace = 0;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(datum, form), { maxLength: 12 }),
        fc.constantFrom('', 'trailer: 1\r\n'),
        fc.array(fc.nat(), { maxLength: 12 }),
        (pieces, trailer, cuts) => {
          const body = `${pieces.map(([data, as]) => write(data, as)).join('')}0\r\n${trailer}\r\n`;
          const passed = pass(body, cuts);
          expect(passed.data).toBe(pieces.map(([data]) => data).join(''));
          // What the parser saw is a body of its own, and whole.
          expect(decode(passed.parsed).rest).toBe('');
          inPlace += passed.inPlace;
        },
      ),
      { numRuns: runs(2000) },
    );
    expect(inPlace).toBeGreaterThan(1000);
  });

  it('are the same cut in two at any byte', () => {
    const data = ['data: a\n\n', 'data: b\r\n\r\n', 'é'.repeat(9), 'x'];
    const body = `${data.map((each) => write(Buffer.from(each).toString('latin1'), 'plain')).join('')}0\r\n\r\n`;
    for (let cut = 0; cut < body.length; cut++) {
      const passed = pass(body, [cut]);
      expect(Buffer.from(passed.data, 'latin1').toString()).toBe(data.join(''));
      expect(decode(passed.parsed).rest).toBe('');
    }
  });

  it.each([
    ['an extension', '5;a=b\r\nhello\r\n'],
    ['no line end after the data', '5\r\nhelloXX'],
    ['a line feed alone', '5\nhello\n'],
    ['no digits', '\r\nhello\r\n'],
    ['another protocol', 'HTTP/1.1 200 OK\r\n'],
    ['a size no server sends', `${'f'.repeat(8)}\r\nhello\r\n`],
    ['white space', '5 \r\nhello\r\n'],
    ['a sign', '+5\r\nhello\r\n'],
    ['the last chunk', '0\r\n\r\n'],
  ])('leave %s to the parser', (_, text) => {
    const chunks = new ChunkedBody();
    const bytes = Buffer.from(text + write('more', 'plain'), 'latin1');
    const given: string[] = [];
    const sink = {
      onBody: (_: Buffer, from: number, to: number) => void given.push(bytes.toString('latin1', from, to)),
    };
    const at = chunks.whole(bytes, 0, bytes.length, sink);
    expect([at, given]).toEqual([0, []]);
  });
});
