// Answers, scrapes, templates and chunks at their edges: each first byte, each cut and each bound once.
import { describe, expect, it } from 'vitest';
import { AnswerRecorder } from '../../../src/client/answer';
import { ChunkedBody } from '../../../src/client/chunked';
import { parseMetricsText } from '../../../src/client/metrics-text';
import { readPiece } from '../../../src/client/openai';
import { Template } from '../../../src/client/template';
import { TextStore } from '../../../src/client/text-store';
import type { SendOptions } from '../../../src/client/types';

describe('an answer’s first byte decides what it is', () => {
  const judged = (
    parts: readonly (string | Buffer)[],
    headers = {},
    streaming = true,
    sending: Partial<SendOptions> = {},
  ) => {
    const recorder = new AnswerRecorder({ streaming }, { keepRawBody: false, ...sending }, (text) =>
      text.replaceAll('k3y', '***'),
    );
    recorder.sent(1);
    recorder.headers(200, headers);
    for (const [index, part] of parts.entries()) {
      const bytes = Buffer.concat([Buffer.from('<<'), Buffer.from(part), Buffer.from('>>')]);
      recorder.bytes(bytes, 2, bytes.length - 2, 2 + index);
    }
    return recorder.ended(9);
  };
  const labelOf = (result: ReturnType<typeof judged>) =>
    result.outcome.kind === 'failed' ? result.outcome.label : 'ok';
  const stream = 'data: {"choices":[{"text":"a"}]}\n\ndata: [DONE]\n\n';
  const whole = '{"choices":[{"text":"a","finish_reason":"length"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}';

  it.each([
    ['plain', ''],
    ['a byte order mark', Buffer.from([0xef, 0xbb, 0xbf])],
    ['space, tab and line ends', ' \t\r\n'],
  ])('behind %s', (_, lead) => {
    for (const body of [whole, `[${whole}]`]) {
      const { outcome } = judged([Buffer.concat([Buffer.from(lead), Buffer.from(body)])]);
      expect(outcome).toMatchObject({
        label: 'unreadable answer',
        message: expect.stringContaining('a whole body came') as string,
      });
    }
    // Alone in its read, too.
    expect(labelOf(judged(lead === '' ? [stream] : [lead, stream]))).toBe('ok');
  });

  it('a stream that was not asked for is no whole body', () => {
    expect(labelOf(judged([stream], {}, false))).toBe('unreadable answer');
    expect(judged([whole], {}, false)).toMatchObject({
      outcome: { kind: 'ok' },
      lastTokenSeconds: 9,
      firstByteSeconds: 2,
    });
  });

  it.each([
    [{ 'content-encoding': 'gzip' }, 'unreadable answer'],
    [{ 'content-encoding': ['br', 'identity'] }, 'unreadable answer'],
    [{ 'content-encoding': 'Identity' }, 'ok'],
    [{}, 'ok'],
  ])('with the headers %j it is: %s', (headers, label) => {
    expect(labelOf(judged([stream], headers))).toBe(label);
  });

  it('an empty body, and one without a token', () => {
    expect(labelOf(judged([]))).toBe('empty answer');
    expect(labelOf(judged(['  ']))).toBe('empty answer');
    expect(labelOf(judged(['{"choices":[{"text":""}]}'], {}, false))).toBe('empty answer');
    expect(labelOf(judged(['{"choices":[{"text":"","finish_reason":"stop"}]}'], {}, false))).toBe('ok');
    expect(labelOf(judged(['nothing'], {}, false))).toBe('unreadable answer');
  });

  it('the raw body is kept where it is wanted, without the key', () => {
    expect(judged(['data: k3y', '\n\n'], {}, true, { keepRawBody: true }).rawBody).toBe('data: ***\n\n');
    expect(judged([stream]).rawBody).toBeUndefined();
  });
});

