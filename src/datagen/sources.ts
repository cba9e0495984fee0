// Which data types this engine can send, and the source of prompts of each.
import type { Seed } from '../config/model/lax';
import { DATASET_TYPES, type DatasetType } from './dataset-records';
import { datasetPrompts } from './dataset';
import type { DatasetPlace } from './dataset-files';
import { conversationReplayPrompts, type ConversationReplayData } from './conversation-replay';
import type { DrawInput, DrawnLengths } from './drawn-lengths';
import type { LengthDistribution } from './lengths';
import { mockPrompts } from './mock';
import type { PromptSource } from './prompts';
import { randomPrompts } from './random-prompts';
import type { MediaPlans } from './media/media';
import { withMedia } from './media/with-media';
import { sharedPrefixPrompts, type SharedPrefixData } from './shared-prefix';
import { syntheticPrompts } from './synthetic';
import { tokenTexts, wordTexts } from './text';
import type { Pace } from './pace';
import type { TextTokenizer } from './tokenizer';
import { visionArenaPrompts, type VisionArenaData } from './visionarena';
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
  readonly visionArena?: VisionArenaData | undefined;
  /** Images, videos and sounds beside the text. */
  readonly media?: MediaPlans | undefined;
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
      return withUnitNote(synthetic(input, drawn));
    case 'shared_prefix':
      return withUnitNote(await sharedPrefix(input, texts));
    case 'visionarena':
      return withUnitNote(await visionArena(input));
    case 'conversation_replay':
      return withUnitNote(conversationReplayPrompts({ api, data: data.conversationReplay, texts, tokenizer }));
    default:
      return isDatasetType(data.type) ? withUnitNote(dataset(data.type, input)) : unknownType(data.type);
  }
}

/** With media it is a chat of 30 tokens an answer whatever the distribution says, and 100 are read where no input is given. */
function synthetic({ data, tokenizer, seed, api }: SourceInput, drawn: DrawInput): Result<PromptSource> {
  const { corpusFile, media } = data;
  if (!media) return syntheticPrompts({ ...drawn, tokenizer, corpusFile });
  if (api !== 'chat') return mediaNeedChat();
  const made = syntheticPrompts({
    ...drawn,
    api: 'completion',
    input: drawn.input ?? MEDIA_TEXT,
    output: MEDIA_ANSWER,
    tokenizer,
    corpusFile,
  });
  if (!made.ok) return made;
  // That the length is 0 is no fault of the config's.
  const problems = made.problems.filter(({ code }) => code !== 'RUN023');
  return { ...made, value: withMedia(made.value, media, seed), problems };
}

const FIXED = { type: 'fixed', min: 0, max: 1000, std_dev: 0, skew: 0 } as const;
const MEDIA_TEXT: LengthDistribution = { ...FIXED, mean: 100 };
/** 0 asks for the default. */
const MEDIA_ANSWER: LengthDistribution = { ...FIXED, mean: 0 };

function mediaNeedChat(): Result<never> {
  const problem: Problem = {
    code: 'RUN011',
    severity: 'error',
    path: ['api', 'type'],
    message: 'Nothing was sent: images, videos and sounds travel in chats only.',
    remedy: 'Set api.type to chat.',
  };
  return { ok: false, problems: [problem] };
}

/** With media it goes to the chat route whatever `api.type` says, as upstream. */
async function sharedPrefix(
  { data, api, seed, pace }: SourceInput,
  texts: ReturnType<typeof wordTexts>,
): Promise<Result<PromptSource>> {
  const { sharedPrefix: shared, media } = data;
  const made = await sharedPrefixPrompts({ api: media ? 'completion' : api, data: shared, seed, texts, pace });
  return made.ok && media ? { ...made, value: withMedia(made.value, media, shared?.seed ?? seed) } : made;
}

async function visionArena({ data, api, tokenizer }: SourceInput): Promise<Result<PromptSource>> {
  if (data.visionArena === undefined) return unknownType(data.type);
  return visionArenaPrompts({ api, data: data.visionArena, unit: tokenizer ? 'tokens' : 'words' });
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
