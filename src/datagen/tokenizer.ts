// A local `tokenizer.json`: found by path or in the Hugging Face cache, never downloaded; its identity is its hash.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { takesFastPaths } from '../fast-paths';
import { quickCodec } from './quick-codec';
import type { TokenizerFiles } from './quick-encoder';
import { libraryCodec, Tokenizer } from './tokenizer-library';

export interface TokenizerIdentity {
  /** Path of the tokenizer.json that was read. */
  readonly source: string;
  readonly sha256: string;
}

/** What the product needs of a tokenizer; lengths are in tokens. */
export interface TextTokenizer {
  readonly identity: TokenizerIdentity;
  /** Ids of a text without the special tokens the post-processor adds. */
  encode(text: string): readonly number[];
  /** Text of ids, special tokens left out. */
  decode(ids: readonly number[]): string;
  /** Tokens of a text without special tokens. */
  count(text: string): number;
  /** Special tokens the post-processor puts around one text (1 for a model with a BOS token). */
  readonly specialTokens: number;
  /** Puts the chat template around a text (`data.use_chat_template`); special tokens are then in the text, and `specialTokens` is 0. */
  readonly wrap?: (text: string) => string;
  /** Every id of the vocabulary that is not a special token, ascending. */
  readonly ordinaryIds: readonly number[];
}

export type TokenizerLookup =
  | { readonly found: true; readonly file: string }
  /** `reason` says in words where it was looked for. */
  | { readonly found: false; readonly reason: string };

export interface LookupPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folders a relative path may start from, in order. */
  readonly folders: readonly string[];
  readonly homeFolder?: string;
}

/**
 * Finds the tokenizer.json of `tokenizer.pretrained_model_name_or_path` (or of a model name): a file, a folder that holds one,
 * or a snapshot in the Hugging Face cache (HF_HUB_CACHE, else HF_HOME/hub, else XDG_CACHE_HOME or ~/.cache, huggingface/hub).
 */
export function findTokenizer(nameOrPath: string, places: LookupPlaces): TokenizerLookup {
  for (const folder of places.folders) {
    const candidate = path.resolve(folder, nameOrPath);
    const file = tokenizerFileAt(candidate);
    if (file !== undefined) return { found: true, file };
  }
  const hub = hubCache(places);
  const cached = inHubCache(hub, nameOrPath);
  if (cached !== undefined) return { found: true, file: cached };
  return {
    found: false,
    reason: `no tokenizer.json for '${nameOrPath}' as a file, in a folder of that name, or in the Hugging Face cache (${hub})`,
  };
}

/** Reads a tokenizer. Throws an Error whose message names the file when it is not one. */
export function loadTokenizer(file: string): TextTokenizer {
  const bytes = readFileSync(file);
  const identity = { source: file, sha256: createHash('sha256').update(bytes).digest('hex') };
  const configFile = path.join(path.dirname(file), 'tokenizer_config.json');
  let tokenizer: Tokenizer;
  let files: TokenizerFiles;
  try {
    const model = JSON.parse(bytes.toString('utf8')) as TokenizerFiles['model'];
    const config = existsSync(configFile)
      ? (JSON.parse(readFileSync(configFile, 'utf8')) as TokenizerFiles['config'])
      : {};
    files = { model, config };
    tokenizer = new Tokenizer(model, config);
  } catch (error) {
    throw new Error(`${file} is not a tokenizer this tool can read: ${(error as Error).message}`, { cause: error });
  }
  const { encode, decode } = takesFastPaths ? quickCodec(tokenizer, files) : libraryCodec(tokenizer);
  return {
    identity,
    encode,
    decode: (ids) => (ids.length === 0 ? '' : decode(ids)),
    count: (text) => (text === '' ? 0 : encode(text).length),
    specialTokens: tokenizer.encode('a', { add_special_tokens: true }).ids.length - encode('a').length,
    ordinaryIds: ordinaryIdsOf(tokenizer),
  };
}

function ordinaryIdsOf(tokenizer: Tokenizer): number[] {
  const special = new Set<number>();
  for (const [id, token] of tokenizer.get_added_tokens_decoder()) if (token.special) special.add(id);
  const ids = new Set(tokenizer.get_vocab(false).values());
  return [...ids].filter((id) => !special.has(id)).sort((a, b) => a - b);
}

function tokenizerFileAt(candidate: string): string | undefined {
  const stat = statSync(candidate, { throwIfNoEntry: false });
  if (stat?.isFile()) return candidate.endsWith('.json') ? candidate : undefined;
  const inside = path.join(candidate, 'tokenizer.json');
  return stat?.isDirectory() && existsSync(inside) ? inside : undefined;
}

function hubCache({ env, homeFolder }: LookupPlaces): string {
  if (env['HF_HUB_CACHE']) return env['HF_HUB_CACHE'];
  if (env['HF_HOME']) return path.join(env['HF_HOME'], 'hub');
  const cache = env['XDG_CACHE_HOME'] ?? path.join(homeFolder ?? os.homedir(), '.cache');
  return path.join(cache, 'huggingface', 'hub');
}

/** The snapshot `main` points at when it has a tokenizer.json, else the newest snapshot that has one. */
function inHubCache(hub: string, name: string): string | undefined {
  if (!/^[\w.-]+(\/[\w.-]+)?$/.test(name)) return undefined;
  const repository = path.join(hub, `models--${name.replace('/', '--')}`);
  const snapshots = path.join(repository, 'snapshots');
  if (!existsSync(snapshots)) return undefined;
  const mainRef = path.join(repository, 'refs', 'main');
  const revision = existsSync(mainRef) ? readFileSync(mainRef, 'utf8').trim() : undefined;
  const files = readdirSync(snapshots)
    .map((snapshot) => ({ snapshot, file: path.join(snapshots, snapshot, 'tokenizer.json') }))
    .filter(({ file }) => existsSync(file));
  const main = files.find(({ snapshot }) => snapshot === revision);
  if (main) return main.file;
  const newestFirst = files.sort((a, b) => statSync(b.file).mtimeMs - statSync(a.file).mtimeMs);
  return newestFirst[0]?.file;
}
