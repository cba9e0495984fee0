// data.type conversation_replay: generated conversations, each slot one after the other, turn after turn (reference 2.4).
import type { Seed } from '../config/model/lax';
import type { Problem, Result } from '../problem';
import type { TextPart } from './conversation';
import { sampledLength, sampledRefusal, type LengthDistribution } from './lengths';
import type { Prompt, PromptSource } from './prompts';
import { stageStream, stream, type Rng } from './random';
import type { TextMaker } from './text';
import type { TextTokenizer } from './tokenizer';

export interface ConversationReplayData {
  readonly seed: Seed;
  readonly conversations: number;
  readonly sharedSystemPromptLength: number;
  readonly dynamicSystemPromptLength: LengthDistribution | undefined;
  readonly turns: LengthDistribution | undefined;
  readonly inputTokens: LengthDistribution | undefined;
  readonly outputTokens: LengthDistribution | undefined;
  /** Whole seconds, as upstream's sampler gives them. */
  readonly toolLatency: LengthDistribution | undefined;
  readonly maxModelLength: number | undefined;
}

export interface ConversationReplayInput {
  readonly api: 'completion' | 'chat';
  readonly data: ConversationReplayData | undefined;
  readonly texts: TextMaker;
  readonly tokenizer: TextTokenizer | undefined;
}

/** inference-perf's fallbacks where the config gives no distribution, and its reserve inside the context length. */
const DEFAULTS = { turns: 10, inputTokens: 512, outputTokens: 256, maxModelLength: 225_000 } as const;
export const PROMPT_RESERVE_TOKENS = 200;

const KEYS = [
  ['dynamic_system_prompt_len', 'dynamicSystemPromptLength'],
  ['turns_per_conversation', 'turns'],
  ['input_tokens_per_turn', 'inputTokens'],
  ['output_tokens_per_turn', 'outputTokens'],
  ['tool_call_latency_sec', 'toolLatency'],
] as const;

export function conversationReplayPrompts(input: ConversationReplayInput): Result<PromptSource> {
  const { api, data, texts } = input;
  if (api === 'chat') {
    return refuse(
      'RUN011',
      ['api', 'type'],
      'Nothing was sent: data type conversation_replay sends completions only, so inference-perf refuses it with api.type chat.',
      'Set api.type to completion.',
    );
  }
  if (!data) return refuse('RUN013', PLACE, 'Nothing was sent: data type conversation_replay needs its block.');
  for (const [key, field] of KEYS) {
    const distribution = data[field];
    const refusal = distribution && sampledRefusal(distribution);
    if (refusal) return refuse('RUN013', [...PLACE, key], `Nothing was sent: ${refusal}.`);
  }
  const room = contextProblem(data);
  if (room) return room;
  const blueprints = new Blueprints(input, data);
  return {
    ok: true,
    value: {
      unit: texts.unit,
      sharedPrefixLength: data.sharedSystemPromptLength,
      stage: (name) => {
        const shared = blueprints.part(
          data.sharedSystemPromptLength,
          stageStream(data.seed, 'conversation-shared', name),
        );
        const planned = new Map<number, number>();
        return (index) => turnOf(index, shared, planned, blueprints, data);
      },
    },
    problems: [...(input.tokenizer ? [EXACT_LENGTHS] : []), ...remarks(data)],
  };
}

const PLACE = ['data', 'conversation_replay'] as const;

/** Upstream 0.7 refuses this at start; before it, prompts went out empty. */
function contextProblem(data: ConversationReplayData): ReturnType<typeof refuse> | undefined {
  const { outputTokens } = data;
  const ceiling =
    outputTokens === undefined
      ? DEFAULTS.outputTokens
      : outputTokens.type === 'fixed'
        ? Math.trunc(outputTokens.mean)
        : outputTokens.max;
  const context = data.maxModelLength ?? DEFAULTS.maxModelLength;
  if (ceiling + PROMPT_RESERVE_TOKENS < context) return undefined;
  return refuse(
    'RUN013',
    [...PLACE, 'max_model_len'],
    `Nothing was sent: answers of up to ${ceiling} tokens and the reserve of ${PROMPT_RESERVE_TOKENS} leave no room for a prompt in max_model_len ${context}.`,
    'Lower output_tokens_per_turn or raise max_model_len.',
  );
}

/** Reference 2.4: upstream decodes random ids and never looks how many tokens the text has. */
const EXACT_LENGTHS: Problem = {
  code: 'RUN065',
  severity: 'warning',
  path: [...PLACE],
  message:
    'Prompts have the lengths that the config asks for, counted with the tokenizer. inference-perf decodes as many random ids and does not count again: with a byte-pair tokenizer its prompts are some percent to a tenth longer, by how much depends on the tokenizer.',
  remedy: 'Compare runs of conversation_replay with runs of the same tool only, or go by the realised prompt lengths.',
};

function remarks(data: ConversationReplayData): Problem[] {
  if (!data.toolLatency) return [];
  return [
    {
      code: 'RUN063',
      severity: 'warning',
      path: [...PLACE, 'tool_call_latency_sec'],
      message:
        'A request ends with its answer; the simulated tool time comes after it and holds the slot. inference-perf takes the end after the tool time, so its request_latency, NTPOT and throughput include it and these do not; TTFT, TPOT and ITL agree.',
      remedy: 'Compare TTFT, TPOT and ITL with inference-perf, or leave tool_call_latency_sec out on both sides.',
    },
  ];
}

interface BlueprintTurn {
  readonly user: TextPart;
  readonly maxTokens: number;
  readonly holdSeconds: number;
}

