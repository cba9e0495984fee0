// A streamed answer from bytes to judgement, and the template short cut against plain JSON parsing.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPiece } from '../../../src/client/openai';
import { StreamReader } from '../../../src/client/stream-reader';
import { Template } from '../../../src/client/template';
import { TokenTrace } from '../../../src/client/trace';
import { runs } from '../support/property-runs';

const SHARED = Buffer.alloc(100_000);

/** As the transport does: the bytes stand somewhere in a buffer that holds other things a moment later. */
function feed(reader: StreamReader, piece: Buffer | string, atSeconds: number): void {
  const bytes = Buffer.from(piece);
  bytes.copy(SHARED, 7);
  reader.push(SHARED, 7, 7 + bytes.length, atSeconds);
  SHARED.fill('"}\n\ndata: {"choices":[{"text":"', 0, bytes.length + 14);
}

function read(pieces: readonly string[]): { trace: TokenTrace; reader: StreamReader; failure: string | undefined } {
  const trace = new TokenTrace({});
  const reader = new StreamReader(trace, readPiece);
  pieces.forEach((piece, index) => {
    feed(reader, piece, index);
  });
  const failure = reader.end(pieces.join('').slice(0, 100))?.label;
  return { trace, reader, failure };
}

const text = (value: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, text: value, finish_reason: finish }] })}\n\n`;
const DONE = 'data: [DONE]\n\n';

describe('a stream', () => {
  it('gives every token-carrying event the time of the read that completed it', () => {
    const { trace, failure } = read([
      text('a'),
      text('b') + text('c'),
      text('d').slice(0, 20),
      text('d').slice(20),
      DONE,
    ]);
    expect(trace.chunkSeconds).toEqual([0, 1, 1, 3]);
    expect(trace.chunkTexts).toEqual(['a', 'b', 'c', 'd']);
    expect(trace.outputText).toBe('abcd');
    expect([trace.firstTokenSeconds, trace.firstContentSeconds, trace.lastTokenSeconds]).toEqual([0, 0, 3]);
    expect(failure).toBeUndefined();
  });

  it('tells the first token from the first content', () => {
    const { trace, reader } = read([
      'data: {"choices":[{"delta":{"role":"assistant","content":""}}]}\n\n',
      'data: {"choices":[{"delta":{"reasoning_content":"hm"}}]}\n\n',
      'data: {"choices":[{"delta":{"content":"a"}}]}\n\n',
      'data: {"choices":[{"delta":{"content":null},"finish_reason":"stop"}]}\n\n',
    ]);
    expect(trace.firstTokenSeconds).toBe(1);
    expect(trace.firstContentSeconds).toBe(2);
    expect(trace.lastTokenSeconds).toBe(2);
    expect(trace.chunkTexts).toEqual(['hm', 'a']);
    expect(trace.outputText).toBe('a');
    expect(reader.finishReason).toBe('stop');
  });

  it('merges usage key by key, the last value wins', () => {
    const usage = (value: object): string => `data: ${JSON.stringify({ choices: [], usage: value })}\n\n`;
    const { reader } = read([
      text('a'),
      usage({ prompt_tokens: 5, completion_tokens: 1 }),
      usage({ completion_tokens: 2 }),
      DONE,
    ]);
    expect(reader.usage).toEqual({ promptTokens: 5, completionTokens: 2 });
  });

  it('reads nothing after [DONE]', () => {
    const { trace, failure } = read([text('a'), DONE, text('b'), 'data: garbage\n\n']);
    expect(trace.chunkTexts).toEqual(['a']);
    expect(failure).toBeUndefined();
  });

  it('tells live figures the latency of the first token and the gaps after it', () => {
    const first: number[] = [];
    const gaps: number[] = [];
    const trace = new TokenTrace({ onFirstToken: (s) => first.push(s), onChunk: (s) => gaps.push(s) });
    trace.sentSeconds = 10;
    trace.token('', 'a', 12);
    trace.token('', 'b', 12.5);
    trace.token('', 'c', 14);
    expect([first, gaps]).toEqual([[2], [0.5, 1.5]]);
  });
});

describe('a stream that is not a whole answer', () => {
  it.each([
    ['ends without [DONE] and finish_reason', [text('a'), text('b')], 'stream ended early'],
    ['has no token and no reason', [text(''), DONE], 'empty answer'],
    ['was to have a length and has no token', [text(''), text('', 'length'), DONE], 'empty answer'],
    ['was ended by the model at once, which is an answer of length 0', [text(''), text('', 'stop'), DONE], undefined],
    ['has nothing but [DONE]', [DONE], 'empty answer'],
    ['has nothing but comments', [': ping\n\n'], 'empty answer'],
    ['reports an error after tokens', [text('a'), 'data: {"error":{"message":"died"}}\n\n', DONE], 'error in stream'],
    ['reports an error by event name', [text('a'), 'event: error\ndata: died\n\n'], 'error in stream'],
    ['holds a broken event', [text('a'), 'data: {"choices":[{"te\n\n', text('b'), DONE], 'unreadable answer'],
    ['holds an event that is no object', [text('a'), 'data: 17\n\n', DONE], 'unreadable answer'],
    ['is a web page', ['<html><body>502</body></html>'], 'unreadable answer'],
  ])('%s', (_name, pieces, label) => {
    expect(read(pieces).failure).toBe(label);
  });

  it('keeps the tokens that came before the error', () => {
    const { trace } = read([text('a'), text('b'), 'data: {"error":"died"}\n\n', text('c')]);
    expect(trace.chunkTexts).toEqual(['a', 'b']);
    expect(trace.outputText).toBe('ab');
  });

  it.each([
    ['finish_reason without [DONE]', [text('a', 'length')]],
    ['[DONE] without finish_reason', [text('a'), DONE]],
    ['[DONE] without a blank line', [text('a'), 'data: [DONE]']],
  ])('is whole with %s', (_name, pieces) => {
    expect(read(pieces).failure).toBeUndefined();
  });
});

describe('the template short cut', () => {
  const odd = fc.constantFrom('"', '\\', '\n', '\u0001', 'é', '🚀', '}', ']', '"text":"', ' ', 'a', '\u2028');
  const token = fc.oneof(fc.string({ maxLength: 6 }), odd);
  const shape = fc.constantFrom(
    'text',
    'text',
    'content',
    'both',
    'reasoning',
    'usage',
    'finish',
    'spaced',
    'logprobs',
  );
  // Runs of one shape, as servers send them, one after another, as no server does.
  const run = fc.record({ shape, values: fc.array(token, { maxLength: 12 }) });
  const stream = fc
    .array(run, { maxLength: 5 })
    .map((runs) => runs.flatMap((each) => each.values.map((value) => ({ value, shape: each.shape }))));

  function write({ value, shape }: { value: string; shape: string }): string {
    switch (shape) {
      case 'content':
        return JSON.stringify({ choices: [{ index: 0, delta: { content: value } }] });
      case 'both':
        return JSON.stringify({ choices: [{ index: 0, text: 'x', delta: { content: value } }] });
      case 'reasoning':
        return JSON.stringify({ choices: [{ index: 0, delta: { reasoning: value, content: 'x' } }] });
      case 'usage':
        return JSON.stringify({ choices: [{ index: 0, text: value }], usage: { completion_tokens: 1 } });
      case 'finish':
        return JSON.stringify({ choices: [{ index: 0, text: value, finish_reason: 'length' }] });
      case 'spaced':
        return JSON.stringify({ choices: [{ index: 0, text: value }] }, null, 1).replaceAll('\n', '');
      case 'logprobs':
        return JSON.stringify({ choices: [{ index: 0, text: value, logprobs: { text: value } }] });
      default:
        return JSON.stringify({ id: 'x', choices: [{ index: 0, text: value }] });
    }
  }

  it('means exactly what JSON.parse would have meant, whatever the stream', () => {
    let hits = 0;
    fc.assert(
      fc.property(stream, (events) => {
        const template = new Template(readPiece);
        for (const each of events) {
          const bytes = Buffer.from(`<<${write(each)}>>`);
          const piece = readPiece(JSON.parse(write(each)))!;
          const end = template.match(bytes, 2, bytes.length - 2);
          if (end < 0) template.learn(bytes, 2, bytes.length - 2, piece);
          else {
            hits++;
            const content = bytes.toString('utf8', 2 + template.prefixLength, end);
            expect(piece).toEqual({ content, other: '' });
          }
        }
      }),
      { numRuns: runs(1000) },
    );
    expect(hits).toBeGreaterThan(1000);
  });

  it('takes no other string for the token, whatever the token is', () => {
    for (const token of ['zq', 'qz', 'a']) {
      const event = (other: string): string =>
        `data: ${JSON.stringify({ text: other, choices: [{ index: 0, text: token }] })}\n\n`;
      expect(read([event('x'), event('y'), event('z'), DONE]).trace.chunkTexts).toEqual([token, token, token]);
    }
  });

  it('is used for nearly every event of an ordinary stream', () => {
    const template = new Template(readPiece);
    let hits = 0;
    for (let i = 0; i < 100; i++) {
      const json = write({ value: ` w${i}`, shape: 'text' });
      const bytes = Buffer.from(json);
      if (template.match(bytes, 0, bytes.length) < 0)
        template.learn(bytes, 0, bytes.length, readPiece(JSON.parse(json))!);
      else hits++;
    }
    expect(hits).toBe(99);
  });

  /** What a reader without short cuts makes of the events. */
  function plain(events: readonly { value: string; shape: string }[]): { texts: string[]; content: string } {
    const pieces = events.map((each) => readPiece(JSON.parse(write(each)))!);
    return {
      texts: pieces.map(({ other, content }) => other + content).filter((each) => each !== ''),
      content: pieces.map(({ content }) => content).join(''),
    };
  }
  const frames = fc.constantFrom(
    (json: string) => `data: ${json}\n\n`,
    (json: string) => `data:${json}\n\n`,
    (json: string) => `data: ${json}\r\n\r\n`,
    (json: string) => `event: completion\ndata: ${json}\n\n`,
    (json: string) => `: ping\n\ndata: ${json}\n\n`,
    (json: string) => `id: 7\ndata: ${json}\n\n`,
  );
  const plainStream = fc.array(
    fc.record({ shape: fc.constant('text'), value: fc.oneof(fc.constantFrom(' the', 'é', ' a', '🚀x'), token) }),
    { minLength: 3, maxLength: 12 },
  );

  it('reads a stream alike in any pieces and any framing, and as JSON.parse would', () => {
    let skimmed = 0;
    fc.assert(
      fc.property(
        fc.oneof(plainStream, stream),
        frames,
        fc.array(fc.nat(), { maxLength: 30 }),
        (events, frame, cuts) => {
          const whole = Buffer.from(events.map((each) => frame(write(each))).join(''));
          const at = [...new Set([0, ...cuts.map((cut) => cut % (whole.length + 1)), whole.length])].sort(
            (a, b) => a - b,
          );
          const trace = new TokenTrace({});
          const reader = new StreamReader(trace, readPiece);
          for (const [index, from] of at.entries()) feed(reader, whole.subarray(from, at[index + 1] ?? from), index);
          reader.end('');
          const expected = plain(events);
          expect([trace.chunkTexts, trace.outputText]).toEqual([expected.texts, expected.content]);
          skimmed += expected.texts.length;
        },
      ),
      { numRuns: runs(1500) },
    );
    expect(skimmed).toBeGreaterThan(1000);
  });

  it('reads a stream alike when it is cut in two at any byte, and byte by byte', () => {
    const events = [' a', ' Grüße', '🚀', '"q"', ' b', '', ' c', '\n', ' d'].map((value) => ({ value, shape: 'text' }));
    const body = Buffer.from(events.map((each) => `data: ${write(each)}\n\n`).join('') + DONE);
    const readIn = (pieces: readonly Buffer[]): unknown => {
      const trace = new TokenTrace({});
      const reader = new StreamReader(trace, readPiece);
      for (const piece of pieces) feed(reader, piece, 1);
      return [trace.chunkTexts, trace.outputText, reader.done, reader.end('')];
    };
    const whole = readIn([body]);
    expect(whole).toEqual([
      [' a', ' Grüße', '🚀', '"q"', ' b', ' c', '\n', ' d'],
      ' a Grüße🚀"q" b c\n d',
      true,
      undefined,
    ]);
    for (let cut = 1; cut < body.length; cut++) {
      expect(readIn([body.subarray(0, cut), body.subarray(cut)])).toEqual(whole);
    }
    expect(readIn([...body].map((byte) => Buffer.from([byte])))).toEqual(whole);
  });

  it('keeps half a character that a server cut in two, and texts that nobody wants not at all', () => {
    const events = ['\\ud83d', '\\ude80'].map((half) => `data: {"choices":[{"text":"${half}"}]}\n\n`);
    const trace = new TokenTrace({});
    const reader = new StreamReader(trace, readPiece);
    for (const event of events) feed(reader, event, 1);
    expect(trace.outputText).toBe('🚀');
    const bare = new TokenTrace({ keepTexts: false });
    const second = new StreamReader(bare, readPiece);
    for (const event of [...events, text('x')]) feed(second, event, 1);
    expect([bare.chunkSeconds.length, bare.chunkTexts, bare.outputText]).toEqual([3, [], '']);
  });
});
