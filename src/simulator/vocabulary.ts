// The words the simulator knows: made up, each exactly one token of the sample tokenizer (samples/tokenizer), so that
// what the server counts and what a client counts with that tokenizer agree to the token.

const UNKNOWN_TOKEN = '<unk>';
export const END_TOKEN = '</s>';
/** Ids 0 and 1; words follow. */
const SPECIAL_TOKENS: readonly string[] = [UNKNOWN_TOKEN, END_TOKEN];

const WORD_COUNT = 1000;
const ONSETS = ['b', 'd', 'f', 'g', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'z'];
const VOWELS = ['a', 'e', 'i', 'o', 'u'];
const SYLLABLES = ONSETS.flatMap((onset) => VOWELS.map((vowel) => onset + vowel));

/**
 * 1,000 different words of two or three syllables. The list is a formula, not a file: a word's place never changes.
 * 1009 and 70 have no common divisor, so the stride visits every pair of syllables once before it repeats.
 */
export const WORDS: readonly string[] = Array.from({ length: WORD_COUNT }, (_, index) => {
  const pair = (index * 1009) % SYLLABLES.length ** 2;
  const word = syllable(Math.floor(pair / SYLLABLES.length)) + syllable(pair);
  return index % 3 === 0 ? word + syllable(index) : word;
});

function syllable(index: number): string {
  return SYLLABLES[index % SYLLABLES.length]!;
}

const TOKENS: readonly string[] = [...SPECIAL_TOKENS, ...WORDS];
const ID_OF = new Map(TOKENS.map((token, id) => [token, id]));
const SPECIALS = new RegExp(`(${SPECIAL_TOKENS.map((token) => token.replace(/[/$]/g, '\\$&')).join('|')})`);

export const VOCABULARY_SIZE = TOKENS.length;

/** Splits as the sample tokenizer does: special tokens wherever they stand, then on white space. */
export function tokenize(text: string): readonly string[] {
  return text.split(SPECIALS).flatMap((part) => (SPECIAL_TOKENS.includes(part) ? [part] : (part.match(/\S+/g) ?? [])));
}

/** How many tokens the sample tokenizer counts; a word it does not know is one token, too. */
export function countTokens(text: string): number {
  return tokenize(text).length;
}

export function tokenIds(text: string): readonly number[] {
  return tokenize(text).map((token) => ID_OF.get(token) ?? 0);
}

/** The text of ids, as the sample tokenizer decodes it; ids outside the vocabulary are unknown tokens. */
export function decodeIds(ids: readonly number[]): string {
  return ids.map((id) => TOKENS[id] ?? UNKNOWN_TOKEN).join(' ');
}

/** The sample tokenizer as a Hugging Face `tokenizer.json`: WordLevel over white space, no normaliser, nothing added. */
export function tokenizerJson(): object {
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: SPECIAL_TOKENS.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: { type: 'WhitespaceSplit' },
    post_processor: null,
    decoder: null,
    model: {
      type: 'WordLevel',
      vocab: Object.fromEntries(TOKENS.map((token, id) => [token, id])),
      unk_token: UNKNOWN_TOKEN,
    },
  };
}

/** The `tokenizer_config.json` beside it. The length limit is far above the simulator's: nothing is cut when counting. */
export function tokenizerConfigJson(): object {
  return {
    tokenizer_class: 'PreTrainedTokenizerFast',
    unk_token: UNKNOWN_TOKEN,
    eos_token: END_TOKEN,
    model_max_length: 1_000_000,
    clean_up_tokenization_spaces: false,
    chat_template:
      "{% for message in messages %}{{ message['content'] }}{% if not loop.last %}{{ ' ' }}{% endif %}{% endfor %}",
  };
}
