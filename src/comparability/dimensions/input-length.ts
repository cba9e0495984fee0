// Were the prompts as long on both sides, configured and realised, over the whole distribution?
import { same } from '../dimension';
import { lengthDimension } from '../length-dimension';
import { endpointsDiffer } from './endpoint-mode';

export const inputLength = lengthDimension({
  id: 'input-length',
  title: 'Prompt length',
  question: 'Were the prompts of the same length, asked for and realised?',
  pitfall: 'CMP025',
  remedy:
    'Give both configs the same data section with all five fields of data.input_distribution (min, max, mean, std_dev, type).',
  which: 'prompt',
  configured: [
    ['data', 'type'],
    ['data', 'input_distribution'],
    ['data', 'shared_prefix', 'system_prompt_len'],
    ['data', 'shared_prefix', 'question_len'],
    ['data', 'shared_prefix', 'question_distribution'],
  ],
  askedKey: 'askedPromptTokens',
  things: 'prompts',
  thing: 'prompt',
  uncounted: 'not recorded',
  consequence: 'Longer prompts take longer to read and fill the server’s memory.',
  follows: (context, { askedDiffers, configuredAlike, by }) => {
    if (askedDiffers === true || !endpointsDiffer(context)) return undefined;
    if (askedDiffers === undefined && configuredAlike !== true) return undefined;
    return same(`The prompts asked for are alike; what the server adds around them differs ${by}, see endpoint-mode.`, {
      follows: 'endpoint-mode',
    });
  },
});
