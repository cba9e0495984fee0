// What events and answers mean, dialect by dialect.
import { describe, expect, it } from 'vitest';
import { readPiece, readUsage } from '../../../src/client/openai';

describe('events that carry a token', () => {
  it.each([
    ['a completion', { choices: [{ index: 0, text: ' a' }] }, ' a', ''],
    ['chat content', { choices: [{ index: 0, delta: { content: 'a' } }] }, 'a', ''],
    [
      'reasoning as vLLM and DeepSeek write it',
      { choices: [{ delta: { reasoning_content: 'hm', content: null } }] },
      '',
      'hm',
    ],
    ['reasoning as newer servers write it', { choices: [{ delta: { reasoning: 'hm' } }] }, '', 'hm'],
    ['reasoning sent twice', { choices: [{ delta: { reasoning: 'hm', reasoning_content: 'hm' } }] }, '', 'hm'],
    ['a refusal', { choices: [{ delta: { refusal: 'no' } }] }, '', 'no'],
    [
      'a tool call',
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { name: 'f', arguments: '{"x"' } }] } }] },
      '',
      'f{"x"',
    ],
    ['an old function call', { choices: [{ delta: { function_call: { arguments: ':1}' } } }] }, '', ':1}'],
    [
      'content parts',
      {
        choices: [
          {
            message: {
              content: [
                { type: 'text', text: 'a' },
                { type: 'text', text: 'b' },
              ],
            },
          },
        ],
      },
      'ab',
      '',
    ],
  ])('%s', (_name, event, content, other) => {
    expect(readPiece(event)).toEqual({ content, other });
  });
});

describe('events that carry none', () => {
  it.each([
    ['role only', { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }],
    ['null content', { choices: [{ index: 0, delta: { content: null } }] }],
    ['null delta', { choices: [{ index: 0, delta: null }] }],
    ['no choices', { choices: [] }],
    ['null choices', { choices: null }],
    ['another choice', { choices: [{ index: 1, text: 'b' }] }],
    ['an unknown kind', { type: 'ping' }],
    ['a null error beside it', { error: null, choices: [{ text: '' }] }],
  ])('%s', (_name, event) => {
    expect(readPiece(event)).toEqual({ content: '', other: '' });
  });

  it('reads usage before choices: the last event has usage and no choices', () => {
    expect(readPiece({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 7 } })).toEqual({
      content: '',
      other: '',
      usage: { promptTokens: 3, completionTokens: 7 },
    });
  });
});

describe('ends and errors', () => {
  it('keeps the finish reason', () => {
    expect(readPiece({ choices: [{ text: '', finish_reason: 'length' }] })).toMatchObject({ finishReason: 'length' });
    expect(readPiece({ choices: [{ text: '', finish_reason: null }] })).not.toHaveProperty('finishReason');
  });

  it.each([
    ['OpenAI', { error: { message: 'boom', type: 'server_error', code: 500 } }, 'boom (500)'],
    ['TGI', { error: 'boom', error_type: 'generation' }, 'boom'],
    ['older vLLM', { object: 'error', message: 'boom', code: 400 }, 'boom'],
    ['FastAPI', { detail: 'boom' }, 'boom'],
    ['FastAPI, a list', { detail: [{ msg: 'boom' }] }, '[{"msg":"boom"}]'],
    ['Anthropic', { type: 'error', error: { type: 'overloaded_error', message: 'boom' } }, 'boom (overloaded_error)'],
    ['an error without a message', { error: { code: 3 } }, '{"code":3} (3)'],
    ['a choice that failed', { choices: [{ text: '', finish_reason: 'error', error: { message: 'boom' } }] }, 'boom'],
    ['an aborted choice', { choices: [{ text: '', finish_reason: 'abort' }] }, 'finish_reason "abort"'],
  ])('sees the error of %s', (_name, event, error) => {
    expect(readPiece(event)?.error).toBe(error);
  });

  it.each([[null], [42], ['ping'], [[{ text: 'a' }]]])('cannot read %j', (value) => {
    expect(readPiece(value)).toBeUndefined();
  });
});

describe('usage', () => {
  it('keeps what was sent and nothing else', () => {
    expect(
      readUsage({
        prompt_tokens: 10,
        completion_tokens: 0,
        prompt_tokens_details: { cached_tokens: 8 },
        completion_tokens_details: { reasoning_tokens: 4 },
      }),
    ).toEqual({ promptTokens: 10, completionTokens: 0, cachedPromptTokens: 8, reasoningTokens: 4 });
    expect(readUsage({ prompt_tokens: 10, prompt_tokens_details: null })).toEqual({ promptTokens: 10 });
  });

  it.each([[null], [undefined], [{}], [{ prompt_tokens: -1, completion_tokens: '7' }], [{ completion_tokens: 1.5 }]])(
    'treats %j as not sent, never as 0',
    (usage) => {
      expect(readUsage(usage)).toBeUndefined();
    },
  );
});
