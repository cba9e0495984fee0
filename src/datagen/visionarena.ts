// data.type visionarena: questions about images, each row of the data set one chat, the images' bytes as they are (multimodal).
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Problem, Result } from '../problem';
import { RecordsError } from './json-records';
import type { LengthDistribution } from './lengths';
import { sampledLength } from './lengths';
import { pictureHeader } from './media/image-size';
import { mediaOf, pictureBlock, weave, type PlacedBlocks } from './media/media';
import { numpyFirstUniform } from './media/numpy-uniform';
import { parquetRecords } from './parquet-records';
import type { MadePrompt, Prompt, PromptSource } from './prompts';
import { stream } from './random';
import type { LengthUnit } from './text';

export interface VisionArenaData {
  /** Absolute path of a Parquet file or a folder of them; undefined where nothing is at hand under the configured name. */
  readonly place: string | undefined;
  /** As the config has it, for messages. */
  readonly configured: string;
  /** Names or patterns with `*` inside the folder; by default every Parquet file. */
  readonly files: string | undefined;
  /** Usable rows that are kept and sent in turn. */
  readonly rows: number;
  readonly mostImages: number;
  /** Share of the text in front of the images, or a distribution of 0 and 1; null: each request its own. */
  readonly insertionPoint: number | LengthDistribution | null;
}

export interface VisionArenaInput {
  readonly api: 'completion' | 'chat';
  readonly data: VisionArenaData;
  readonly unit: LengthUnit;
}

const COLUMNS = ['images', 'conversation'];

/** Errors RUN011, RUN050 to RUN052 and RUN055 name the key. */
export async function visionArenaPrompts(input: VisionArenaInput): Promise<Result<PromptSource>> {
  const { api, data, unit } = input;
  if (api !== 'chat')
    return refuse(['api', 'type'], 'RUN011', 'data type visionarena sends chats only', 'Set api.type to chat.');
  const files = arenaFiles(data);
  if (!files.ok) return files;
  let read: ReadRows;
  try {
    read = await readRows(files.value, data);
  } catch (error) {
    if (!(error instanceof RecordsError) && (error as NodeJS.ErrnoException).code === undefined) throw error;
    const remedy = error instanceof RecordsError ? error.remedy : 'Check the file and the rights to read it.';
    return refuse(PLACE, 'RUN052', (error as Error).message, remedy);
  }
  const { rows, skipped } = read;
  if (rows.length === 0) {
    return refuse(
      PLACE,
      'RUN055',
      `${data.configured} has no usable row: ${skipped} are without a question, or without a PNG, JPEG or WebP among their first ${data.mostImages} images`,
      'Name files of the data set lmarena-ai/VisionArena-Chat.',
    );
  }
  return {
    ok: true,
    value: { unit, api: 'chat', stage: () => (index) => promptOf(rows[index % rows.length]!, index, data) },
    problems: [remark(rows.length, skipped, data)],
  };
}

const PLACE = ['data', 'visionarena', 'hf_dataset_name'];

/** In alphabetical order, those of sub-folders among them, as the data set's library finds them. */
function arenaFiles({ place, configured, files }: VisionArenaData): Result<readonly string[]> {
  const stat = place === undefined ? undefined : statSync(place, { throwIfNoEntry: false });
  if (place === undefined || !stat) {
    return refuse(
      PLACE,
      'RUN050',
      `the data set ${configured} is not on this machine`,
      'Download its Parquet files and name their folder in data.visionarena.hf_dataset_name, or allow the download with --download and name a file of it in hf_data_files.',
    );
  }
  if (stat.isFile()) return { ok: true, value: [place], problems: [] };
  const wanted = files === undefined ? /\.parquet$/ : patternOf(files);
  const names = readdirSync(place, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => wanted.test(name) && name.endsWith('.parquet'))
    .sort();
  if (names.length > 0) return { ok: true, value: names.map((name) => path.join(place, name)), problems: [] };
  const which = files === undefined ? 'no .parquet file' : `no .parquet file that hf_data_files ${files} names`;
  return refuse(
    PLACE,
    'RUN051',
    `${configured} holds ${which}`,
    'Name a folder with the Parquet files of the data set.',
  );
}

