// data.type synthetic: slices of a corpus at random places, lengths drawn in advance (reference 2.2 A and 2.4).
import type { Seed } from '../config/model/lax';
import { readFileSync } from 'node:fs';
import type { Problem, Result } from '../problem';
import { builtInCorpus } from './corpus';
import { drawLengths, type DrawnLengths } from './drawn-lengths';
import type { LengthDistribution } from './lengths';
import type { PromptSource } from './prompts';
import { integerBelow, stageStream } from './random';
import type { SizedText } from './text';
import type { TextTokenizer } from './tokenizer';

export interface SyntheticInput {
  readonly api: 'completion' | 'chat';
  readonly input: LengthDistribution | undefined;
  readonly output: LengthDistribution | undefined;
  /** Requests of the largest stage. */
  readonly count: number;
  readonly seed: Seed;
  readonly tokenizer: TextTokenizer | undefined;
  /** Absolute path of `data.corpus_file_path`; undefined takes a text of our own. */
  readonly corpusFile: string | undefined;
}

export function syntheticPrompts(input: SyntheticInput): Result<PromptSource> {
  const drawn = drawLengths('synthetic', input);
  if (!drawn.ok) return drawn;
  const corpus = readCorpus(input.corpusFile, drawn.value);
  if (!corpus.ok) return corpus;
  const { inputLengths, outputLengths } = drawn.value;
  const slices = input.tokenizer ? tokenSlices(corpus.value, input.tokenizer) : wordSlices(corpus.value);
  return {
    ok: true,
    value: {
      unit: input.tokenizer ? 'tokens' : 'words',
      stage: (name) => {
        const places = stageStream(input.seed, 'prompts', name);
        return (index) => {
          const asked = inputLengths[index]!;
          // Always one draw, so that the n-th place depends on n alone.
          const { text, length } = slices(asked, (bound) => integerBelow(places, bound));
          return { content: text, length, asked, maxTokens: outputLengths[index]! };
        };
      },
    },
    problems: [...drawn.problems, ...corpus.problems],
  };
}

function readCorpus(file: string | undefined, { inputLengths }: DrawnLengths): Result<string> {
  const longest = inputLengths.reduce((most, length) => Math.max(most, length), 0);
  if (file === undefined) {
    const note: Problem = {
      code: 'RUN060',
      severity: 'information',
      path: ['data', 'corpus_file_path'],
      message:
        'Prompts are cut from IsoPerf’s built-in text; inference-perf cuts from its own (Shakespeare), so lengths agree and texts do not.',
      remedy: 'Name one file in data.corpus_file_path to have the same text in both tools.',
    };
    return { ok: true, value: builtInCorpus(2 * longest), problems: [note] };
  }
  const refused = (why: string): Result<never> => ({
    ok: false,
    problems: [
      {
        code: 'RUN061',
        severity: 'error',
        path: ['data', 'corpus_file_path'],
        message: `Nothing was sent: the corpus ${file} ${why}.`,
        remedy: 'Name a text file, or remove the key to take the built-in text.',
      },
    ],
  });
  try {
    const text = readFileSync(file, 'utf8');
    return text.trim() === '' ? refused('is empty') : { ok: true, value: text, problems: [] };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return refused(code === 'ENOENT' ? 'does not exist' : `cannot be read: ${message}`);
  }
}

type Slices = (length: number, placeBelow: (bound: number) => number) => SizedText;

const MAX_ROUNDS = 20;

/** Lengths in tokens count the special tokens, as upstream. The slice is lengthened or cut until the count is right. */
function tokenSlices(corpus: string, tokenizer: TextTokenizer): Slices {
  const ids = tokenizer.encode(corpus);
  const { specialTokens } = tokenizer;
  return (length, placeBelow) => {
    const wanted = Math.max(1, length - specialTokens);
    const start = placeBelow(Math.max(1, ids.length - wanted));
    let best: SizedText = { text: '', length: 0 };
    for (let size = wanted, round = 0; round < MAX_ROUNDS; round++) {
      // Near the corpus's end the slice is moved back rather than shortened.
      const from = Math.max(0, Math.min(start, ids.length - size));
      const text = tokenizer.decode(ids.slice(from, from + size));
      const count = tokenizer.count(text);
      if (best.text === '' || Math.abs(count - wanted) < Math.abs(best.length - specialTokens - wanted)) {
        best = { text, length: count + specialTokens };
      }
      if (count === wanted || (count < wanted && size >= ids.length)) break;
      size = Math.max(1, Math.min(ids.length, size + wanted - count));
    }
    return best;
  };
}

function wordSlices(corpus: string): Slices {
  const words = corpus.trim().split(/\s+/);
  return (length, placeBelow) => {
    const wanted = Math.min(words.length, Math.max(1, length));
    const start = placeBelow(Math.max(1, words.length - wanted));
    return { text: words.slice(start, start + wanted).join(' '), length: wanted };
  };
}
