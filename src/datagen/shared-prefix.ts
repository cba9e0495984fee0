// data.type shared_prefix: groups of prompts that begin alike, made once and repeated, or conversations of several turns (2.2 B and 2.4).
import type { Seed } from '../config/model/lax';
import type { Problem, Result } from '../problem';
import type { TextPart } from './conversation';
import { sampledLength, sampledRefusal, type LengthDistribution } from './lengths';
import type { Pace } from './pace';
import type { Prompt, PromptSource } from './prompts';
import { integerBelow, shuffle, stream, type Rng } from './random';
import { STOPPED_EARLY } from './stopped';
import type { TextMaker } from './text';

/** A length as the config gives it: one number, or a distribution. */
export type LengthChoice = number | LengthDistribution;

export interface SharedPrefixData {
  readonly groups: number;
  readonly promptsPerGroup: number;
  readonly systemPromptLength: LengthChoice;
  readonly questionLength: LengthChoice;
  readonly outputLength: LengthChoice;
  /** `enable_multi_turn_chat`: every prompt begins a conversation of its own. */
  readonly multiTurn?: boolean;
  /** `data.shared_prefix.seed`; null is "unseeded" upstream, where IsoPerf takes the run's seed. */
  readonly seed: Seed | null;
}

export interface SharedPrefixInput {
  readonly api: 'completion' | 'chat';
  readonly data: SharedPrefixData | undefined;
  readonly seed: Seed;
  readonly texts: TextMaker;
  readonly pace: Pace;
}

/**
 * All prompts are made once and shuffled (of very many only those that are sent); request i of every stage takes prompt i mod (groups x prompts per group), so that later
 * stages repeat them word for word, as upstream. Text goes to /v1/completions whatever `api.type` says, as upstream.
 */
export async function sharedPrefixPrompts({
  api,
  data,
  seed,
  texts,
  pace,
}: SharedPrefixInput): Promise<Result<PromptSource>> {
  if (!data) return refuse(['data', 'shared_prefix'], 'Nothing was sent: data type shared_prefix needs its block.');
  if (data.groups < 1 || data.promptsPerGroup < 1) {
    return refuse(
      ['data', 'shared_prefix'],
      `Nothing was sent: ${data.groups} groups of ${data.promptsPerGroup} prompts are no prompts at all.`,
    );
  }
  for (const [key, choice] of [
    ['system_prompt_len', data.systemPromptLength],
    ['question_len', data.questionLength],
    ['output_len', data.outputLength],
  ] as const) {
    const refusal = typeof choice === 'number' ? undefined : sampledRefusal(choice);
    if (refusal !== undefined) return refuse(['data', 'shared_prefix', key], `Nothing was sent: ${refusal}.`);
  }
  const own = data.seed ?? seed;
  const problems = [...(api === 'chat' ? [CHAT_IGNORED] : []), ...(data.multiTurn === true ? [MULTI_TURN] : [])];
  if (data.groups * data.promptsPerGroup > MOST_MADE_BEFOREHAND && data.multiTurn !== true)
    return { ok: true, value: madeOnDemand(data, texts, own), problems };
  const made = await makePrompts(data, texts, stream(own, 'shared-prefix'), pace);
  if (made === undefined) return STOPPED_EARLY;
  const negative = made.prompts.find((prompt) => prompt.maxTokens < 0);
  if (negative) return negativeLength(negative.maxTokens);
  return {
    ok: true,
    value: {
      unit: texts.unit,
      api: 'completion',
      sharedPrefixLength: made.meanPrefixLength,
      stage: () => (data.multiTurn === true ? conversations(made.prompts, data, texts, own) : repeated(made.prompts)),
    },
    problems,
  };
}

function negativeLength(tokens: number): Extract<Result<never>, { ok: false }> {
  return refuse(
    ['data', 'shared_prefix', 'output_len'],
    `Nothing was sent: output_len gives an output length of ${tokens}.`,
  );
}

