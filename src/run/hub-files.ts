// What a run takes from the Hugging Face hub when the user allowed it (`--download`): the tokenizer, the data set. Always said.
import { existsSync } from 'node:fs';
import { DATASETS, DATASET_TYPES, type DatasetType } from '../datagen/dataset-records';
import { fetchFromHub, hubCachePath } from '../datagen/hub';
import type { Problem, Result } from '../problem';
import type { StreamOptions } from './stream';

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
): Promise<HubTokenizer> {
  const cached = hubCachePath({ kind: 'models', repository, file: 'tokenizer.json' }, options.env);
  if (existsSync(cached)) return { file: cached, problems: [] };
  if (options.download !== true) {
    return { file: undefined, reason: 'downloads are not allowed (--download allows them)', problems: [] };
  }
  const access = { env: options.env, token, signal: options.stop.noMoreSends };
  const answer = await fetchFromHub({ kind: 'models', repository, file: 'tokenizer.json' }, access);
  if (!answer.ok) return { file: undefined, reason: answer.reason, problems: [] };
  // Only some tokenizers have one; without it the defaults apply.
  await fetchFromHub({ kind: 'models', repository, file: 'tokenizer_config.json' }, access);
  return { file: answer.path, problems: [downloaded('The tokenizer', answer, PLACE)] };
}

/** Undefined when the data type names no data set of the hub, or downloads are not allowed. Error RUN072 when the hub refuses. */
export async function datasetFromHub(
  type: string,
  options: StreamOptions,
): Promise<Result<{ readonly file: string; readonly configured: string } | undefined>> {
  const hub = isDatasetType(type) ? DATASETS[type].hub : undefined;
  if (!hub) return { ok: true, value: undefined, problems: [] };
  const { repository, file } = hub;
  const what = { kind: 'datasets', repository, file } as const;
  const configured = `${repository}/${file}`;
  const cached = hubCachePath(what, options.env);
  if (existsSync(cached)) return { ok: true, value: { file: cached, configured }, problems: [] };
  if (options.download !== true) return { ok: true, value: undefined, problems: [] };
  const answer = await fetchFromHub(what, { env: options.env, signal: options.stop.noMoreSends });
  if (answer.ok) {
    const problems = [downloaded('The data set', answer, ['data', 'type'])];
    return { ok: true, value: { file: answer.path, configured }, problems };
  }
  const problem: Problem = {
    code: 'RUN072',
    severity: 'error',
    path: ['data', 'type'],
    message: `Nothing was sent: the data set is not at hand: ${answer.reason}.`,
    remedy: 'Set data.path to a copy of it, or HF_ENDPOINT to a mirror.',
  };
  return { ok: false, problems: [problem] };
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
