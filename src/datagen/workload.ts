// A config's data section -> every request of the run, prepared before the clock starts.
import { getHeapStatistics } from 'node:v8';
import type { Problem, Result } from '../problem';
import {
  bodyMaker,
  DEFAULT_MAX_TOKENS,
  hashOf,
  parameters,
  ROUTES,
  turnFrame,
  type BodyOptions,
  type SerialisedBody,
} from './body';
import type { TurnPlan } from './conversation';
import { textsOf, type Prompt, type PromptContent, type Turn } from './prompts';
import type { StageName } from './random';
import { promptSource, type WorkloadData } from './sources';
import type { LengthUnit } from './text';
import type { TextTokenizer } from './tokenizer';

/** One request, ready to be sent; the same shape as the client's PreparedRequest, and the bytes of its body. */
export interface WorkloadRequest {
  readonly id: number;
  readonly stage: number;
  readonly api: BodyOptions['api'];
  readonly streaming: boolean;
  readonly route: string;
  readonly body: string;
  readonly requestBytes: number;
  readonly promptHash: string;
  /** Tokens the workload asked for; absent when lengths are in words or are not fixed. */
  readonly askedPromptTokens?: number;
  readonly maxTokens: number;
  /** LoRA adapter named in the body in place of the model. */
  readonly adapter?: string;
  /** Session the request belongs to, for session headers. */
  readonly sessionId?: string;
  readonly promptTexts: readonly string[];
  /** Present for a turn of a conversation: body and texts are then what this turn adds, completed when it is sent. */
  readonly turn?: TurnPlan;
}

export interface WorkloadInput {
  readonly data: WorkloadData;
  readonly body: BodyOptions;
  /** `server.type: mock` asks for 3 tokens where a real server is asked for 30. */
  readonly isMockServer: boolean;
  readonly seed: number;
  readonly tokenizer?: TextTokenizer | undefined;
  readonly stages: readonly { readonly name: StageName; readonly count: number }[];
  /** Called now and then, so that a long preparation can be shown. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Asked now and then; true ends the preparation with problem RUN017. */
  readonly isStopped?: () => boolean;
}

export interface Workload {
  /** By stage, in the order they will be sent. */
  readonly stages: readonly (readonly WorkloadRequest[])[];
  readonly api: BodyOptions['api'];
  readonly lengthUnit: LengthUnit;
  /** Mean length of the shared prefixes, in `lengthUnit`. */
  readonly sharedPrefixLength?: number;
}

/** Milliseconds of preparation between two chances for signals and timers to run. */
const SLICE_MS = 40;
/** Part of the heap that prepared requests may fill: records and answers need the rest. */
const HEAP_SHARE = 0.6;

/**
 * Prepares the whole request stream. Errors: the data type cannot be sent as the config asks, or its distributions cannot be drawn
 * from (codes RUN01x, with their config path). Warnings: lengths in words, lengths that could not be reached.
 */
export async function prepareWorkload(input: WorkloadInput): Promise<Result<Workload>> {
  const made = promptSource({
    ...input,
    // Prompts of the Messages API are those of a chat.
    api: input.body.api === 'completion' ? 'completion' : 'chat',
    largestStage: Math.max(0, ...input.stages.map((stage) => stage.count)),
  });
  if (!made.ok) return made;
  const source = made.value;
  const api = source.api ?? input.body.api;
  const maker = requestMaker({ ...input.body, api }, source.unit);
  const total = input.stages.reduce((sum, stage) => sum + stage.count, 0);
  const stages: WorkloadRequest[][] = [];
  const misses = new Misses();
  let id = 0;
  let characters = 0;
  const limit = getHeapStatistics().heap_size_limit * HEAP_SHARE;
  let sliceStart = performance.now();
  for (const [stage, { name, count }] of input.stages.entries()) {
    const prompts = source.stage(name);
    const requests: WorkloadRequest[] = [];
    for (let index = 0; index < count; index++) {
      const drawn = prompts(index);
      const prompt = drawn instanceof Promise ? await drawn : drawn;
      if ('ok' in prompt) return prompt;
      if (prompt.asked !== undefined && prompt.length !== undefined) misses.note(prompt.asked, prompt.length);
      const { request, newCharacters } = maker(prompt, id, stage);
      characters += newCharacters;
      if (characters > limit)
        return refuse(
          'RUN018',
          tooLarge(id, total, characters),
          'Send fewer or shorter prompts, or start Node with a larger heap (NODE_OPTIONS=--max-old-space-size=8192).',
        );
      requests.push(request);
      id++;
      if (performance.now() - sliceStart > SLICE_MS) {
        input.onProgress?.(id, total);
        await new Promise((resolve) => setImmediate(resolve));
        if (input.isStopped?.() === true) return refuse('RUN017', STOPPED);
        sliceStart = performance.now();
      }
    }
    stages.push(requests);
  }
  return {
    ok: true,
    value: {
      stages,
      api,
      lengthUnit: source.unit,
      ...(source.sharedPrefixLength !== undefined ? { sharedPrefixLength: source.sharedPrefixLength } : {}),
    },
    problems: [...made.problems, ...misses.problems(source.unit), ...(source.remarks?.() ?? [])],
  };
}