/** Owns the conversations' texts, made when first asked for: each depends on seed, slot and turn alone. */
class Blueprints {
  private readonly known = new Map<number, { turns: number; dynamic: TextPart; made: BlueprintTurn[]; lengths: Rng }>();

  constructor(
    private readonly input: ConversationReplayInput,
    private readonly data: ConversationReplayData,
  ) {}

  /** Text of `length` tokens or words; special tokens are not counted, because it is a part of a prompt. */
  part(length: number, rng: Rng): TextPart {
    if (length <= 0) return { text: '', tokens: 0 };
    const { texts, tokenizer } = this.input;
    const made = texts.make(length + texts.specialTokens, rng);
    return tokenizer ? { text: made.text, tokens: made.length - texts.specialTokens } : { text: made.text };
  }

  slot(slot: number): { readonly turns: number; readonly dynamic: TextPart } {
    let blueprint = this.known.get(slot);
    if (!blueprint) {
      const { data } = this;
      const lengths = stream(data.seed, 'conversation-lengths', slot);
      const turns = Math.max(1, data.turns ? sampledLength(data.turns, lengths) : DEFAULTS.turns);
      const dynamicLength = data.dynamicSystemPromptLength ? sampledLength(data.dynamicSystemPromptLength, lengths) : 0;
      const dynamic = this.part(dynamicLength, stream(data.seed, 'conversation-system', slot));
      this.known.set(slot, (blueprint = { turns, dynamic, made: [], lengths }));
    }
    return blueprint;
  }

  /** Asked for in ascending order of turns. */
  turn(slot: number, turn: number): BlueprintTurn {
    this.slot(slot);
    const blueprint = this.known.get(slot)!;
    const { data } = this;
    while (blueprint.made.length <= turn) {
      const { lengths, made } = blueprint;
      const length = data.inputTokens ? sampledLength(data.inputTokens, lengths) : DEFAULTS.inputTokens;
      const maxTokens = data.outputTokens ? sampledLength(data.outputTokens, lengths) : DEFAULTS.outputTokens;
      const holdSeconds = data.toolLatency ? Math.max(0, sampledLength(data.toolLatency, lengths)) : 0;
      const user = this.part(Math.max(1, length), stream(data.seed, 'conversation-user', slot, made.length));
      made.push({ user, maxTokens: Math.max(0, maxTokens), holdSeconds });
    }
    return blueprint.made[turn]!;
  }

  /** System prompt and user text cut to the budget, as upstream cuts them when no history is left. */
  fitted(system: TextPart, user: TextPart, budgetTokens: number): { system: TextPart; user: TextPart } {
    const { tokenizer } = this.input;
    if (!tokenizer || (system.tokens ?? 0) + (user.tokens ?? 0) <= budgetTokens) return { system, user };
    const cut = ({ text }: TextPart, tokens: number): TextPart => {
      const kept = tokenizer.decode(tokenizer.encode(text).slice(0, tokens));
      return { text: kept, tokens: tokenizer.count(kept) };
    };
    const left = budgetTokens - (user.tokens ?? 0);
    if (left > 0) return { system: cut(system, left), user };
    return { system: { text: '', tokens: 0 }, user: cut(user, budgetTokens) };
  }

  get specialTokens(): number {
    return this.input.texts.specialTokens;
  }

  get countsTokens(): boolean {
    return this.input.tokenizer !== undefined;
  }
}

/** Request i is slot i mod N in round i div N; a slot whose turns are used up begins its conversation anew, as upstream. */
function turnOf(
  index: number,
  shared: TextPart,
  planned: Map<number, number>,
  blueprints: Blueprints,
  data: ConversationReplayData,
): Prompt {
  const slot = index % data.conversations;
  const round = Math.floor(index / data.conversations);
  const { turns, dynamic } = blueprints.slot(slot);
  const turn = round % turns;
  const { user, maxTokens, holdSeconds } = blueprints.turn(slot, turn);
  const context = data.maxModelLength ?? DEFAULTS.maxModelLength;
  const budget = Math.max(1, context - maxTokens - PROMPT_RESERVE_TOKENS - blueprints.specialTokens);
  const fitted = blueprints.fitted(joined(shared, dynamic), user, budget);
  const opens = turn === 0;
  const history = opens ? 0 : (planned.get(slot) ?? 0);
  const own = (fitted.system.tokens ?? 0) + (fitted.user.tokens ?? 0);
  planned.set(slot, history + (fitted.user.tokens ?? 0) + maxTokens);
  return {
    content: fitted.user.text,
    maxTokens,
    // With answers as long as asked for; shorter ones make the next prompt shorter.
    ...(blueprints.countsTokens ? { asked: Math.min(own + history, budget) + blueprints.specialTokens } : {}),
    turn: {
      conversation: slot,
      opens,
      ...fitted,
      holdSeconds,
      ...(blueprints.countsTokens ? { budgetTokens: budget } : {}),
    },
  };
}

function joined(first: TextPart, second: TextPart): TextPart {
  if (second.text === '') return first;
  if (first.text === '') return second;
  const text = `${first.text} ${second.text}`;
  return first.tokens === undefined || second.tokens === undefined
    ? { text }
    : { text, tokens: first.tokens + second.tokens };
}

function refuse(
  code: string,
  path: Problem['path'],
  message: string,
  remedy?: string,
): Extract<Result<never>, { ok: false }> {
  return { ok: false, problems: [{ code, severity: 'error', path, message, ...(remedy ? { remedy } : {}) }] };
}
