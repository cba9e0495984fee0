// POST /tokenize as vLLM, TGI and llama.cpp's server have it: three bodies, three answers.
import type { SimulatorOptions } from './options';
import { parseObject, tokenizePrompt } from './protocol';
import { tokenIds } from './vocabulary';

/** The answer as JSON, a refusal in words, or undefined where there is no such route. */
export function tokenizeAnswer(
  body: string,
  {
    tokenizeRoute,
    templateTokens,
    maxModelTokens,
  }: Pick<SimulatorOptions, 'tokenizeRoute' | 'templateTokens' | 'maxModelTokens'>,
): { readonly json: string } | { readonly refused: string } | undefined {
  if (tokenizeRoute === 'none') return undefined;
  const json = parseObject(body);
  if (json === undefined) return { refused: 'The body is not a JSON object.' };
  if (tokenizeRoute === 'tgi') {
    if (typeof json['inputs'] !== 'string') return { refused: 'missing field `inputs`' };
    const tokens = tokenizePrompt({ prompt: json['inputs'] }, 0);
    if (typeof tokens === 'string') return { refused: tokens };
    let start = 0;
    const listed = tokens.flatMap((text) =>
      tokenIds(text).map((id) => ({ id, text, start, stop: (start += text.length) })),
    );
    return { json: JSON.stringify(listed) };
  }
  // llama.cpp's server knows no other field and finds nothing in a body without it.
  const asked = tokenizeRoute === 'vllm' ? json : { prompt: json['content'] ?? '' };
  if (tokenizeRoute === 'llama.cpp' && asked['prompt'] === '') return { json: JSON.stringify({ tokens: [] }) };
  const tokens = tokenizePrompt(asked, templateTokens);
  if (typeof tokens === 'string') return { refused: tokens };
  const ids = tokens.flatMap((token) => tokenIds(token));
  if (tokenizeRoute === 'llama.cpp') return { json: JSON.stringify({ tokens: ids }) };
  const strings = json['return_token_strs'] === true ? tokens : null;
  return {
    json: JSON.stringify({ count: ids.length, max_model_len: maxModelTokens, tokens: ids, token_strs: strings }),
  };
}
