// How long the requests of a config will be: which distributions its data type draws from, and tokens of one request.
import { realisedOf, type Realised, type Sampler } from './realised';
import type { ConfigPath } from '../../problem';
import type { Config } from '../model/schema';
import type { Distribution } from '../model/schema/distribution';

export interface LengthOfOne {
  /** Of one request, tokens; undefined when data or a trace decides. */
  readonly perRequest: Realised | undefined;
  /** Why there is no figure, or what the figure leaves out. */
  readonly note?: string;
}

export interface DistributionExpectation {
  readonly path: ConfigPath;
  readonly distribution: Distribution;
  readonly realised: Realised;
}

const DEFAULT_MAX_TOKENS = 30;

export interface Lengths {
  readonly input: LengthOfOne;
  readonly output: LengthOfOne;
}

const exactly = (tokens: number): Realised => ({ mean: tokens, spread: 0, atMin: 0, atMax: 0 });
const unknown = (note: string): LengthOfOne => ({ perRequest: undefined, note });
const CAPPED: LengthOfOne = {
  perRequest: exactly(DEFAULT_MAX_TOKENS),
  note: `capped at ${DEFAULT_MAX_TOKENS}: this data type sets no length on this route, so the client's default max_tokens applies`,
};

/** Input and output tokens of one request by data type (reference inference-perf.md, 2.1 and 2.4). Output: as asked for by max_tokens. */
export function lengthsOf(config: Config): Lengths {
  const { data, api } = config;
  switch (data.type) {
    case 'mock':
      return { input: unknown('a few tokens: a counted prompt'), output: CAPPED };
    case 'random':
    case 'synthetic':
      return sampledLengths(config);
    case 'shared_prefix':
      return sharedPrefixLengths(config);
    case 'conversation_replay':
      return conversationLengths(config);
    case 'otel_trace_replay':
    case 'weka_trace_replay':
      return { input: unknown('as recorded in the traces'), output: unknown('as recorded in the traces') };
    case 'synthetic_agentic':
      return { input: unknown('growing with every turn and tool call'), output: unknown('drawn for each turn') };
    case 'visionarena':
      return { input: unknown('questions and images of the data set'), output: CAPPED };
    case 'cnn_dailymail':
      return {
        input: unknown('articles of the data set'),
        output: unknown('as long as the highlights of each article'),
      };
    case 'shareGPT':
    case 'billsum_conversations':
    case 'infinity_instruct': {
      const text = api.type === 'completion' ? 'the first question of each record' : 'the whole conversation';
      const output = api.type === 'completion' ? unknown('as long as the recorded answer') : CAPPED;
      return { input: unknown(`${text}, as long as the data has it`), output };
    }
  }
}

function sampledLengths({ data }: Config): Lengths {
  if (data.trace) return { input: unknown('the rows of data.trace'), output: unknown('the rows of data.trace') };
  const of = (value: Distribution | null): LengthOfOne =>
    value ? { perRequest: realisedOf(value, 'presampled') } : unknown('no distribution is given');
  if (data.multimodal) {
    const text = of(data.input_distribution);
    return { input: { ...text, note: 'text only; media come on top' }, output: CAPPED };
  }
  return { input: of(data.input_distribution), output: of(data.output_distribution) };
}

/** Of independent parts, one after the other. */
function together(parts: readonly Realised[]): Realised {
  const mean = parts.reduce((sum, part) => sum + part.mean, 0);
  const variance = parts.reduce((sum, part) => sum + part.spread ** 2, 0);
  return { mean, spread: Math.sqrt(variance), atMin: 0, atMax: 0 };
}

function sharedPrefixLengths({ data }: Config): Lengths {
  const shared = data.shared_prefix;
  if (!shared)
    return { input: unknown('there is no shared_prefix block'), output: unknown('there is no shared_prefix block') };
  const question = realisedOf(shared.question_distribution ?? shared.question_len, 'sampled');
  const input = together([realisedOf(shared.system_prompt_len, 'sampled'), question]);
  const output = { perRequest: realisedOf(shared.output_distribution ?? shared.output_len, 'sampled') };
  if (shared.enable_multi_turn_chat) return { input: unknown('grows with the conversation, round by round'), output };
  const media = shared.multimodal ?? data.multimodal;
  return { input: { perRequest: input, ...(media ? { note: 'text only; media come on top' } : {}) }, output };
}

