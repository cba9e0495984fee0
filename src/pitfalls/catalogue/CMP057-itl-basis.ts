// CMP057: What ITL counts depends on the tokenizer section.
import { fix } from '../fix';
import { type Check, note } from '../in-config';
import { type Between, definitionOf, type Facts, value } from '../pair';
import type { Pitfall } from '../pitfall';

const tokenizer: Check = ({ config }) =>
  config.api.streaming && config.tokenizer === null && config.server?.type !== 'mock' ? [note(['tokenizer'])] : [];

const gapBasis: Between = (pair) => {
  const gaps = (facts: Facts) => definitionOf(facts, 'token_gap') ?? definitionOf(facts, 'chunk_gap');
  if (!gaps(pair.a) || !gaps(pair.b)) return undefined;
  const tokenizers = [pair.a, pair.b].map((facts) => value(facts, ['tokenizer']) !== undefined);
  if (!pair.a.run.config || !pair.b.run.config || tokenizers[0] === tokenizers[1]) return undefined;
  if (pair.a.run.tool.name !== pair.b.run.tool.name) return undefined;
  return `only ${tokenizers[0] ? 'A' : 'B'} has a tokenizer section: its ITL is between tokens, the other side’s between chunks`;
};

export const CMP057: Pitfall = {
  code: 'CMP057',
  title: 'What ITL counts depends on the tokenizer section',
  consequence:
    'Without a tokenizer section ITL is the gap between chunks, with one between tokens: a factor of the tokens per chunk.',
  remedy: 'The same on both sides, or compare TPOT.',
  moves: ['itl'],
  configPaths: ['tokenizer'],
  source: 'inference-perf: inference_perf/reportgen/base.py',
  inConfig: { words: 'tokenizer is left out, with streaming on.', check: tokenizer },
  inReport: { words: 'The mean gap is over 10 % above the decode time per token.' },
  between: { words: 'Only one side’s config has a tokenizer section.', look: gapBasis },
  mend: (_problem, page, { config }) => {
    const model = config.server?.model_name ?? undefined;
    if (model === undefined) return [];
    const value = `\n  pretrained_model_name_or_path: ${JSON.stringify(model)}`;
    return fix(`Count tokens with the tokenizer of ${model}`, page.add(['tokenizer'], value), false);
  },
};
