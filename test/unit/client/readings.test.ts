// What is read out of an event, a session's headers and a server's buckets: each field once, with its neighbours that mean nothing.
import { describe, expect, it } from 'vitest';
import { bucketQuantile, keepWanted } from '../../../src/client/metrics-window';
import { httpFailure } from '../../../src/client/failures';
import { endsAtOnce, modelOf, readPiece } from '../../../src/client/openai';
import { createSessions } from '../../../src/client/sessions';

describe('an event', () => {
  const choice = (value: unknown) => readPiece({ choices: [value] });
  it.each([null, 'text', 7, [], [{ choices: [] }]])('%j is none', (value) => {
    expect(readPiece(value)).toBeUndefined();
  });
  it.each([
    [{ text: 'a' }, { content: 'a', other: '' }],
    [{ delta: { content: 'a' } }, { content: 'a', other: '' }],
    [{ message: { content: 'a' } }, { content: 'a', other: '' }],
    [
      { delta: { content: null }, finish_reason: null },
      { content: '', other: '' },
    ],
    [
      { delta: { role: 'assistant' }, finish_reason: '' },
      { content: '', other: '' },
    ],
    [
      { delta: 'odd', text: 'a' },
      { content: 'a', other: '' },
    ],
    [
      { text: 'a', finish_reason: 'length' },
      { content: 'a', other: '', finishReason: 'length' },
    ],
    [
      { text: '', finish_reason: 'error' },
      { content: '', other: '', finishReason: 'error', error: 'finish_reason "error"' },
    ],
    [
      { text: 'a', finish_reason: 'abort' },
      { content: 'a', other: '', finishReason: 'abort', error: 'finish_reason "abort"' },
    ],
  ])('with the choice %j', (value, piece) => {
    expect(choice(value)).toEqual(piece);
  });
  it('without a choice is its usage, or nothing', () => {
    expect(readPiece({ choices: [] })).toMatchObject({ content: '', other: '' });
    expect(readPiece({ choices: [], usage: { prompt_tokens: 3 } })).toEqual({
      content: '',
      other: '',
      usage: { promptTokens: 3 },
    });
  });
  it.each([
    ['stop', true],
    ['eos', true],
    ['eos_token', true],
    ['end_turn', true],
    ['stop_sequence', true],
    ['length', false],
    ['stopped', false],
    [undefined, false],
  ])('that ends with %s and no token is an answer: %s', (reason, is) => {
    expect(endsAtOnce(reason)).toBe(is);
  });
  it.each([
    [{ model: 'm' }, 'm'],
    [{ message: { model: 'm' } }, 'm'],
    [{ model: 7, message: { model: 'm' } }, 'm'],
    [{ message: { model: 7 } }, undefined],
    [{ message: 'm' }, undefined],
    [{}, undefined],
    ['m', undefined],
  ])('%j is answered by %s', (value, model) => {
    expect(modelOf(value)).toBe(model);
  });
});

describe('a session', () => {
  it('sends its id and the token it was given last', () => {
    const sessions = createSessions({ sessionIdHeader: 'X-Id', sessionTokenHeader: 'X-Token' })!;
    expect(sessions.headers(['a', 'b'], 's1')).toEqual(['a', 'b', 'X-Id', 's1']);
    sessions.answered('s1', { 'x-token': 't1' });
    sessions.answered('s2', { 'x-token': ['t2', 't3'] });
    expect(sessions.headers([], 's1')).toEqual(['X-Id', 's1', 'X-Token', 't1']);
    expect(sessions.headers([], 's2')).toEqual(['X-Id', 's2', 'X-Token', 't2']);
    // Nothing, and nothing in it, is no other token.
    sessions.answered('s1', {});
    sessions.answered('s1', { 'x-token': '' });
    expect(sessions.headers([], 's1')).toEqual(['X-Id', 's1', 'X-Token', 't1']);
    const common = ['a', 'b'];
    expect(sessions.headers(common, undefined)).toBe(common);
  });
  it('with one header named sends that one', () => {
    const id = createSessions({ sessionIdHeader: 'X-Id' })!;
    id.answered('s', { 'x-token': 't' });
    expect(id.headers([], 's')).toEqual(['X-Id', 's']);
    const token = createSessions({ sessionTokenHeader: 'X-Token' })!;
    token.answered('s', { 'x-token': 't' });
    expect(token.headers([], 's')).toEqual(['X-Token', 't']);
    expect(createSessions({})).toBeUndefined();
  });
});

describe('buckets of a histogram', () => {
  const buckets = [
    { le: 1, count: 10 },
    { le: 2, count: 10 },
    { le: 4, count: 30 },
    { le: Infinity, count: 40 },
  ];
  it.each([
    [0.1, 0.4],
    [0.25, 1],
    [0.5, 3],
    [0.75, 4],
    [0.9, 4],
  ])('the share %d is at %d', (q, value) => {
    expect(bucketQuantile(buckets, q)).toBeCloseTo(value, 12);
  });
  it('without any, or of nothing, have no quantile', () => {
    expect(bucketQuantile([], 0.5)).toBeUndefined();
    expect(bucketQuantile([{ le: 1, count: 0 }], 0.5)).toBeUndefined();
    expect(bucketQuantile([{ le: -1, count: 4 }], 0.5)).toBe(-1);
    expect(bucketQuantile([{ le: Infinity, count: 4 }], 0.5)).toBeUndefined();
  });
  it('only samples that are wanted are kept', () => {
    const names = ['g', 'g_total', 'c', 'c_total', 'h', 'h_bucket', 'h_sum', 'h_count', 'x'];
    const samples = names.map((name) => ({ name, labels: {}, value: 1 }));
    const wanted = (['gauge', 'counter', 'histogram'] as const).map((kind) => ({ kind, name: kind[0]! }) as never);
    const kept = (gaugesOnly: boolean) => keepWanted(wanted, samples, gaugesOnly).map(({ name }) => name);
    expect(kept(false)).toEqual(['g', 'c', 'c_total', 'h_bucket', 'h_sum', 'h_count']);
    expect(kept(true)).toEqual(['g']);
  });
});

it.each([
  'unexpected',
  'unsupported',
  'not supported',
  'unknown',
  'unrecognized',
  'unrecognised',
  'extra inputs',
  'extra_forbidden',
  'not permitted',
  'not allowed',
  'additional properties',
  'invalid field',
  'invalid param',
  'invalid argument',
])('a server that says "%s" refuses the field it names', (words) => {
  expect(httpFailure(400, `${words}: ignore_eos`).message).toContain('It refuses the field ignore_eos');
});
