// Text -> ids as @huggingface/tokenizers gives them, for the tokenizers most models have, without a string for every byte and merge.
import {
  BPE,
  ByteLevelPreTokenizer,
  SequencePreTokenizer,
  SplitPreTokenizer,
  type PreTokenizer,
  type Tokenizer,
} from './tokenizer-library';
import { stripBeside, WordSplitter, type AddedToken } from './added-tokens';
import { MAX_SYMBOLS, PairMerger } from './pair-merger';

/** Parts of the files beside what the library's object shows. */
export interface TokenizerFiles {
  readonly model: {
    readonly added_tokens?: readonly ({ readonly content: string; readonly id: number } & Record<string, unknown>)[];
    readonly post_processor?: unknown;
  };
  readonly config: Readonly<Record<string, unknown>>;
}

/** Longer pieces are slices of the whole text to V8, which a cache would keep alive with them. */
const CACHED_LENGTH = 12;
const CACHE_ENTRIES = 100_000;

/** Undefined where the files ask for something that only the library does. */
export function quickEncoder(tokenizer: Tokenizer, files: TokenizerFiles): ((text: string) => number[]) | undefined {
  const { model } = tokenizer;
  if (model === null || model.end_of_word_suffix) return undefined;
  if (files.config['remove_space'] === true || files.config['do_lowercase_and_remove_accent'] === true)
    return undefined;
  if (!passesOn(files.model.post_processor ?? null)) return undefined;
  const added = new Map<string, AddedToken>();
  const plain: string[] = [];
  const normalized: string[] = [];
  for (const { content, id, ...token } of files.model.added_tokens ?? []) {
    const entry = { id, lstrip: token['lstrip'] === true, rstrip: token['rstrip'] === true };
    added.set(content, entry);
    if ((token['normalized'] ?? token['special'] !== true) === true && tokenizer.normalizer !== null) {
      const text = tokenizer.normalizer.normalize(content);
      normalized.push(text);
      added.set(text, entry);
      // A word of the vocabulary that is also another token's normal form has two ids.
      if ((model.tokens_to_ids.get(text) ?? id) !== id) return undefined;
    } else {
      plain.push(content);
    }
  }
  const ids = new Set(model.tokens_to_ids.values());
  if (ids.size !== model.tokens_to_ids.size || [...ids].some((id) => !Number.isInteger(id) || id < 0)) return undefined;
  const encoder = new QuickEncoder(tokenizer, model, added, new WordSplitter(plain), new WordSplitter(normalized));
  return (text) => encoder.encode(text);
}

/** Whether a post-processor leaves the tokens of one text as they are when no special tokens are wanted. */
function passesOn(processor: unknown): boolean {
  if (processor === null) return true;
  const { type, single, processors } = processor as { type?: unknown; single?: unknown; processors?: unknown };
  switch (type) {
    case 'ByteLevel':
    case 'BertProcessing':
    case 'RobertaProcessing':
      return true;
    case 'TemplateProcessing': {
      const parts = (Array.isArray(single) ? single : []) as { Sequence?: { id?: unknown } }[];
      return parts.filter((part) => part.Sequence?.id === 'A').length === 1;
    }
    case 'Sequence':
      return Array.isArray(processors) && processors.every(passesOn);
    default:
      return false;
  }
}

type Model = NonNullable<Tokenizer['model']>;

/** As JSON has it: null where a model knows no unknown token. */
interface Unknown {
  readonly unk_token?: string | null;
  readonly unk_token_id?: number;
  readonly fuse_unk: boolean;
}

