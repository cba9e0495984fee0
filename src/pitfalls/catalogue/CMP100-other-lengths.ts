// CMP100: The two sides asked for other lengths.
import { told } from '../pair';
import { EVERYTHING, type Pitfall } from '../pitfall';

export const CMP100: Pitfall = {
  code: 'CMP100',
  title: 'The two sides asked for other lengths',
  consequence:
    'Longer prompts take longer to read and longer answers longer to write: every latency and rate follows the lengths, whatever the server does.',
  remedy: 'Give both configs the same length distributions, and compare what was realised.',
  moves: EVERYTHING,
  configPaths: ['data.input_distribution', 'data.output_distribution', 'data.shared_prefix.output_len'],
  source: 'Megatron-LM PR 7438',
  between: {
    words: 'Realised lengths differ, and so do the configured ones or those that were asked for.',
    look: told,
  },
};
