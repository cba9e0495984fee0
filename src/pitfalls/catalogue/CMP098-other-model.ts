// CMP098: The config names another model than is served.
import { areOtherModels } from '../names';
import { type Between, sides, text } from '../pair';
import { EVERYTHING, type Pitfall } from '../pitfall';

const otherModel: Between = (pair) => {
  const words = sides(pair).flatMap(([name, facts]) => {
    const served = facts.servedModel ?? '';
    const named = text(facts, ['server', 'model_name']) ?? '';
    if (!areOtherModels(served, named)) return [];
    return [`${name}’s config names ${named}, and its stack record says that ${served} was served`];
  });
  return words.length === 0 ? undefined : words.join('; ');
};

export const CMP098: Pitfall = {
  code: 'CMP098',
  title: 'The config names another model than is served',
  consequence:
    'The numbers are filed under a model that did not make them, and its tokenizer counted their tokens: two runs of "the same model" may not be.',
  remedy: 'Make server.model_name, the tokenizer and the stack record name the model that is served.',
  moves: EVERYTHING,
  configPaths: ['server.model_name'],
  source: 'llm-d-benchmark: reports published with KubeCon 2025',
  between: {
    words: 'The model of the stack record and server.model_name are two hub names that differ.',
    look: otherModel,
  },
};
