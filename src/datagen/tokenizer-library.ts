// The one place that knows @huggingface/tokenizers: the steps of it that the quick ways look at, and its own way from text to ids and back.
import {
  BPE,
  ByteLevelDecoder,
  ByteLevelPreTokenizer,
  MetaspaceDecoder,
  ReplaceDecoder,
  SequenceDecoder,
  SequencePreTokenizer,
  SplitPreTokenizer,
  Tokenizer,
  WordPieceDecoder,
  type Decoder,
  type PreTokenizer,
} from '@huggingface/tokenizers';

export {
  BPE,
  ByteLevelDecoder,
  ByteLevelPreTokenizer,
  MetaspaceDecoder,
  ReplaceDecoder,
  SequenceDecoder,
  SequencePreTokenizer,
  SplitPreTokenizer,
  Tokenizer,
  WordPieceDecoder,
};
export type { Decoder, PreTokenizer };

/** A tokenizer's two directions; special tokens are neither added nor shown. */
export interface TokenCodec {
  readonly encode: (text: string) => number[];
  /** Of at least one id. */
  readonly decode: (ids: readonly number[]) => string;
}

export function libraryCodec(tokenizer: Tokenizer): TokenCodec {
  return {
    encode: (text) => tokenizer.encode(text, { add_special_tokens: false }).ids,
    decode: (ids) => tokenizer.decode([...ids], { skip_special_tokens: true, clean_up_tokenization_spaces: false }),
  };
}