/** More prompts than this are a way to say "never repeat": of 100,000 some hundred are sent, and making all takes half an hour. */
const MOST_MADE_BEFOREHAND = 10_000;

/**
 * Prompts that are made when they are asked for. Each has a stream of its own, and so has the order: which are sent depends on
 * nothing but the seed, and a prompt is the same however many are sent.
 */
function madeOnDemand(data: SharedPrefixData, texts: TextMaker, seed: Seed): PromptSource {
  const total = data.groups * data.promptsPerGroup;
  const prefixes = new Map<number, { text: string; length: number }>();
  const prefixOf = (group: number): { text: string; length: number } => {
    const known = prefixes.get(group);
    if (known) return known;
    const rng = stream(seed, 'shared-prefix-group', group);
    const length = Math.max(0, draw(data.systemPromptLength, rng));
    const made = length > texts.specialTokens ? texts.make(length, rng) : { text: '', length: 0 };
    prefixes.set(group, made);
    return made;
  };
  const order = ascendingShuffle(stream(seed, 'shared-prefix-order'), total);
  const prompts: Prompt[] = [];
  const next = (): Prompt | Extract<Result<never>, { ok: false }> => {
    const place = order();
    const group = Math.floor(place / data.promptsPerGroup);
    const prefix = prefixOf(group);
    const rng = stream(seed, 'shared-prefix-prompt', place);
    const asked = askedLength(prefix.length, Math.max(1, draw(data.questionLength, rng)), texts);
    const { text, length } = texts.extend(prefix.text, asked, rng);
    const maxTokens = draw(data.outputLength, rng);
    const shared = { group, characters: prefix.text.length };
    return maxTokens < 0 ? negativeLength(maxTokens) : { content: text, length, asked, maxTokens, shared };
  };
  return {
    unit: texts.unit,
    api: 'completion',
    /** Of the prefixes that were made. */
    get sharedPrefixLength() {
      const lengths = [...prefixes.values()].map(({ length }) => length);
      return lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
    },
    stage: () => (index) => {
      const at = index % total;
      while (prompts.length <= at) {
        const prompt = next();
        if ('ok' in prompt) return prompt;
        prompts.push(prompt);
      }
      return prompts[at]!;
    },
  };
}

/** Upstream counts the special tokens in both lengths; the prompt they make has them once. */
function askedLength(prefix: number, question: number, { specialTokens }: TextMaker): number {
  return prefix + question - (prefix > 0 ? specialTokens : 0);
}

/** The numbers below `count` in random order, one a call (Fisher and Yates from the front, of which only what moved is kept). */
function ascendingShuffle(rng: Rng, count: number): () => number {
  const moved = new Map<number, number>();
  let place = 0;
  return () => {
    const other = place + integerBelow(rng, count - place);
    const taken = moved.get(other) ?? other;
    moved.set(other, moved.get(place) ?? place);
    moved.delete(place);
    place += 1;
    return taken;
  };
}

const CHAT_IGNORED: Problem = {
  code: 'CMP043',
  severity: 'warning',
  path: ['api', 'type'],
  message:
    'Requests go to /v1/completions although api.type is chat: shared_prefix ignores it in inference-perf, and so here, so that the numbers stay comparable.',
  remedy: 'Set api.type to completion: it says what really happens.',
};

const MULTI_TURN: Problem = {
  code: 'RUN062',
  severity: 'warning',
  path: ['data', 'shared_prefix', 'enable_multi_turn_chat'],
  message:
    'Each conversation begins with its shared prefix and a question, and every further turn adds a new question after the answer. inference-perf sends the same question again in every turn, with the prefix in front of it each time, so its prompts grow faster and repeat themselves.',
  remedy: 'Compare multi-turn runs with runs of the same tool only.',
};

