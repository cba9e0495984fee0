// A small byte-level BPE tokenizer.json, made on the fly: real merges, real special tokens, no file of anyone's.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** GPT-2's map from bytes to printable characters: printable bytes stand for themselves, the rest follow from U+0100 on. */
function byteCharacters(): string[] {
  const own = (byte: number): boolean =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(own(byte) ? byte : next++));
}

const MERGES = [
  't h',
  'th e',
  'Ġ the',
  'a n',
  'an d',
  'Ġ and',
  'i n',
  'Ġ in',
  'e r',
  'o u',
  'r e',
  'o n',
  's t',
  'l l',
];

export function tokenizerJson(options: { bos: boolean }): object {
  const tokens = ['<s>', ...byteCharacters(), ...MERGES.map((merge) => merge.replace(' ', ''))];
  return {
    version: '1.0',
    added_tokens: [
      { id: 0, content: '<s>', single_word: false, lstrip: false, rstrip: false, normalized: false, special: true },
    ],
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: options.bos
      ? {
          type: 'TemplateProcessing',
          single: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
          pair: [],
          special_tokens: { '<s>': { id: '<s>', ids: [0], tokens: ['<s>'] } },
        }
      : null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      unk_token: null,
      fuse_unk: false,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: MERGES,
    },
  };
}

export function temporaryFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-unit-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function writeTokenizer(folder: string, options: { bos: boolean }): string {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'tokenizer.json');
  writeFileSync(file, JSON.stringify(tokenizerJson(options)));
  return file;
}