describe('a scrape', () => {
  const one = (line: string) => parseMetricsText(line).samples[0];

  it.each([
    ['a 1', { name: 'a', labels: {}, value: 1 }],
    ['a:b_c{} 2', { name: 'a:b_c', labels: {}, value: 2 }],
    ['a {x="1"} 3', { name: 'a', labels: { x: '1' }, value: 3 }],
    ['a{x="1" , y="2",} 4 1700000000', { name: 'a', labels: { x: '1', y: '2' }, value: 4 }],
    ['a{x="q\\"b\\\\n\\nc\\td"} 5 # {trace="t"} 1', { name: 'a', labels: { x: 'q"b\\n\nc\\td' }, value: 5 }],
    ['a{x="} , {"} -6.5e3', { name: 'a', labels: { x: '} , {' }, value: -6500 }],
    ['a +Inf', { name: 'a', labels: {}, value: Infinity }],
    ['a -inf', { name: 'a', labels: {}, value: -Infinity }],
    ['a Infinity', { name: 'a', labels: {}, value: Infinity }],
    ['a NaN', { name: 'a', labels: {}, value: Number.NaN }],
    ['a', undefined],
    ['a x', undefined],
    ['1a 1', undefined],
    ['a{x="1" 1', undefined],
    ['a{x="1', undefined],
    ['a{x=1} 1', undefined],
  ])('%s', (line, sample) => {
    expect(one(line)).toEqual(sample);
    expect(parseMetricsText(`# HELP a\n\n${line}\nz 1`).unreadable).toEqual(sample === undefined ? [3] : []);
  });
});

describe('the texts of an answer', () => {
  it.each([1, 23, 24, 25, 127, 128, 129, 300])('come back as they went in, %d bytes each', (length) => {
    const store = new TextStore();
    const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(length));
    const bytes = Buffer.from(`<<${texts.join('')}>>`);
    texts.forEach((text, i) => {
      if (i === 1) store.add('', text);
      else store.addBytes(bytes, 2 + i * length, 2 + (i + 1) * length);
    });
    expect(store.all()).toEqual(texts);
    expect(store.content()).toBe(texts.join(''));
  });

  it('of other channels are no content, before and after', () => {
    const store = new TextStore();
    store.add('', 'a');
    store.add('think', '');
    store.add('more', 'b');
    store.addBytes(Buffer.from('xcx'), 1, 2);
    expect(store.all()).toEqual(['a', 'think', 'moreb', 'c']);
    expect(store.content()).toBe('abc');
  });
});

describe('the template of a stream', () => {
  const event = (text: string, id = 'x') => JSON.stringify({ id, choices: [{ index: 0, text }] });
  const teach = (template: Template, json: string) => {
    const bytes = Buffer.from(json);
    template.learn(bytes, 0, bytes.length, readPiece(JSON.parse(json))!);
  };
  const matches = (template: Template, json: string) => {
    const bytes = Buffer.from(json);
    const end = template.match(bytes, 0, bytes.length);
    return end < 0 ? undefined : bytes.toString('utf8', template.prefixLength, end);
  };

  it('fits another token and no other event', () => {
    const template = new Template(readPiece);
    expect(matches(template, event('a'))).toBeUndefined();
    expect(template.prefixLength).toBe(0);
    teach(template, event('a'));
    expect(matches(template, event('a longer one'))).toBe('a longer one');
    expect(matches(template, event('b'))).toBe('b');
    for (const other of [event('b', 'y'), event(''), event('"'), event('\\'), event('\u001f'), `${event('b')} `])
      expect(matches(template, other)).toBeUndefined();
    expect(matches(template, event(' '))).toBe(' ');
  });

  it('is given up after four that never fit, and not where one did', () => {
    const useless = new Template(readPiece);
    for (let i = 0; i < 6; i++) teach(useless, event('a', `id${i}`));
    expect(matches(useless, event('b', 'id5'))).toBeUndefined();
    expect(matches(useless, event('b', 'id4'))).toBe('b');
    const used = new Template(readPiece);
    for (let i = 0; i < 20; i++) {
      teach(used, event('a', `id${i}`));
      expect(matches(used, event('b', `id${i}`))).toBe('b');
    }
  });

  it('is not learnt from an event that says more than a token', () => {
    for (const more of [
      { usage: { completion_tokens: 1 } },
      { choices: [{ index: 0, text: 'a', finish_reason: 'stop' }] },
    ]) {
      const template = new Template(readPiece);
      teach(template, JSON.stringify({ id: 'x', choices: [{ index: 0, text: 'a' }], ...more }));
      expect(template.prefixLength).toBe(0);
    }
  });

  const skim = (template: Template, text: string, from = 0, to = text.length) => {
    const seen: string[] = [];
    const bytes = Buffer.from(text);
    const end = template.skim(
      bytes,
      from,
      to,
      { contentBytes: (b, x, y) => void seen.push(b.toString('utf8', x, y)) },
      1,
    );
    return { seen, rest: text.slice(end) };
  };

  it('skims whole events of the usual form, up to the first that is not', () => {
    const line = (text: string) => `data: ${event(text)}\n\n`;
    const template = new Template(readPiece);
    const first = Buffer.from(line('a'));
    template.learn(first, 6, first.length - 2, readPiece(JSON.parse(event('a')))!);
    expect(skim(template, line('b') + line('c'))).toEqual({ seen: ['b', 'c'], rest: '' });
    for (const last of [
      line('d').slice(0, -1),
      `id: 1\n${line('d')}`,
      line('"'),
      line(''),
      line('d').replace('\n\n', '\n \n'),
      `Data${line('d').slice(4)}`,
    ])
      expect(skim(template, line('b') + last)).toEqual({ seen: ['b'], rest: last });
    const odd = new Template(readPiece);
    const other = Buffer.from(`data:${event('a')}\n\n`);
    odd.learn(other, 5, other.length - 2, readPiece(JSON.parse(event('a')))!);
    expect(skim(odd, line('b'))).toEqual({ seen: [], rest: line('b') });
    expect(matches(odd, event('b'))).toBe('b');
  });
});