interface PrefixedPrompt {
  readonly group: number;
  readonly prefix: TextPart;
  /** Prefix and question. */
  readonly text: string;
  readonly length: number;
  readonly asked: number;
  readonly maxTokens: number;
}

/** The same objects again and again, so that nothing is made of them twice. */
function repeated(prefixed: readonly PrefixedPrompt[]): (index: number) => Prompt {
  const prompts = prefixed.map(({ group, prefix, text, length, asked, maxTokens }) => ({
    content: text,
    length,
    asked,
    maxTokens,
    shared: { group, characters: prefix.text.length },
  }));
  return (index) => prompts[index % prompts.length]!;
}

/**
 * Request i is user i mod users in round i div users, as upstream. A later round's question and answer length are drawn anew from a
 * stream of the user and the round.
 */
function conversations(
  prompts: readonly PrefixedPrompt[],
  data: SharedPrefixData,
  texts: TextMaker,
  seed: Seed,
): (index: number) => Prompt {
  const counted = texts.unit === 'tokens';
  const said = new Map<number, number>();
  return (index) => {
    const user = index % prompts.length;
    const round = Math.floor(index / prompts.length);
    const first = prompts[user]!;
    const rng = stream(seed, 'shared-prefix-turn', user, round);
    const question =
      round === 0
        ? { text: first.text.slice(first.prefix.text.length).trimStart(), length: first.length - first.prefix.tokens! }
        : texts.make(Math.max(1, draw(data.questionLength, rng)) + texts.specialTokens, rng);
    const tokens = question.length - texts.specialTokens;
    const maxTokens = round === 0 ? first.maxTokens : Math.max(0, draw(data.outputLength, rng));
    const before = said.get(user) ?? first.prefix.tokens!;
    said.set(user, before + tokens + maxTokens);
    return {
      content: question.text,
      maxTokens,
      // With answers as long as asked for; shorter ones make the next prompt shorter.
      ...(counted ? { asked: before + tokens + texts.specialTokens } : {}),
      turn: {
        conversation: user,
        opens: round === 0,
        system: counted ? first.prefix : { text: first.prefix.text },
        user: counted ? { text: question.text, tokens } : { text: question.text },
        holdSeconds: 0,
      },
    };
  };
}

/** Undefined when it was stopped. */
async function makePrompts(
  data: SharedPrefixData,
  texts: TextMaker,
  rng: Rng,
  pace: Pace,
): Promise<{ prompts: readonly PrefixedPrompt[]; meanPrefixLength: number } | undefined> {
  const total = data.groups * data.promptsPerGroup;
  const prompts: PrefixedPrompt[] = [];
  let prefixTotal = 0;
  for (let group = 0; group < data.groups; group++) {
    const prefixLength = Math.max(0, draw(data.systemPromptLength, rng));
    const prefix = prefixLength > texts.specialTokens ? texts.make(prefixLength, rng) : { text: '', length: 0 };
    prefixTotal += prefix.length;
    for (let member = 0; member < data.promptsPerGroup; member++) {
      const questionLength = Math.max(1, draw(data.questionLength, rng));
      const asked = askedLength(prefix.length, questionLength, texts);
      const { text, length } = texts.extend(prefix.text, asked, rng);
      const own = { text: prefix.text, tokens: Math.max(0, prefix.length - texts.specialTokens) };
      prompts.push({ group, prefix: own, text, length, asked, maxTokens: draw(data.outputLength, rng) });
      if (pace.isDue && !(await pace.rest(prompts.length, total))) return undefined;
    }
  }
  shuffle(rng, prompts);
  return { prompts, meanPrefixLength: prefixTotal / data.groups };
}

function draw(choice: LengthChoice, rng: Rng): number {
  return typeof choice === 'number' ? choice : sampledLength(choice, rng);
}

function refuse(path: Problem['path'], message: string): Extract<Result<never>, { ok: false }> {
  return { ok: false, problems: [{ code: 'RUN013', severity: 'error', path, message }] };
}
