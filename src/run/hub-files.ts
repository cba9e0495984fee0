// What a run takes from the Hugging Face hub when the user allowed it (`--download`): the tokenizer, the data set. Always said.
import { existsSync } from 'node:fs';
import type { DatasetPlace } from '../datagen/dataset-files';
import { DATASETS, DATASET_TYPES, type DatasetType } from '../datagen/dataset-records';
import { fetchFromHub, hubCachePath } from '../datagen/hub';
import type { Problem, Result } from '../problem';
import type { StreamOptions } from './types';

export interface HubTokenizer {
  /** The tokenizer.json on this machine; undefined with the reason why there is none. */
  readonly file: string | undefined;
  readonly reason?: string;
  readonly problems: readonly Problem[];
}

const PLACE = ['tokenizer', 'pretrained_model_name_or_path'];

/** A tokenizer that was downloaded before is taken without being asked for again. */
export async function tokenizerFromHub(
  repository: string,
  options: StreamOptions,
  token: string | undefined,
  withTemplate: boolean,
): Promise<HubTokenizer> {
  const access = { env: options.env, token, signal: options.stop.noMoreSends };
  // Newer models keep their chat template in a file of its own, older ones in tokenizer_config.json.
  const template = async (): Promise<void> => {
    if (withTemplate && options.download === true)
      await fetchFromHub({ kind: 'models', repository, file: 'chat_template.jinja' }, access);
  };
  const cached = hubCachePath({ kind: 'models', repository, file: 'tokenizer.json' }, options.env);
  if (existsSync(cached)) {
    await template();
    return { file: cached, problems: [] };
  }
  if (options.download !== true) {
    return { file: undefined, reason: 'downloads are not allowed (--download allows them)', problems: [] };
  }
  const answer = await fetchFromHub({ kind: 'models', repository, file: 'tokenizer.json' }, access);
  if (!answer.ok) return { file: undefined, reason: answer.reason, problems: [] };
  // Only some tokenizers have one; without it the defaults apply.
  await fetchFromHub({ kind: 'models', repository, file: 'tokenizer_config.json' }, access);
  await template();
  return { file: answer.path, problems: [downloaded('The tokenizer', answer, PLACE)] };
}

/**
 * Undefined when the data type names no data set of the hub, or downloads are not allowed. Only its first file is fetched; the place
 * fetches the others when the ones before are used up. Error RUN072 when the hub refuses.
 */
export async function datasetFromHub(type: string, options: StreamOptions): Promise<Result<DatasetPlace | undefined>> {
  const hub = isDatasetType(type) ? DATASETS[type].hub : undefined;
  if (!hub) return { ok: true, value: undefined, problems: [] };
  const { repository, files } = hub;
  if (options.download !== true && !existsSync(cachePath(repository, files[0], options))) {
    return { ok: true, value: undefined, problems: [] };
  }
  const first = await fileOfDataset(repository, files[0], options);
  if (!first.ok) return first;
  const more = async (count: number): Promise<Result<string | undefined>> => {
    const file = files[count];
    return file === undefined ? { ok: true, value: undefined, problems: [] } : fileOfDataset(repository, file, options);
  };
  return { ...first, value: { file: first.value, configured: `${repository}/${files[0]}`, more } };
}

/** A file of a data set by name, as `hf_data_files` has it; undefined without one, or without leave to download. */
export async function arenaFromHub(
  repository: string,
  file: string | undefined,
  options: StreamOptions,
): Promise<Result<string | undefined>> {
  const isAtHand = file !== undefined && existsSync(cachePath(repository, file, options));
  if (file === undefined || file.includes('*') || (options.download !== true && !isAtHand))
    return { ok: true, value: undefined, problems: [] };
  return fileOfDataset(repository, file, options);
}

async function fileOfDataset(repository: string, file: string, options: StreamOptions): Promise<Result<string>> {
  const cached = cachePath(repository, file, options);
  if (existsSync(cached)) return { ok: true, value: cached, problems: [] };
  const refuse = (why: string, remedy: string): Result<string> => {
    const message = `Nothing was sent: the data set is not at hand: ${why}.`;
    return { ok: false, problems: [{ code: 'RUN072', severity: 'error', path: ['data', 'type'], message, remedy }] };
  };
  if (options.download !== true) {
    return refuse(
      `its files before ${file} are used up, and that one was not downloaded`,
      'Send fewer requests, or allow the download with --download.',
    );
  }
  const what = { kind: 'datasets', repository, file } as const;
  const answer = await fetchFromHub(what, { env: options.env, signal: options.stop.noMoreSends });
  return answer.ok
    ? { ok: true, value: answer.path, problems: [downloaded('The data set', answer, ['data', 'type'])] }
    : refuse(answer.reason, 'Set data.path to a copy of it, or HF_ENDPOINT to a mirror.');
}

function cachePath(repository: string, file: string, { env }: StreamOptions): string {
  return hubCachePath({ kind: 'datasets', repository, file }, env);
}

function isDatasetType(type: string): type is DatasetType {
  return (DATASET_TYPES as readonly string[]).includes(type);
}

function downloaded(what: string, { path, url }: { path: string; url: string }, place: readonly string[]): Problem {
  return {
    code: 'RUN073',
    severity: 'information',
    path: place,
    message: `${what} was downloaded from ${url} to ${path}.`,
  };
}
