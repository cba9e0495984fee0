// The config's data section -> what datagen takes: files found, traces read, older spellings resolved.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { EffectiveConfig } from '../config/will/runtime';
import type { DrawnLengths } from '../datagen/drawn-lengths';
import type { WorkloadData } from '../datagen/workload';
import type { SavedDirective } from '../folder/write-config';
import type { Problem, Result } from '../problem';
import { readTrace } from './arrival-trace';
import { arenaFromHub, datasetFromHub } from './hub-files';
import { mediaPlans } from './media-plans';
import type { StreamOptions } from './types';

/** @param folders a relative path may start from, in order: the working directory, as upstream, then the config's own folder. */
export async function workloadData(
  config: EffectiveConfig,
  folders: readonly string[],
  options: StreamOptions,
  directives: readonly SavedDirective[],
): Promise<Result<WorkloadData>> {
  const { data } = config;
  const traced = tracedLengths(config, folders);
  if (!traced.ok) return traced;
  // An empty path is none, as Python reads it.
  const file = data.path === null || data.path.trim() === '' ? undefined : data.path;
  const hub = file === undefined ? await datasetFromHub(data.type, options) : undefined;
  if (hub?.ok === false) return hub;
  const arena = data.type === 'visionarena' ? await visionArena(data, folders, options) : undefined;
  if (arena?.ok === false) return arena;
  return {
    ok: true,
    value: {
      type: data.type,
      inputDistribution: data.input_distribution ?? undefined,
      outputDistribution: data.output_distribution ?? undefined,
      sharedPrefix: sharedPrefix(data.shared_prefix),
      conversationReplay: conversationReplay(data.conversation_replay),
      path: file === undefined ? hub?.value : { file: located(file, folders), configured: file },
      corpusFile: data.corpus_file_path === null ? undefined : located(data.corpus_file_path, folders),
      visionArena: arena?.value,
      media: mediaPlans(config, directives),
      traced: traced.value,
    },
    problems: [...traced.problems, ...(hub?.problems ?? []), ...(arena?.problems ?? [])],
  };
}

/** A folder or file of that name wins over the hub, as upstream. */
async function visionArena(
  { visionarena }: EffectiveConfig['data'],
  folders: readonly string[],
  options: StreamOptions,
): Promise<Result<NonNullable<WorkloadData['visionArena']>>> {
  const name = visionarena?.hf_dataset_name ?? 'lmarena-ai/VisionArena-Chat';
  const files = visionarena?.hf_data_files ?? undefined;
  const local = located(name, folders);
  const hub = existsSync(local) ? undefined : await arenaFromHub(name, files, options);
  if (hub?.ok === false) return hub;
  return {
    ok: true,
    value: {
      place: hub ? hub.value : local,
      configured: name,
      files: hub ? undefined : files,
      rows: visionarena?.num_rows ?? 1000,
      mostImages: visionarena?.max_images_per_request ?? 1,
      insertionPoint: visionarena === null ? 0 : visionarena.insertion_point,
    },
    problems: hub?.problems ?? [],
  };
}

/** The first place where the file is; the first place at all when it is nowhere, for the message. */
function located(file: string, folders: readonly string[]): string {
  const places = folders.map((folder) => path.resolve(folder, file));
  return places.find((place) => existsSync(place)) ?? places[0]!;
}

function tracedLengths({ data, load }: EffectiveConfig, folders: readonly string[]): Result<DrawnLengths | undefined> {
  if (data.trace === null || data.type !== 'random') return { ok: true, value: undefined, problems: [] };
  const read = readTrace(data.trace.file, ['data', 'trace', 'file'], folders);
  if (!read.ok) return read;
  const { promptTokens, outputTokens } = read.value.trace;
  const ignored: Problem[] =
    data.input_distribution || data.output_distribution
      ? [
          remark(
            'Lengths come from data.trace; input_distribution and output_distribution are ignored, as in inference-perf.',
          ),
        ]
      : [];
  const counted: Problem[] =
    load.type === 'trace_replay'
      ? []
      : [
          remark(
            `Each stage takes its number of requests from its rate and duration, and lengths from the trace's ${promptTokens.length} rows in order, from the first again when they are used up. inference-perf would send one request for each row, and stop when the stage has fewer.`,
          ),
        ];
  return {
    ok: true,
    value: { inputLengths: Int32Array.from(promptTokens), outputLengths: Int32Array.from(outputTokens) },
    problems: [...read.problems, ...ignored, ...counted],
  };
}

function remark(message: string): Problem {
  return { code: 'RUN064', severity: 'warning', path: ['data', 'trace'], message };
}

function sharedPrefix(prefix: EffectiveConfig['data']['shared_prefix']): WorkloadData['sharedPrefix'] {
  if (!prefix) return undefined;
  return {
    groups: prefix.num_groups,
    promptsPerGroup: prefix.num_prompts_per_group,
    systemPromptLength: prefix.system_prompt_len,
    // The older keys win over a plain number, as upstream.
    questionLength: prefix.question_distribution ?? prefix.question_len,
    outputLength: prefix.output_distribution ?? prefix.output_len,
    multiTurn: prefix.enable_multi_turn_chat,
    seed: prefix.seed,
  };
}

function conversationReplay(
  replay: EffectiveConfig['data']['conversation_replay'],
): WorkloadData['conversationReplay'] {
  if (!replay) return undefined;
  return {
    seed: replay.seed,
    conversations: replay.num_conversations,
    sharedSystemPromptLength: replay.shared_system_prompt_len,
    dynamicSystemPromptLength: replay.dynamic_system_prompt_len ?? undefined,
    turns: replay.turns_per_conversation ?? undefined,
    inputTokens: replay.input_tokens_per_turn ?? undefined,
    outputTokens: replay.output_tokens_per_turn ?? undefined,
    toolLatency: replay.tool_call_latency_sec ?? undefined,
    // 0 counts as not given, as Python reads it.
    maxModelLength: replay.max_model_len || undefined,
  };
}
