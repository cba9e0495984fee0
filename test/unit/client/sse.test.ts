// Server-sent events against the grammar: every terminator, every split, every oddity servers really send.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseParser } from '../../../src/client/sse';
import { runs } from '../support/property-runs';

interface Seen {
  readonly data: string;
  readonly name: string;
}

function parse(pieces: readonly Buffer[]): Seen[] {
  const seen: Seen[] = [];
  const parser = new SseParser({
    onEvent: (bytes, start, end, name) => void seen.push({ data: bytes.toString('utf8', start, end), name }),
  });
  for (const piece of pieces) {
    // The caller's memory is used again.
    const borrowed = Buffer.from(piece);
    parser.push(borrowed);
    borrowed.fill('\n');
  }
  parser.end();
  return seen;
}

function whole(text: string): Seen[] {
  return parse([Buffer.from(text)]);
}

function data(...texts: readonly string[]): Seen[] {
  return texts.map((text) => ({ data: text, name: '' }));
}

/** The grammar once more, the plain way, on decoded text; our deviation (last event without blank line) included. */
function reference(text: string): Seen[] {
  const seen: Seen[] = [];
  let lines: string[] = [];
  let name = '';
  const dispatch = (): void => {
    if (lines.length > 0) seen.push({ data: lines.join('\n'), name });
    lines = [];
    name = '';
  };
  const all = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const unterminated = all.pop();
  for (const line of unterminated === '' ? all : [...all, unterminated!]) {
    if (line === '') dispatch();
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') lines.push(value);
    if (field === 'event') name = value;
  }
  dispatch();
  return seen;
}

describe('the grammar', () => {
  it.each([
    ['LF', 'data: a\n\ndata: b\n\n'],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n'],
    ['CR', 'data: a\r\rdata: b\r\r'],
    ['mixed', 'data: a\r\n\ndata: b\n\r'],
  ])('ends lines at %s', (_name, text) => {
    expect(whole(text)).toEqual(data('a', 'b'));
  });

  it('takes data without a space after the colon, and strips one space only', () => {
    expect(whole('data:{"a":1}\n\ndata:  x\n\n')).toEqual(data('{"a":1}', ' x'));
  });

  it('joins several data lines with LF', () => {
    expect(whole('data: a\ndata:\ndata: b\n\n')).toEqual(data('a\n\nb'));
  });

  it('reads a field name without a colon as an empty value', () => {
    expect(whole('data\n\ndata\ndata\n\n')).toEqual(data('', '\n'));
  });

  it('skips comments, ids, retries and unknown fields, and events without data', () => {
    expect(whole(': ping\n\nid: 7\nretry: 10\nfoo: bar\ndatax: 1\nda\n\nevent: e\n\ndata: a\n\n')).toEqual(data('a'));
  });

  it('keeps the event name for its event only', () => {
    expect(whole('event: error\ndata: a\n\ndata: b\n\nevent:x\nevent\ndata: c\n\n')).toEqual([
      { data: 'a', name: 'error' },
      { data: 'b', name: '' },
      { data: 'c', name: '' },
    ]);
  });

  it('skips a byte order mark at the start, and only there', () => {
    expect(whole('\uFEFFdata: a\n\n\uFEFFdata: b\n\ndata: c\n\n')).toEqual(data('a', 'c'));
  });

  it('delivers the last event when the body ends without its blank line, or without any line end', () => {
    expect(whole('data: a\n\ndata: b\n')).toEqual(data('a', 'b'));
    expect(whole('data: a\n\ndata: b')).toEqual(data('a', 'b'));
    expect(whole('data: a\r')).toEqual(data('a'));
  });

  it('delivers an event the moment its blank line is there, also when that is a CR at the end of a read', () => {
    const seen: string[] = [];
    const parser = new SseParser({
      onEvent: (bytes, start, end) => void seen.push(bytes.toString('utf8', start, end)),
    });
    parser.push(Buffer.from('data: a\r\n\r'));
    expect(seen).toEqual(['a']);
    parser.push(Buffer.from('\ndata: b\r\n\r\n'));
    expect(seen).toEqual(['a', 'b']);
  });

  it('says nothing for an empty body or white lines', () => {
    expect(whole('')).toEqual([]);
    expect(whole('\n\n\r\n')).toEqual([]);
  });
});

const TORTURE =
  '\uFEFF: hello\r\ndata: {"t":"grüße 🚀"}\n\ndata:a\r\rdata: b\r\n\r\nevent: error\ndata: x\ndata: y\n\nid: 1\ndata\n\ndata: 漢字\n\ndata: [DONE]';

describe('splits', () => {
  it('gives the same events whichever byte a read ends at', () => {
    const bytes = Buffer.from(TORTURE);
    const expected = reference(TORTURE);
    expect(expected).toHaveLength(7);
    for (let at = 0; at <= bytes.length; at++) {
      expect(parse([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
    }
  });

  it('gives the same events byte by byte', () => {
    const bytes = Buffer.from(TORTURE);
    expect(parse([...bytes].map((byte) => Buffer.from([byte])))).toEqual(reference(TORTURE));
  });

  it('agrees with the grammar on any text, in any pieces', () => {
    const token = fc.constantFrom(
      'data',
      'data:',
      'data: ',
      'event: ',
      ': ',
      ':',
      'é',
      '🚀',
      'x',
      ' ',
      '\n',
      '\n\n',
      '\r',
      '\r\n',
      '\uFEFF',
      'da',
      'ta',
    );
    const text = fc.array(token, { maxLength: 40 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 8 }), (content, sizes) => {
        const bytes = Buffer.from(content);
        const pieces: Buffer[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length]! + (turn >= sizes.length ? 1 : 0);
          pieces.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(parse(pieces)).toEqual(reference(content));
      }),
      { numRuns: runs(2000) },
    );
  });
});
