// Were the answers as long on both sides, asked for and realised, over the whole distribution?
import { same } from '../dimension';
import { lengthDimension } from '../length-dimension';
import { onlyTheServerCountsMore } from '../workload';
import { stopsDiffer } from './stop-behaviour';

export const outputLength = lengthDimension({
  id: 'output-length',
  title: 'Answer length',
  question: 'Were the answers of the same length, asked for and realised?',
  pitfall: 'CMP036',
  remedy:
    'Give both configs the same data.output_distribution (all five fields) and server.ignore_eos: true, so that every answer has the length asked for.',
  which: 'output',
  configured: [
    ['data', 'output_distribution'],
    ['data', 'shared_prefix', 'output_len'],
    ['data', 'shared_prefix', 'output_distribution'],
  ],
  askedKey: 'maxTokens',
  things: 'answers',
  thing: 'answer',
  uncounted: 'not counted',
  consequence: 'Longer answers hold their place in the batch longer and move every latency and rate.',
  follows: (context, { askedDiffers, configuredAlike, by }) => {
    if (askedDiffers === true || configuredAlike === false) return undefined;
    if (onlyTheServerCountsMore(context)) {
      return same(
        `The answers are as long on both sides by one tokenizer; only the server counts them differently ${by}, see telemetry.`,
        { follows: 'telemetry' },
      );
    }
    if (!stopsDiffer(context)) return undefined;
    return same(`The same lengths were asked for; answers end for different reasons ${by}, see stop-behaviour.`, {
      follows: 'stop-behaviour',
    });
  },
});
