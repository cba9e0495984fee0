// The reader of a stranger's bytes gives what JSON.parse gives: keys, escapes, duplicates, numbers, depth, in any pieces.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyRow, RequestColumns } from '../../../../src/readers/records/columns';
import { streamInferencePerf, type StreamedRecords } from '../../../../src/readers/records/inference-perf';
import { BadJson, JsonBytes, keyName, keyTable, NeedMore } from '../../../../src/readers/records/json-bytes';
import { runs } from '../../support/property-runs';

function reader(text: string): JsonBytes {
  const json = new JsonBytes();
  // What follows a value in a list: without it a number could go on.
  json.bytes = new TextEncoder().encode(`${text},`);
  json.end = json.bytes.length;
  return json;
}

async function* pieces(text: string | Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  for (let at = 0; at < bytes.length; at += size) {
    await Promise.resolve();
    yield bytes.slice(at, at + size);
  }
}

const stream = (text: string | Uint8Array, size = 1000): Promise<StreamedRecords> =>
  streamInferencePerf(pieces(text, size), 'f');

type Row = Readonly<Record<string, number | boolean | readonly number[]>>;

const FIELDS = ['sent', 'end', 'first', 'last', 'clientInput', 'clientOutput', 'serverInput', 'serverOutput'] as const;

function rowsOf({ requests: columns }: StreamedRecords): Row[] {
  return Array.from({ length: columns.length }, (_, i) => ({
    ...Object.fromEntries(FIELDS.map((field) => [field, columns.value(field, i)])),
    stamps: columns.value('stamps', i),
    failed: columns.isFailed(i),
    gaps: [...columns.gapsAt(i)],
  }));
}

/** What the file says when it is parsed whole: slow, and plain to see. Columns leave out what cannot be, whoever reads it. */
function rowsParsed(text: string): Row[] {
  const columns = new RequestColumns();
  for (const entry of JSON.parse(text) as unknown[]) {
    const at = (...path: string[]): unknown =>
      path.reduce<unknown>(
        (value, key) =>
          typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, key)
            ? (value as Record<string, unknown>)[key]
            : undefined,
        entry,
      );
    const first = (...values: unknown[]): number =>
      values.find((value): value is number => typeof value === 'number' && Number.isFinite(value)) ?? NaN;
    const answers = [['info', 'response_metrics'], ['info', 'response_info'], ['info']];
    const inAnswer = (...path: string[]): unknown[] => answers.map((answer) => at(...answer, ...path));
    const lists = inAnswer('output_token_times').filter((list): list is unknown[] => Array.isArray(list));
    const times = (lists[0] ?? []).map((time) => first(time));
    const error = at('error');
    columns.add(
      {
        ...emptyRow(),
        sent: first(at('start_time')),
        end: first(at('end_time')),
        clientInput: first(at('info', 'request_metrics', 'text', 'input_tokens'), at('info', 'input_tokens')),
        clientOutput: first(...inAnswer('output_tokens')),
        serverInput: first(...inAnswer('server_usage', 'prompt_tokens')),
        serverOutput: first(...inAnswer('server_usage', 'completion_tokens')),
        first: times[0] ?? NaN,
        last: times.at(-1) ?? NaN,
        stamps: times.length,
        failed: error !== undefined && error !== null,
      },
      times,
      times.length,
    );
  }
  return rowsOf({ requests: columns, problems: [] });
}

