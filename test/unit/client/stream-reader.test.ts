// A streamed answer from bytes to judgement, and the template short cut against plain JSON parsing.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPiece } from '../../../src/client/openai';
import { StreamReader } from '../../../src/client/stream-reader';
import { createTemplate } from '../../../src/client/template';
import { TokenTrace } from '../../../src/client/trace';

function read(pieces: readonly string[]): { trace: TokenTrace; reader: StreamReader; failure: string | undefined } {
  const trace = new TokenTrace({});
  const reader = new StreamReader(trace, readPiece);
  pieces.forEach((piece, index) => {
    reader.push(Buffer.from(piece), index);
  });
  const failure = reader.end(pieces.join('').slice(0, 100))?.label;
  return { trace, reader, failure };
}

const text = (value: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, text: value, finish_reason: finish }] })}\n\n`;
const DONE = 'data: [DONE]\n\n';

describe('a stream', () => {
  it('gives every token-carrying event the time of the read that completed it', () => {
    const { trace, reader, failure } = read([
      text('a'),
      text('b') + text('c'),
      text('d').slice(0, 20),
      text('d').slice(20),
      DONE,
    ]);
    expect(trace.chunkSeconds).toEqual([0, 1, 1, 3]);
    expect(trace.chunkTexts).toEqual(['a', 'b', 'c', 'd']);
    expect(reader.outputText).toBe('abcd');
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
    expect(reader.outputText).toBe('a');
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
    trace.token('a', true, 12);
    trace.token('b', true, 12.5);
    trace.token('c', true, 14);
    expect([first, gaps]).toEqual([[2], [0.5, 1.5]]);
  });
});

describe('a stream that is not a whole answer', () => {
  it.each([
    ['ends without [DONE] and finish_reason', [text('a'), text('b')], 'stream ended early'],
    ['has no token', [text(''), text('', 'stop'), DONE], 'empty answer'],
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
    const { trace, reader } = read([text('a'), text('b'), 'data: {"error":"died"}\n\n', text('c')]);
    expect(trace.chunkTexts).toEqual(['a', 'b']);
    expect(reader.outputText).toBe('ab');
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
        const template = createTemplate(readPiece);
        for (const each of events) {
          const bytes = Buffer.from(`<<${write(each)}>>`);
          const piece = readPiece(JSON.parse(write(each)))!;
          const short = template.match(bytes, 2, bytes.length - 2);
          if (short === undefined) template.learn(bytes, 2, bytes.length - 2, piece);
          else {
            hits++;
            expect(piece).toEqual({ content: short, other: '' });
          }
        }
      }),
      { numRuns: 1000 },
    );
    expect(hits).toBeGreaterThan(1000);
  });

  it('is used for nearly every event of an ordinary stream', () => {
    const template = createTemplate(readPiece);
    let hits = 0;
    for (let i = 0; i < 100; i++) {
      const json = write({ value: ` w${i}`, shape: 'text' });
      const bytes = Buffer.from(json);
      if (template.match(bytes, 0, bytes.length) === undefined)
        template.learn(bytes, 0, bytes.length, readPiece(JSON.parse(json))!);
      else hits++;
    }
    expect(hits).toBe(98);
  });
});