function patternOf(files: string): RegExp {
  const parts = files.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

interface Row {
  readonly question: string;
  readonly images: readonly { readonly bytes: Uint8Array; readonly mime: string; width: number; height: number }[];
  /** Of a fixed place, which is the same text and images each time. */
  prompt?: Prompt;
}

interface ReadRows {
  readonly rows: Row[];
  readonly skipped: number;
}

async function readRows(files: readonly string[], data: VisionArenaData): Promise<ReadRows> {
  const rows: Row[] = [];
  let skipped = 0;
  for (const file of files) {
    for await (const record of parquetRecords(file, COLUMNS, { binary: true })) {
      const row = rowOf(record, data.mostImages);
      if (row) rows.push(row);
      else skipped++;
      if (rows.length === data.rows) return { rows, skipped };
    }
  }
  return { rows, skipped };
}

/** Only the first images are looked at; of these, other formats and what is no image are left out, and a row without any is no row. */
function rowOf({ images, conversation }: Record<string, unknown>, mostImages: number): Row | undefined {
  const question = firstQuestion(conversation);
  if (question === undefined || !Array.isArray(images)) return undefined;
  const usable = images.slice(0, mostImages).flatMap((image: unknown) => {
    const bytes = (image as { bytes?: unknown } | null)?.bytes;
    const header = bytes instanceof Uint8Array ? pictureHeader(bytes) : undefined;
    return header ? [{ ...header, bytes: bytes as Uint8Array }] : [];
  });
  return usable.length > 0 ? { question, images: usable } : undefined;
}

/** The first text of the user's that is not blank; turns are lists of one message, or messages. */
function firstQuestion(conversation: unknown): string | undefined {
  if (!Array.isArray(conversation)) return undefined;
  for (const message of conversation.flat() as unknown[]) {
    const { role, content } = (message ?? {}) as { role?: unknown; content?: unknown };
    if (role === 'user' && typeof content === 'string' && content.trim() !== '') return content;
  }
  return undefined;
}

function promptOf(row: Row, index: number, { insertionPoint }: VisionArenaData): MadePrompt {
  if (typeof insertionPoint === 'number') return (row.prompt ??= placed(row, insertionPoint));
  const at =
    insertionPoint === null
      ? numpyFirstUniform(index)
      : sampledLength(insertionPoint, stream(index, 'visionarena-place'));
  return placed(row, at);
}

/** No length is asked for: upstream asks for its default of 30 tokens. */
function placed({ question, images }: Row, at: number): Prompt {
  const blocks: PlacedBlocks[] = images.map(({ mime, bytes }) => ({ at, blocks: [pictureBlock(mime, bytes)] }));
  const items = images.map(({ width, height, bytes }) => ({ width, height, bytes: bytes.length }));
  return { content: [{ role: 'user', content: weave(question, blocks) }], maxTokens: 0, media: mediaOf(items) };
}

function remark(rows: number, skipped: number, data: VisionArenaData): Problem {
  const few = rows < data.rows ? ` (fewer than num_rows ${data.rows}: the files have no more)` : '';
  const left = skipped > 0 ? `; ${skipped} without a question or a usable image left out` : '';
  return {
    code: 'RUN056',
    severity: 'information',
    path: ['data', 'type'],
    message: `Requests take ${rows} rows of VisionArena in turn${few}${left}. Sizes are read from the images’ headers: one that is damaged behind its header is sent, where inference-perf would leave it out.`,
  };
}

function refuse(path: Problem['path'], code: string, why: string, remedy: string): Result<never> {
  return { ok: false, problems: [{ code, severity: 'error', path, message: `Nothing was sent: ${why}.`, remedy }] };
}