/** Owns the merges as numbers, the ids of short pieces met before, and a place to merge in. */
class QuickEncoder {
  private readonly bytes: ByteLevelPreTokenizer | undefined;
  private readonly before: readonly (PreTokenizer | null)[];
  private readonly bpe: BPE | undefined;
  private readonly canCut: boolean;
  private readonly byteCharacters: readonly string[];
  private readonly symbols = new Int32Array(MAX_SYMBOLS);
  private readonly cache = new Map<string, readonly number[]>();
  private merger: PairMerger | undefined;
  private byteSymbols: Int32Array | undefined;

  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly model: Model,
    private readonly added: ReadonlyMap<string, AddedToken>,
    private readonly plainWords: WordSplitter,
    private readonly normalizedWords: WordSplitter,
  ) {
    const { pre_tokenizer: pre } = tokenizer;
    const steps = pre instanceof SequencePreTokenizer ? pre.tokenizers : [pre];
    const last = steps.at(-1);
    this.bytes = last instanceof ByteLevelPreTokenizer ? last : undefined;
    this.before = this.bytes ? steps.slice(0, -1) : [];
    this.bpe = model instanceof BPE && !model.continuing_subword_suffix ? model : undefined;
    this.canCut = this.bytes === undefined && this.bpe?.ignore_merges === false;
    const byte = this.bytes?.byte_encoder;
    this.byteCharacters = byte ? Array.from({ length: 256 }, (_, value) => byte[value]!) : [];
  }

  encode(text: string): number[] {
    const ids: number[] = [];
    const sections = this.plainWords.split(text);
    stripBeside(sections, this.added);
    for (const [index, section] of sections.entries()) {
      if (section.length === 0 || this.isAdded(section, ids)) continue;
      const normal = this.tokenizer.normalizer?.normalize(section) ?? section;
      if (normal.length === 0) continue;
      const parts = this.normalizedWords.split(normal);
      stripBeside(parts, this.added);
      for (const part of parts) {
        if (part.length > 0 && !this.isAdded(part, ids)) this.encodePart(part, index, ids);
      }
    }
    return ids;
  }

  private isAdded(text: string, ids: number[]): boolean {
    const token = this.added.get(text);
    if (token) ids.push(token.id);
    return token !== undefined;
  }

  private encodePart(part: string, sectionIndex: number, ids: number[]): void {
    const from = ids.length;
    for (const piece of this.piecesOf(part, sectionIndex)) {
      if (this.append(piece, ids)) continue;
      // An unknown token: the library fuses it with its neighbours.
      ids.length = from;
      // A loop: so many arguments as a whole corpus has tokens are more than a call may have.
      for (const id of this.byLibrary(this.pieces(part, sectionIndex))) ids.push(id);
      return;
    }
  }

  /** The pieces as the model sees them, but not yet as byte characters where a ByteLevel pre-tokenizer is the last. */
  private piecesOf(part: string, sectionIndex: number): readonly string[] {
    const { bytes } = this;
    if (!bytes) return this.pieces(part, sectionIndex);
    let pieces: readonly string[] = [part];
    for (const step of this.before) {
      if (step instanceof SplitPreTokenizer)
        pieces = pieces.length === 1 ? split(step, pieces[0]!) : pieces.flatMap((piece) => split(step, piece));
      else if (step) pieces = step.pre_tokenize([...pieces], { section_index: sectionIndex });
    }
    if (!bytes.use_regex && !bytes.add_prefix_space) return pieces;
    return pieces.flatMap((piece) => {
      const text = bytes.add_prefix_space && !piece.startsWith(' ') ? ` ${piece}` : piece;
      return bytes.use_regex ? (text.match(bytes.pattern) ?? []) : [text];
    });
  }

  private pieces(part: string, sectionIndex: number): string[] {
    return this.tokenizer.pre_tokenizer?.pre_tokenize(part, { section_index: sectionIndex }) ?? [part];
  }

  private byLibrary(pieces: string[]): number[] {
    return this.model
      ._call(pieces)
      .map((token) => this.added.get(token)?.id ?? this.model.tokens_to_ids.get(token) ?? this.model.unk_token_id!);
  }

  /** False: the piece holds an unknown token that the library would fuse with those beside it. */
  private append(piece: string, ids: number[]): boolean {
    const isShort = piece.length <= CACHED_LENGTH;
    const known = isShort ? this.cache.get(piece) : undefined;
    if (known !== undefined) {
      for (const id of known) ids.push(id);
      return true;
    }
    const from = ids.length;
    if (!(this.bpe ? this.appendMerged(piece, this.bpe, ids) : this.appendByLibrary(piece, ids))) return false;
    if (!isShort) return true;
    if (this.cache.size >= CACHE_ENTRIES) this.cache.clear();
    this.cache.set(piece, ids.slice(from));
    return true;
  }

  private appendByLibrary(piece: string, ids: number[]): boolean {
    const own = this.byLibrary([this.bytes ? this.byteText(piece) : piece]);
    if (this.model.fuse_unk && own.includes(this.model.unk_token_id!)) return false;
    for (const id of own) ids.push(id);
    return true;
  }

  private appendMerged(piece: string, bpe: BPE, ids: number[]): boolean {
    if (bpe.ignore_merges) {
      const whole = this.model.tokens_to_ids.get(this.bytes ? this.byteText(piece) : piece);
      if (whole !== undefined) {
        ids.push(whole);
        return true;
      }
    }
    this.merger ??= new PairMerger(bpe.tokens_to_ids, bpe.vocab.length, bpe.merges);
    if (this.canCut && piece.length > 1) {
      const end = this.wordEnd(piece, this.merger);
      if (end < piece.length) return this.appendWords(piece, end, this.merger, ids);
    }
    const count = this.bytes ? this.byteSymbolsOf(piece, this.merger) : this.characterSymbolsOf(piece, this.merger);
    if (count === undefined) return this.appendByLibrary(piece, ids);
    const left = this.merger.apply(this.symbols, count);
    for (let at = 0; at < left; at++) {
      if (!this.appendSymbol(this.symbols[at]!, bpe, this.merger, ids)) return false;
    }
    return true;
  }

  /** Where the first part of a text ends over whose end no merge joins. */
  private wordEnd(text: string, merger: PairMerger, from = 0): number {
    let before = text.charCodeAt(from);
    for (let at = from + 1; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      const inPair = (before & 0xfc00) === 0xd800 && (unit & 0xfc00) === 0xdc00;
      if (!inPair && !merger.mayJoin(before, unit)) return at;
      before = unit;
    }
    return text.length;
  }

  private appendWords(text: string, firstEnd: number, merger: PairMerger, ids: number[]): boolean {
    for (let from = 0, end = firstEnd; from < text.length; end = this.wordEnd(text, merger, from)) {
      if (!this.append(text.slice(from, end), ids)) return false;
      from = end;
    }
    return true;
  }

  private characterSymbolsOf(piece: string, merger: PairMerger): number | undefined {
    let count = 0;
    for (const character of piece) {
      if (count === MAX_SYMBOLS) return undefined;
      this.symbols[count++] = merger.symbolOf(character);
    }
    return count;
  }

  /** The symbols of the text's UTF-8, byte by byte. */
  private byteSymbolsOf(piece: string, merger: PairMerger): number | undefined {
    if (piece.length > MAX_SYMBOLS) return undefined;
    this.byteSymbols ??= Int32Array.from(this.byteCharacters, (character) => merger.symbolOf(character));
    const { symbols, byteSymbols } = this;
    for (let at = 0; at < piece.length; at++) {
      const unit = piece.charCodeAt(at);
      if (unit >= 0x80) return this.longByteSymbolsOf(piece, byteSymbols);
      symbols[at] = byteSymbols[unit]!;
    }
    return piece.length;
  }

  private longByteSymbolsOf(piece: string, byteSymbols: Int32Array): number | undefined {
    const bytes = Buffer.from(piece, 'utf8');
    if (bytes.length > MAX_SYMBOLS) return undefined;
    for (let at = 0; at < bytes.length; at++) this.symbols[at] = byteSymbols[bytes[at]!]!;
    return bytes.length;
  }

  private byteText(piece: string): string {
    let text = '';
    for (const byte of Buffer.from(piece, 'utf8')) text += this.byteCharacters[byte]!;
    return text;
  }

  private appendSymbol(symbol: number, bpe: BPE, merger: PairMerger, ids: number[]): boolean {
    const isToken = symbol >= 0 && symbol < bpe.vocab.length;
    if (isToken) ids.push(symbol);
    else if (bpe.byte_fallback) {
      const bytes = this.bytesOf(merger.textOf(symbol));
      if (bytes) ids.push(...bytes);
      else return this.appendUnknown(bpe, ids);
    } else return this.appendUnknown(bpe, ids);
    return !(isToken && bpe.fuse_unk && symbol === bpe.unk_token_id);
  }

  /** Without an unknown token nothing is put in its place, as in the library. */
  private appendUnknown(bpe: BPE, ids: number[]): boolean {
    const { unk_token: token, unk_token_id: id, fuse_unk: isFused } = bpe as Unknown;
    if (token === undefined || token === null) return true;
    if (id === undefined) return false;
    ids.push(id);
    return !isFused;
  }

  private bytesOf(text: string): number[] | undefined {
    const ids: number[] = [];
    for (const byte of Buffer.from(text, 'utf8')) {
      const id = this.model.tokens_to_ids.get(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
      if (id === undefined) return undefined;
      ids.push(id);
    }
    return ids;
  }
}

/** As the library splits; where the matches cover the text, without an object for each. */
function split(step: SplitPreTokenizer, text: string): readonly string[] {
  const { pattern, config } = step;
  if (
    pattern === null ||
    config.invert === true ||
    (config.behavior as string | undefined)?.toLowerCase() === 'removed'
  ) {
    return step.pre_tokenize_text(text);
  }
  const matches: readonly string[] = text.match(pattern) ?? [];
  let covered = 0;
  let hasEmpty = false;
  for (const match of matches) {
    covered += match.length;
    hasEmpty ||= match.length === 0;
  }
  if (covered !== text.length) return step.pre_tokenize_text(text);
  return hasEmpty ? matches.filter((match) => match.length > 0) : matches;
}