/** Puts the body around a prompt. The same prompts share one body, so only new characters count against the memory. */
export function requestMaker(
  options: BodyOptions,
  unit: LengthUnit,
): (
  prompt: Prompt,
  id: number,
  stage: number,
) => { readonly request: WorkloadRequest; readonly newCharacters: number } {
  const makeBody = cached(bodyMaker(options));
  const makeTurn = turnMaker(options);
  const { api, streaming } = options;
  return (prompt, id, stage) => {
    const maxTokens = prompt.maxTokens > 0 ? prompt.maxTokens : DEFAULT_MAX_TOKENS;
    const turn = prompt.turn && makeTurn(prompt.turn, maxTokens);
    const made = turn?.body ?? makeBody(prompt.content, maxTokens);
    const { body, bytes, promptHash, isNew } = made;
    const promptTexts = textsOf(prompt.content);
    return {
      newCharacters: isNew ? body.length + promptTexts.reduce((sum, text) => sum + text.length, 0) : 0,
      request: {
        id,
        stage,
        api,
        streaming,
        route: ROUTES[api],
        body,
        requestBytes: bytes,
        promptHash,
        ...(prompt.asked !== undefined && unit === 'tokens' ? { askedPromptTokens: prompt.asked } : {}),
        maxTokens,
        promptTexts,
        ...(turn ? { turn: turn.plan, sessionId: `conversation-${turn.plan.conversation}` } : {}),
      },
    };
  };
}

interface FramedTurn {
  readonly plan: TurnPlan;
  readonly body: SerialisedBody & { readonly isNew: boolean };
}

/**
 * A turn's planned hash covers what is fixed beforehand: its conversation, its system prompt, its own text and the parameters. What
 * the server will have said before it cannot be part of a plan.
 */
function turnMaker(options: BodyOptions): (turn: Turn, maxTokens: number) => FramedTurn {
  const frames = new Map<number, { readonly head: string; readonly tail: string }>();
  const systems = new Map<string, string>();
  return (turn, maxTokens) => {
    const frame = frames.get(maxTokens) ?? turnFrame(options, maxTokens);
    frames.set(maxTokens, frame);
    const system = systems.get(turn.system.text) ?? hashOf(turn.system.text);
    systems.set(turn.system.text, system);
    const { conversation, opens, user } = turn;
    const body = frame.head + JSON.stringify(user.text).slice(1, -1) + frame.tail;
    const planned = { conversation, opens, system, user: user.text, ...parameters(options, maxTokens) };
    return {
      plan: { ...turn, ...frame },
      body: { body, bytes: Buffer.byteLength(body), promptHash: hashOf(JSON.stringify(planned)), isNew: true },
    };
  };
}

function refuse(code: string, message: string, remedy?: string): Result<never> {
  const problem: Problem = { code, severity: 'error', path: ['data'], message, ...(remedy ? { remedy } : {}) };
  return { ok: false, problems: [problem] };
}

export type { WorkloadData } from './sources';

export const STOPPED = 'Nothing was sent: the run was stopped before it began.';

function tooLarge(made: number, total: number, characters: number): string {
  const megabytes = Math.round(characters / 1e6).toLocaleString('en-US');
  return `Nothing was sent: ${made + 1} of ${total} prompts already take ${megabytes} MB of memory, and all are prepared before the clock starts.`;
}

/** Bodies repeat where prompts repeat (shared_prefix wraps around): keep one string for each, as long as they are few. */
function cached(
  make: (content: PromptContent, maxTokens: number) => SerialisedBody,
): (content: PromptContent, maxTokens: number) => SerialisedBody & { readonly isNew: boolean } {
  const known = new Map<string, SerialisedBody>();
  return (prompt, maxTokens) => {
    const key = `${maxTokens} ${typeof prompt === 'string' ? prompt : JSON.stringify(prompt)}`;
    const before = known.get(key);
    if (before) return { ...before, isNew: false };
    const body = make(prompt, maxTokens);
    if (known.size < 20_000) known.set(key, body);
    return { ...body, isNew: true };
  };
}

/** Counts prompts whose wanted length has no text of exactly that many tokens. */
class Misses {
  private count = 0;
  private widest = 0;

  note(asked: number, length: number): void {
    if (asked === length) return;
    this.count++;
    this.widest = Math.max(this.widest, Math.abs(asked - length));
  }

  problems(unit: LengthUnit): Problem[] {
    if (this.count === 0) return [];
    return [
      {
        code: 'RUN021',
        severity: 'warning',
        path: ['data'],
        message: `${this.count} prompts do not have exactly the asked number of ${unit}; the nearest length was taken, at most ${this.widest} off. inference-perf would have dropped these requests.`,
      },
    ];
  }
}
