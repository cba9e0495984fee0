// Small tokenizers of every common shape, with merges learned from a text of our own: what real ones look like, in a few kilobytes.

const TEXT = `the quick brown fox and the lazy dog don't rest; the naïve école says 12 or 345 things, the 東京 tower and the 東京 station,
Ωμέγα and Ωμέγα again, one two two three three three 😀😀 so so much aaa aaa aaaa aaaa the the other the another and then and there is it's it's`;

const SPACE = '\u2581';
/** In vocabularies, of characters that merges join, but no merges lead there. */
const WHOLE = `${SPACE}aaaaaaaaa`;

/** Learns merges: the pair met most often first, as trainers do. */
function learn(words: readonly (readonly string[])[], count: number): [string, string][] {
  const merges: [string, string][] = [];
  let parts = words.map((word) => Array.from(word));
  while (merges.length < count) {
    const seen = new Map<string, { pair: [string, string]; times: number }>();
    for (const word of parts) {
      for (let at = 1; at < word.length; at++) {
        const pair: [string, string] = [word[at - 1]!, word[at]!];
        const entry = seen.get(JSON.stringify(pair)) ?? { pair, times: 0 };
        entry.times++;
        seen.set(JSON.stringify(pair), entry);
      }
    }
    const best = [...seen.values()].sort((a, b) => b.times - a.times)[0];
    if (!best) return merges;
    merges.push(best.pair);
    parts = parts.map((word) => joined(word, best.pair));
  }
  return merges;
}

function joined(word: readonly string[], [left, right]: [string, string]): string[] {
  const out: string[] = [];
  for (let at = 0; at < word.length; at++) {
    if (word[at] === left && word[at + 1] === right) {
      out.push(left + right);
      at++;
    } else out.push(word[at]!);
  }
  return out;
}

function vocabulary(tokens: Iterable<string>): Record<string, number> {
  return Object.fromEntries([...new Set(tokens)].map((token, id) => [token, id]));
}

interface Added {
  readonly content: string;
  readonly special?: boolean;
  readonly lstrip?: boolean;
  readonly rstrip?: boolean;
  readonly normalized?: boolean;
}

function withAdded(vocab: Record<string, number>, added: readonly Added[]): object[] {
  let next = Object.keys(vocab).length;
  return added.map((token) => ({
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: false,
    ...token,
    id: vocab[token.content] ?? next++,
  }));
}

/** GPT-2's printable characters for bytes. */
function byteCharacters(): string[] {
  const own = (byte: number): boolean =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(own(byte) ? byte : next++));
}

const LLAMA3 =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

function byteLevel(more: {
  readonly split?: string;
  readonly model?: object;
  readonly added?: readonly Added[];
  readonly normalizer?: object;
  readonly prefixSpace?: boolean;
}): object {
  const names = byteCharacters();
  const bytes = (text: string): string[] => [...Buffer.from(text, 'utf8')].map((byte) => names[byte]!);
  const merges = learn((TEXT.match(/ ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+/gu) ?? []).map(bytes), 120);
  const vocab = vocabulary([...names, ...merges.map(([left, right]) => left + right), WHOLE.replace(SPACE, 'Ġ')]);
  const own = {
    type: 'ByteLevel',
    add_prefix_space: more.prefixSpace ?? false,
    trim_offsets: true,
    use_regex: more.split === undefined,
  };
  return {
    added_tokens: withAdded(vocab, more.added ?? [{ content: '<s>', special: true }]),
    normalizer: more.normalizer ?? null,
    pre_tokenizer:
      more.split === undefined
        ? own
        : {
            type: 'Sequence',
            pretokenizers: [
              { type: 'Split', pattern: { Regex: more.split }, behavior: 'Isolated', invert: false },
              own,
            ],
          },
    post_processor: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: false, use_regex: true },
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: { type: 'BPE', unk_token: null, fuse_unk: false, vocab, merges, ...more.model },
  };
}

function sentencePiece(more: {
  readonly model?: object;
  readonly bytes?: boolean;
  readonly preTokenizer?: object;
}): object {
  const words = (TEXT.replaceAll(' ', SPACE).match(new RegExp(`${SPACE}?[^${SPACE}]+`, 'gu')) ?? []).map((word) =>
    Array.from(word),
  );
  const merges = learn(words, 150);
  const hex = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
  const letters = Array.from(new Set(Array.from(TEXT.replaceAll(' ', SPACE)))).filter((letter) => letter !== '😀');
  const vocab = vocabulary([
    '<unk>',
    '<s>',
    ...(more.bytes === false ? [] : hex),
    ...merges.map(([left, right]) => left + right),
    ...letters,
    WHOLE,
  ]);
  return {
    added_tokens: withAdded(vocab, [
      { content: '<unk>', special: true },
      { content: '<s>', special: true },
      { content: '[HERE]', lstrip: true, rstrip: true },
    ]),
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'Prepend', prepend: SPACE },
        { type: 'Replace', pattern: { String: ' ' }, content: SPACE },
      ],
    },
    pre_tokenizer: more.preTokenizer ?? null,
    post_processor: {
      type: 'TemplateProcessing',
      single: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
      pair: [],
      special_tokens: {},
    },
    decoder: {
      type: 'Sequence',
      decoders: [
        { type: 'Replace', pattern: { String: SPACE }, content: ' ' },
        { type: 'ByteFallback' },
        { type: 'Fuse' },
        { type: 'Strip', content: ' ', start: 1, stop: 0 },
      ],
    },
    model: {
      type: 'BPE',
      unk_token: '<unk>',
      fuse_unk: true,
      byte_fallback: more.bytes !== false,
      vocab,
      merges,
      ...more.model,
    },
  };
}

