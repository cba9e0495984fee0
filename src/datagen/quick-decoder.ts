// Ids -> text as @huggingface/tokenizers gives it, by tables of what each token stands for.
import {
  ByteLevelDecoder,
  MetaspaceDecoder,
  ReplaceDecoder,
  SequenceDecoder,
  WordPieceDecoder,
  type Decoder,
  type Tokenizer,
} from './tokenizer-library';
import { TextDecoder } from 'node:util';

/** What stands at an id. */
const UNKNOWN = 0;
const BYTES = 1;
const SPECIAL = 2;
/** An added token in a text of bytes: written as it is. */
const VERBATIM = 3;

/** @param special texts of the tokens that are left out. Undefined for ids it does not know. */
export function quickDecoder(
  { decoder, model }: Tokenizer,
  special: ReadonlySet<unknown>,
): ((ids: readonly number[]) => string | undefined) | undefined {
  if (model === null || decoder?.end_of_word_suffix) return undefined;
  if (decoder instanceof ByteLevelDecoder) return byteDecoder(decoder, model.vocab, special);
  const join = decoder === null ? (tokens: string[]): string => tokens.join(' ') : joiner(decoder);
  const isSpecial = model.vocab.map((token) => special.has(token));
  return (ids) => {
    const tokens: string[] = [];
    const kept: number[] = [];
    for (const id of ids) {
      const token = model.vocab[id];
      if (token === undefined) return undefined;
      if (isSpecial[id] === true) continue;
      tokens.push(token);
      kept.push(id);
    }
    return join(tokens, kept);
  };
}

/** Steps that see one token at a time are done once for each token. */
function joiner(decoder: Decoder): (tokens: string[], ids: readonly number[]) => string {
  if (decoder instanceof WordPieceDecoder || decoder instanceof MetaspaceDecoder) {
    const first = new Memory((token) => decoder.decode_chain([token])[0]!);
    const later = new Memory((token) => decoder.decode_chain(['', token])[1]!);
    return (tokens, ids) => tokens.map((token, at) => (at === 0 ? first : later).of(ids[at]!, token)).join('');
  }
  if (!(decoder instanceof SequenceDecoder)) return (tokens) => decoder.decode(tokens);
  const place = decoder.decoders.findIndex((step) => !(step instanceof ReplaceDecoder));
  const alone = place < 0 ? decoder.decoders : decoder.decoders.slice(0, place);
  const rest = decoder.decoders.slice(alone.length);
  const chain = (steps: readonly Decoder[], tokens: string[]): string[] =>
    steps.reduce((list, step) => step.decode_chain(list), tokens);
  const replaced = new Memory((token) => chain(alone, [token])[0]!);
  return (tokens, ids) =>
    chain(
      rest,
      tokens.map((token, at) => replaced.of(ids[at]!, token)),
    ).join('');
}

/** Remembers by id what was made of a token. */
class Memory {
  private readonly made: (string | undefined)[] = [];

  constructor(private readonly make: (token: string) => string) {}

  of(id: number, token: string): string {
    return (this.made[id] ??= this.make(token));
  }
}

function byteDecoder(
  decoder: ByteLevelDecoder,
  vocabulary: readonly string[],
  special: ReadonlySet<unknown>,
): (ids: readonly number[]) => string | undefined {
  let table: ByteTable | undefined;
  return (ids) => (table ??= new ByteTable(decoder, vocabulary, special)).decode(ids);
}

/** Owns the bytes of all tokens, one after the other, and a place to join some. */
class ByteTable {
  private readonly kinds: Uint8Array;
  private readonly starts: Uint32Array;
  private readonly bytes: Uint8Array;
  private readonly utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  private joined = new Uint8Array(4096);

  constructor(
    decoder: ByteLevelDecoder,
    private readonly vocabulary: readonly string[],
    special: ReadonlySet<unknown>,
  ) {
    const added = new Set(decoder.added_tokens.map(({ content }) => content));
    this.kinds = new Uint8Array(vocabulary.length);
    this.starts = new Uint32Array(vocabulary.length + 1);
    const byteOf: Readonly<Record<string, unknown>> = decoder.byte_decoder;
    const bytes: number[] = [];
    for (let id = 0; id < vocabulary.length; id++) {
      this.starts[id] = bytes.length;
      const token = vocabulary[id];
      if (token === undefined) continue;
      this.kinds[id] = special.has(token) ? SPECIAL : added.has(token) ? VERBATIM : BYTES;
      // A character that stands for no byte becomes a zero in the library.
      if (this.kinds[id] === BYTES) for (const character of token) bytes.push(Number(byteOf[character] ?? 0));
    }
    this.starts[vocabulary.length] = bytes.length;
    this.bytes = Uint8Array.from(bytes);
  }

  decode(ids: readonly number[]): string | undefined {
    const { kinds, starts, bytes } = this;
    let text = '';
    let length = 0;
    for (const id of ids) {
      const kind = kinds[id] ?? UNKNOWN;
      if (kind === UNKNOWN) return undefined;
      if (kind === SPECIAL) continue;
      if (kind === VERBATIM) {
        text += this.textOf(length) + this.vocabulary[id]!;
        length = 0;
        continue;
      }
      const end = starts[id + 1]!;
      if (length + end - starts[id]! > this.joined.length) this.grow(end - starts[id]!);
      for (let at = starts[id]!; at < end; at++) this.joined[length++] = bytes[at]!;
    }
    return text === '' ? this.textOf(length) : text + this.textOf(length);
  }

  private textOf(length: number): string {
    return length === 0 ? '' : this.utf8.decode(this.joined.subarray(0, length));
  }

  private grow(by: number): void {
    const larger = new Uint8Array(Math.max(this.joined.length * 2, this.joined.length + by));
    larger.set(this.joined);
    this.joined = larger;
  }
}