const TURNS = 10;
const TURN_INPUT = 512;
const TURN_OUTPUT = 256;

/** Request i is round floor(i / N) of slot i mod N; a turn's prompt is system, history and user text. History is taken as generated. */
function conversationLengths({ data, load }: Config): Lengths {
  const block = data.conversation_replay;
  if (!block)
    return {
      input: unknown('there is no conversation_replay block'),
      output: unknown('there is no conversation_replay block'),
    };
  const user = realisedOf(block.input_tokens_per_turn ?? TURN_INPUT, 'sampled');
  const answer = realisedOf(block.output_tokens_per_turn ?? TURN_OUTPUT, 'sampled');
  const own = block.dynamic_system_prompt_len ? realisedOf(block.dynamic_system_prompt_len, 'sampled').mean : 0;
  const turns = Math.max(1, Math.round(realisedOf(block.turns_per_conversation ?? TURNS, 'sampled').mean));
  let [requests, tokens] = [0, 0];
  const stages = load.type === 'concurrent' ? load.stages.map((stage) => stage.num_requests) : plannedRequests(load);
  for (const count of stages) {
    const rounds = Math.ceil(count / block.num_conversations);
    for (let round = 0; round < Math.min(rounds, 100_000); round += 1) {
      const sent = Math.min(block.num_conversations, count - round * block.num_conversations);
      const turn = round % turns;
      requests += sent;
      tokens += sent * (block.shared_system_prompt_len + own + user.mean * (turn + 1) + answer.mean * turn);
    }
  }
  const input = requests === 0 ? undefined : Math.min(tokens / requests, (block.max_model_len ?? 225_000) - 230);
  const note =
    'an estimate: every conversation is taken to have the mean number of turns and to get the answers it asks for';
  return {
    input: input === undefined ? unknown(note) : { perRequest: exactly(input), note },
    output: { perRequest: answer },
  };
}

function plannedRequests(load: Config['load']): readonly number[] {
  if (load.type !== 'constant' && load.type !== 'poisson') return [];
  return load.stages.map((stage) => Math.floor(stage.rate * stage.duration));
}

/** The distributions a run really draws from, each with what it realises. */
export function distributionsOf({ data }: Config): readonly DistributionExpectation[] {
  const found: DistributionExpectation[] = [];
  const add = (path: ConfigPath, value: unknown, sampler: Sampler): void => {
    if (typeof value !== 'object' || value === null) return;
    const distribution = value as Distribution;
    found.push({ path, distribution, realised: realisedOf(distribution, sampler) });
  };
  const sampled = (data.type === 'random' || data.type === 'synthetic') && data.trace === null;
  if (sampled) add(['data', 'input_distribution'], data.input_distribution, 'presampled');
  if (sampled && data.multimodal === null) add(['data', 'output_distribution'], data.output_distribution, 'presampled');
  if (data.type === 'shared_prefix' && data.shared_prefix) {
    const block = data.shared_prefix;
    for (const key of ['system_prompt_len', 'question_len', 'output_len'] as const)
      add(['data', 'shared_prefix', key], block[key], 'sampled');
    for (const key of ['question_distribution', 'output_distribution'] as const)
      add(['data', 'shared_prefix', key], block[key], 'sampled');
  }
  if (data.type === 'conversation_replay' && data.conversation_replay) {
    const block = data.conversation_replay;
    for (const key of [
      'dynamic_system_prompt_len',
      'turns_per_conversation',
      'input_tokens_per_turn',
      'output_tokens_per_turn',
      'tool_call_latency_sec',
    ] as const)
      add(['data', 'conversation_replay', key], block[key], 'sampled');
  }
  return found;
}