describe('keys', () => {
  it('are compared by their bytes: two of one 32-bit hash are two', async () => {
    const { requests: columns } = await stream('[{"start_time": 10, "end_time": 12, "stasU_time": 1}]');
    expect([columns.value('sent', 0), columns.value('end', 0)]).toEqual([10, 12]);
  });

  it.each(['"start\\u005ftime"', '"\\u0073tart_time"', '"start_tim\\u0065"'])('%s is start_time', async (key) => {
    const { requests: columns, problems } = await stream(`[{${key}: 10, "end_time": 12}]`, 3);
    expect(problems).toEqual([]);
    expect(columns.value('sent', 0)).toBe(10);
  });

  it.each(['"start_time\\\\"', '"start_time\\u0000"', '"Start_time"', '"start_tim"', '""', '"\\ud800"', '"__proto__"'])(
    '%s is not',
    async (key) => {
      const { requests: columns, problems } = await stream(`[{"start_time": 10, ${key}: 1}]`, 2);
      expect(problems).toEqual([]);
      expect(columns.value('sent', 0)).toBe(10);
    },
  );

  it('an escape that is none is not JSON', async () => {
    const { problems } = await stream('[{"start\\x5ftime": 10}]');
    expect(problems.map(({ code }) => code)).toEqual(['REP105']);
  });

  it('every key is told from every other', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), fc.boolean(), (a, b, same) => {
        const name = keyName(new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(a)));
        const key = same ? name.name : b;
        expect(reader(JSON.stringify(key)).key(keyTable([name])) === name).toBe(key === name.name);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('a key that is written twice counts as it was written last', () => {
  it.each([
    ['"start_time": 1, "start_time": 10, "end_time": 12'],
    ['"start_time": "x", "start_time": 10, "end_time": 12'],
    ['"info": {"input_tokens": 3, "output_token_times": [1, 2]}, "info": {"output_tokens": 4}'],
    ['"info": {"input_tokens": 3}, "info": null'],
    [
      '"info": {"response_metrics": {"output_tokens": 3, "server_usage": {"prompt_tokens": 1}}, "response_metrics": {}}',
    ],
    ['"error": {"error_type": "x"}, "error": null'],
    ['"error": null, "error": false'],
    ['"info": {"response_metrics": {"output_token_times": [1, 2]}, "response_metrics": {"output_token_times": 5}}'],
  ])('{%s}', async (inside) => {
    const text = `[{${inside}}]`;
    expect(rowsOf(await stream(text))).toEqual(rowsParsed(text));
  });
});

describe('numbers', () => {
  it('are those of JSON.parse, or none', () => {
    const digits = fc.stringMatching(/^-?[0-9]{0,25}(\.[0-9]{0,25})?([eE][-+]?[0-9]{0,3})?$/);
    const doubles = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(fc.oneof(digits, doubles), (text) => {
        const parsed = (() => {
          try {
            return JSON.parse(text) as number;
          } catch {
            return undefined;
          }
        })();
        if (parsed === undefined) expect(() => reader(text).number()).toThrow(BadJson);
        else expect(reader(text).number()).toBe(parsed);
      }),
      { numRuns: runs(1000) },
    );
  });

  it.each(['null', 'NaN', 'Infinity', '-Infinity', 'true', '"12"', '[1]', '{"a": 1}'])('%s is none', (text) => {
    const json = reader(text);
    expect(json.number()).toBeNaN();
    expect(json.peek()).toBe(0x2c);
  });

  it.each(['01', '1.', '-', '.5', '+1', '1e', '1.e3', '--1', 'nul', 'nulll', 'undefined', "'a'"])(
    '%s is not JSON',
    (text) => expect(() => reader(text).number()).toThrow(BadJson),
  );

  it('what is beyond all numbers is none', async () => {
    const { requests: columns } = await stream('[{"start_time": 1e999, "end_time": Infinity}]');
    expect([columns.value('sent', 0), columns.value('end', 0)]).toEqual([NaN, NaN]);
  });
});

describe('values that nobody asks for', () => {
  it('end where they end, whatever is in them', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.nat(), (text, cut) => {
        const json = reader(text);
        json.skip();
        expect(json.at).toBe(new TextEncoder().encode(text).length);
        const short = reader(text);
        short.end = cut % short.end;
        expect(() => (short.skip(), short.peek())).toThrow(NeedMore);
      }),
      { numRuns: runs(300) },
    );
  });

  it.each(['{"info":', '[', '{"info":{"response_metrics":', '{"x":['])('nested a million deep in %s', async (open) => {
    const { problems } = await stream(`[${open.repeat(1_000_000)}`, 1 << 16);
    expect(problems).toHaveLength(1);
    const closed = await stream(`[{"start_time": 1, "info": {"info": ${'['.repeat(1e6)}${']'.repeat(1e6)}}}]`, 1 << 16);
    expect(closed.problems).toEqual([]);
    expect(closed.requests.value('sent', 0)).toBe(1);
  });

  it('bytes that are no UTF-8 hide nothing that follows', async () => {
    const text = new TextEncoder().encode('[{"request": "??", "??": 1, "start_time": 10}]');
    const bytes = text.map((byte) => (byte === 0x3f ? 0xff : byte));
    expect((await stream(bytes, 5)).requests.value('sent', 0)).toBe(10);
  });
});