describe('chunks found beside the parser', () => {
  const whole = (body: string) => {
    const chunks = new ChunkedBody();
    const seen: string[] = [];
    const bytes = Buffer.from(body);
    const end = chunks.whole(bytes, 0, bytes.length, { onBody: (b, x, y) => void seen.push(b.toString('utf8', x, y)) });
    return { seen, rest: body.slice(end) };
  };

  it.each([
    ['1\r\na\r\n', ['a'], ''],
    ['a\r\n0123456789\r\nA\r\n0123456789\r\n', ['0123456789', '0123456789'], ''],
    ['0000002\r\nab\r\n', ['ab'], ''],
    ['00000002\r\nab\r\n', [], '00000002\r\nab\r\n'],
    ['f\r\n0123456789abcde\r\n', ['0123456789abcde'], ''],
    ['g\r\n0123456789abcdef\r\n', [], 'g\r\n0123456789abcdef\r\n'],
    ['1;x\r\na\r\n', [], '1;x\r\na\r\n'],
    ['1\r\na\r\n0\r\n\r\n', ['a'], '0\r\n\r\n'],
    ['1\r\na\r', [], '1\r\na\r'],
    ['1\n\na\r\n', [], '1\n\na\r\n'],
    ['1\r\nab\r\n', [], '1\r\nab\r\n'],
    ['1\r\na\n\n', [], '1\r\na\n\n'],
  ])('%j', (body, seen, rest) => {
    expect(whole(body)).toEqual({ seen, rest });
  });

  it('is at a chunk after a whole one only, and lost where it does not understand', () => {
    const follow = (text: string) => {
      const chunks = new ChunkedBody();
      const end = chunks.follow(Buffer.from(text), 0, text.length);
      return [end, chunks.isAtChunk, chunks.isLost];
    };
    expect(follow('1\r\na\r\n2')).toEqual([6, true, false]);
    for (const cut of ['1', '1\r', '1\r\n', '1\r\na', '1\r\na\r'])
      expect(follow(cut)).toEqual([cut.length, false, false]);
    for (const odd of ['\r', '\n', '1\n', '1\r\r', '1\ra', 'x', '0\r\n', '00000001'])
      expect(follow(odd)).toEqual([odd.length, false, true]);
    const again = new ChunkedBody();
    again.lose();
    expect(again.isLost).toBe(true);
    again.begin();
    expect([again.isLost, again.isAtChunk]).toEqual([false, true]);
  });
});