function wordPiece(): object {
  const letters = Array.from(new Set(Array.from(TEXT.toLowerCase().replaceAll(/\s/g, ''))));
  const words = TEXT.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [];
  const vocab = vocabulary([
    '[PAD]',
    '[UNK]',
    '[CLS]',
    '[SEP]',
    ...letters,
    ...letters.map((letter) => `##${letter}`),
    ...words.slice(0, 20),
    ...words.slice(0, 30).map((word) => `##${word.slice(0, 2)}`),
    "'",
    ',',
    '##ing',
  ]);
  return {
    added_tokens: withAdded(
      vocab,
      ['[PAD]', '[UNK]', '[CLS]', '[SEP]'].map((content) => ({ content, special: true })),
    ),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: { type: 'BertProcessing', sep: ['[SEP]', 3], cls: ['[CLS]', 2] },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 20,
      vocab,
    },
  };
}

function unigram(more: readonly object[] = []): object {
  const letters = Array.from(new Set(Array.from(TEXT.replaceAll(' ', SPACE)))).slice(0, 30);
  const words = (TEXT.match(/[a-z]+/g) ?? []).map((word) => SPACE + word);
  const tokens = [...new Set(['<unk>', '</s>', ...letters, ...words])];
  return {
    added_tokens: withAdded(vocabulary(tokens), [
      { content: '<unk>', special: true },
      { content: '</s>', special: true },
    ]),
    normalizer: { type: 'NFKC' },
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Metaspace', replacement: SPACE, add_prefix_space: true, prepend_scheme: 'first' },
        ...more,
      ],
    },
    post_processor: null,
    decoder: { type: 'Metaspace', replacement: SPACE, add_prefix_space: true },
    model: { type: 'Unigram', unk_id: 0, vocab: tokens.map((token, at) => [token, -1 - at / 10]) },
  };
}

function wordLevel(): object {
  const vocab = vocabulary(['[UNK]', ...TEXT.split(/\s+/)]);
  return {
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: 'WhitespaceSplit' },
    post_processor: null,
    decoder: null,
    model: { type: 'WordLevel', unk_token: '[UNK]', vocab },
  };
}

/** By name: a `tokenizer.json`, and what of it is left to the library. */
export const MODELS: Readonly<
  Record<string, { readonly json: object; readonly byLibrary?: readonly ('encode' | 'decode')[] }>
> = {
  'byte-level, as GPT-2': { json: byteLevel({}) },
  'byte-level with a space before': { json: byteLevel({ prefixSpace: true }) },
  'byte-level, as Llama 3: a split, whole words first': {
    json: byteLevel({ split: LLAMA3, model: { ignore_merges: true } }),
  },
  'byte-level, as Qwen: normal forms, tokens of several kinds': {
    json: byteLevel({
      split: LLAMA3,
      normalizer: { type: 'NFC' },
      added: [
        { content: '<s>', special: true },
        { content: '<s><s>', special: true },
        { content: '<tool>' },
        { content: 'n\u0303o', normalized: true },
        { content: ' [A] ', lstrip: true },
        { content: '[B]', rstrip: true },
        { content: '[C]', lstrip: true, rstrip: true, normalized: true },
      ],
    }),
  },
  'byte-level with a split that leaves gaps': { json: byteLevel({ split: '\\p{L}+|\\p{N}?' }) },
  'SentencePiece merges, as Llama 2': { json: sentencePiece({}) },
  'SentencePiece merges without byte tokens': { json: sentencePiece({ bytes: false }) },
  'SentencePiece merges, an unknown token that is a word': {
    json: sentencePiece({ bytes: false, model: { unk_token: `${SPACE}the` } }),
  },
  'SentencePiece merges, whole words first': { json: sentencePiece({ model: { ignore_merges: true } }) },
  'SentencePiece merges of split words': {
    json: sentencePiece({ preTokenizer: { type: 'Split', pattern: { String: SPACE }, behavior: 'Isolated' } }),
  },
  'WordPiece, as BERT': { json: wordPiece() },
  'Unigram, as T5': { json: unigram() },
  'Unigram, digits one by one and unknown': { json: unigram([{ type: 'Digits', individual_digits: true }]) },
  'a word a token': { json: wordLevel() },
  'a token’s normal form is another token': {
    json: byteLevel({ normalizer: { type: 'NFC' }, added: [{ content: 'e\u0301', normalized: true }] }),
    byLibrary: ['encode'],
  },
  'merges with ends of words, as CLIP': {
    json: byteLevel({ model: { end_of_word_suffix: '</w>' } }),
    byLibrary: ['encode', 'decode'],
  },
};