describe('a file', () => {
  it.each([1, 2, 3, 4])('with a byte-order mark, in pieces of %i', async (size) => {
    const { requests: columns, problems } = await stream('\uFEFF[{"start_time": 10}]', size);
    expect(problems).toEqual([]);
    expect(columns.value('sent', 0)).toBe(10);
  });

  it('with something after its end is not JSON', async () => {
    const { requests: columns, problems } = await stream('[{"start_time": 1}]\n[{"start_time": 2}]', 7);
    expect(columns.length).toBe(1);
    expect(problems.map(({ code }) => code)).toEqual(['REP105']);
    expect((await stream('[{"start_time": 1}]\n \n', 7)).problems).toEqual([]);
  });

  it('of one long entry in many pieces is not read from its start for each', async () => {
    const text = `[{"request": "${'x'.repeat(20_000_000)}", "start_time": 10}]`;
    const { requests: columns } = await stream(text, 1000);
    expect(columns.value('sent', 0)).toBe(10);
  }, 20_000);
});

/** JSON text of known and unknown keys, in any order, twice, escaped, with values of other kinds than expected. */
const space = fc.constantFrom('', ' ', '\n', '\t\r\n ');
const written = (key: string): fc.Arbitrary<string> =>
  fc.array(fc.boolean(), { minLength: key.length, maxLength: key.length }).map((escaped) => {
    const letters = Array.from(key, (letter, i) =>
      escaped[i] && escaped[(i + 1) % key.length] ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter,
    );
    return `"${letters.join('')}"`;
  });
const text = fc.string({ unit: 'binary', maxLength: 8 }).map((value) => JSON.stringify(value));
const scalar = fc.oneof(
  fc.double({ min: 0, max: 1e6, noNaN: true }).map(String),
  fc.nat(500).map(String),
  fc.constantFrom('null', 'true', '1e999', '-0', '{}', '[]'),
  text,
);
const anything = fc.oneof(scalar, fc.json({ maxDepth: 3 }));
const steps = fc.array(fc.double({ min: 0, max: 2, noNaN: true }), { maxLength: 5 }).map((list) => {
  let at = 0;
  return JSON.stringify(list.map((step) => (at += step)));
});
const objectOf = (members: Readonly<Record<string, fc.Arbitrary<string>>>): fc.Arbitrary<string> => {
  const known = Object.entries(members).map(([key, value]) => fc.tuple(written(key), value));
  const other = fc.tuple(fc.oneof(text, fc.constantFrom('"stasU_time"', '"__proto__"', '"constructor"')), anything);
  const member = fc.tuple(space, fc.oneof(...known, other), space);
  return fc
    .array(member, { maxLength: 7 })
    .map((list) => `{${list.map(([a, [key, value], b]) => `${a}${key}${b}:${a}${value}${b}`).join(',')}}`);
};
const usage = objectOf({ prompt_tokens: scalar, completion_tokens: scalar });
const answer = { output_tokens: scalar, output_token_times: fc.oneof(steps, anything), server_usage: usage };
const info = objectOf({
  ...answer,
  input_tokens: scalar,
  request_metrics: objectOf({ text: fc.oneof(objectOf({ input_tokens: scalar }), anything) }),
  response_metrics: fc.oneof(objectOf(answer), anything),
  response_info: fc.oneof(objectOf(answer), anything),
});
const entry = objectOf({ start_time: scalar, end_time: scalar, error: anything, info, request: text });

describe('against JSON.parse', () => {
  it('entries of any keys, order, escapes and kinds, in any pieces', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 4 }), fc.integer({ min: 1, max: 200 }), async (entries, size) => {
        const whole = `[${entries.join(',')}]`;
        const streamed = await stream(whole, size);
        expect(streamed.problems).toEqual([]);
        expect(rowsOf(streamed)).toEqual(rowsParsed(whole));
      }),
      { numRuns: runs(300) },
    );
  });
});
