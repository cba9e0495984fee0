// Which data types this engine can send, and the source of prompts of each.
import type { Seed } from '../config/model/lax';
import { DATASET_TYPES, type DatasetType } from './dataset-records';
import { datasetPrompts } from './dataset';
import type { DatasetPlace } from './dataset-files';
import { conversationReplayPrompts, type ConversationReplayData } from './conversation-replay';
import type { DrawnLengths } from './drawn-lengths';
import type { LengthDistribution } from './lengths';
import { mockPrompts } from './mock';
import type { PromptSource } from './prompts';
import { randomPrompts } from './random-prompts';
import { sharedPrefixPrompts, type SharedPrefixData } from './shared-prefix';
import { syntheticPrompts } from './synthetic';
import { tokenTexts, wordTexts } from './text';
import type { Pace } from './pace';
import type { TextTokenizer } from './tokenizer';
import type { Problem, Result } from '../problem';

/** The part of the config that decides what is sent (inference-perf's `data`); paths are absolute. */
export interface WorkloadData {
  readonly type: string;
  readonly inputDistribution?: LengthDistribution | undefined;
  readonly outputDistribution?: LengthDistribution | undefined;
  readonly sharedPrefix?: SharedPrefixData | undefined;
  readonly conversationReplay?: ConversationReplayData | undefined;
  /** `data.path`, or what was fetched in its place. */
  readonly path?: DatasetPlace | undefined;
  readonly corpusFile?: string | undefined;
  /** Lengths of `data.trace`, row by row. */
  readonly traced?: DrawnLengths | undefined;
}

export interface SourceInput {
  readonly data: WorkloadData;
  readonly api: 'completion' | 'chat';
  /** `server.type: mock` asks for 3 tokens where a real server is asked for 30. */
  readonly isMockServer: boolean;
  readonly seed: Seed;
  readonly tokenizer?: TextTokenizer | undefined;
  /** Requests of the largest stage. */
  readonly largestStage: number;
  /** For what is made before the first prompt is asked for. */
  readonly pace: Pace;
}

/** Errors: the data type cannot be sent as the config asks (codes RUN010 to RUN014 and RUN05x, with their config path). */
export async function promptSource(input: SourceInput): Promise<Result<PromptSource>> {
  const { data, api, seed, tokenizer, largestStage: count } = input;
  const { inputDistribution, outputDistribution } = data;
  const texts = tokenizer ? tokenTexts(tokenizer) : wordTexts();
  const drawn = { api, input: inputDistribution, output: outputDistribution, count, seed };
  switch (data.type) {
    case 'mock':
      return { ok: true, value: mockPrompts(api, input.isMockServer), problems: [] };
    case 'random':
      return withUnitNote(randomPrompts({ ...drawn, texts, traced: data.traced }));
    case 'synthetic':
      return withUnitNote(syntheticPrompts({ ...drawn, tokenizer, corpusFile: data.corpusFile }));
    case 'shared_prefix':
      return withUnitNote(await sharedPrefixPrompts({ api, data: data.sharedPrefix, seed, texts, pace: input.pace }));
    case 'conversation_replay':
      return withUnitNote(conversationReplayPrompts({ api, data: data.conversationReplay, texts, tokenizer }));
    default:
      return isDatasetType(data.type) ? withUnitNote(dataset(data.type, input)) : unknownType(data.type);
  }
}

function isDatasetType(type: string): type is DatasetType {
  return (DATASET_TYPES as readonly string[]).includes(type);
}

function dataset(type: DatasetType, { data, api, tokenizer }: SourceInput): Result<PromptSource> {
  return datasetPrompts({
    type,
    api,
    place: data.path,
    input: data.inputDistribution,
    output: data.outputDistribution,
    unit: tokenizer ? 'tokens' : 'words',
    // Special tokens count, as upstream counts prompts and reference answers (reference 2.1).
    measure: (text) =>
      tokenizer
        ? tokenizer.count(text) + tokenizer.specialTokens
        : text.split(/\s+/).filter((word) => word !== '').length,
  });
}

function unknownType(type: string): Result<never> {
  const problem: Problem = {
    code: 'RUN010',
    severity: 'error',
    path: ['data', 'type'],
    message: `Nothing was sent: data type '${type}' cannot be run by this engine yet; mock, random, synthetic, shared_prefix, conversation_replay, ${DATASET_TYPES.join(', ')} can.`,
    remedy: 'Use one of these types, or run this config with inference-perf.',
  };
  return { ok: false, problems: [problem] };
}

function withUnitNote(made: Result<PromptSource>): Result<PromptSource> {
  if (!made.ok || made.value.unit === 'tokens') return made;
  const note: Problem = {
    code: 'RUN020',
    severity: 'warning',
    path: ['tokenizer'],
    message:
      'Prompt lengths are in words, because no tokenizer is at hand: the server decides how many tokens they are, and its count is what reports show.',
    remedy: 'Set tokenizer.pretrained_model_name_or_path to a folder with the model’s tokenizer.json.',
  };
  return { ...made, problems: [...made.problems, note] };
}
