// CMP101: The two sides sent other data.
import { told } from '../pair';
import { EVERYTHING, type Pitfall } from '../pitfall';

export const CMP101: Pitfall = {
  code: 'CMP101',
  title: 'The two sides sent other data',
  consequence:
    'Other texts have other lengths, other repeats and other shared beginnings: caches, drafts and batches do other work for them.',
  remedy: 'Same data section, same files and same seed on both sides; or one frozen stream for both.',
  moves: EVERYTHING,
  configPaths: ['data.type', 'data.path'],
  source: 'Megatron-LM PR 7438',
  between: { words: 'data.type, the data set or its groups of prompts differ.', look: told },
};
