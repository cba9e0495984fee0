// A prompt -> a request of the run: the body around it, serialised, hashed and put away once.
import { jsonDigits } from '../figures';
import { bodyMaker, DEFAULT_MAX_TOKENS, hashOf, parameters, ROUTES, turnFrame, type BodyOptions } from './body';
import { BodyStore, type StoredBody } from './body-store';
import type { TurnPlan } from './conversation';
import { textsOf, type Prompt, type PromptContent, type Turn } from './prompts';
import type { LengthUnit } from './text';
import { turnBody, WorkloadRequest } from './workload-request';

export interface MadeRequest {
  readonly request: WorkloadRequest;
  /** Bytes of a body that no request before it had. */
  readonly newBytes: number;
  /** Characters of texts that stay on the heap. */
  readonly heldCharacters: number;
}

/** The same prompts share one body. */
export function requestMaker(
  options: BodyOptions,
  unit: LengthUnit,
): (prompt: Prompt, id: number, stage: number) => MadeRequest {
  const bodies = new Bodies(options);
  const makeTurn = turnMaker(options);
  const { api, streaming } = options;
  return (prompt, id, stage) => {
    const maxTokens = prompt.maxTokens > 0 ? prompt.maxTokens : DEFAULT_MAX_TOKENS;
    const turn = prompt.turn && makeTurn(prompt.turn, maxTokens);
    const { body, bytes, promptHash, isNew } = turn ?? bodies.of(prompt, maxTokens);
    const texts = !turn && isHidden(api, prompt.content) ? textsOf(prompt.content) : undefined;
    const held = turn ? [turn.plan.user.text] : (texts ?? []);
    return {
      newBytes: isNew && body ? bytes : 0,
      heldCharacters: held.reduce((sum, text) => sum + text.length, 0),
      request: new WorkloadRequest(
        {
          id,
          stage,
          api,
          streaming,
          route: ROUTES[api],
          requestBytes: bytes,
          promptHash,
          ...(prompt.asked !== undefined && unit === 'tokens' && !prompt.media
            ? { askedPromptTokens: prompt.asked }
            : {}),
          maxTokens,
          ...(prompt.media ? { media: prompt.media } : {}),
          ...(turn ? { turn: turn.plan, sessionId: `conversation-${turn.plan.conversation}` } : {}),
        },
        body,
        texts,
      ),
    };
  };
}

/** Whether the body does not tell the texts one by one: they are joined there, or megabytes of media stand between them. */
function isHidden(api: BodyOptions['api'], content: PromptContent): boolean {
  if (typeof content === 'string') return false;
  if (content.some((message) => typeof message.content !== 'string')) return true;
  return api === 'completion' || (api === 'anthropic_messages' && content.some(({ role }) => role === 'system'));
}

interface MadeBody {
  /** Absent where it is made of other things that are kept. */
  readonly body: StoredBody | undefined;
  readonly bytes: number;
  readonly promptHash: string;
  readonly isNew: boolean;
}

/** Owns the bodies of a run's prompts. */
class Bodies {
  private readonly store = new BodyStore();
  private readonly make: ReturnType<typeof bodyMaker>;
  /** Prompts that a data type gives again and again are the same objects: noted when they come again. */
  private readonly byPrompt = new WeakMap<Prompt, MadeBody>();
  private readonly byHash = new Map<string, StoredBody>();

  constructor(options: BodyOptions) {
    this.make = bodyMaker(options);
  }

  of(prompt: Prompt, maxTokens: number): MadeBody {
    const before = this.byPrompt.get(prompt);
    if (before) return before;
    const { body: text, bytes, promptHash } = this.make(prompt.content, maxTokens);
    const same = this.byHash.get(promptHash);
    const body = same ?? this.store.put(text, bytes);
    if (!same) this.byHash.set(promptHash, body);
    if (same) this.byPrompt.set(prompt, { body, bytes, promptHash, isNew: false });
    return { body, bytes, promptHash, isNew: same === undefined };
  }
}

/**
 * A turn's planned hash covers what is fixed beforehand: its conversation, its system prompt, its own text and the parameters. What
 * the server will have said before it cannot be part of a plan.
 */
function turnMaker(options: BodyOptions): (turn: Turn, maxTokens: number) => MadeBody & { readonly plan: TurnPlan } {
  const frames = new Map<number, { readonly head: string; readonly tail: string }>();
  const systems = new Map<string, string>();
  return (turn, maxTokens) => {
    const frame = frames.get(maxTokens) ?? turnFrame(options, maxTokens);
    frames.set(maxTokens, frame);
    const system = systems.get(turn.system.text) ?? hashOf(turn.system.text);
    systems.set(turn.system.text, system);
    const { conversation, opens, user } = turn;
    const plan = { ...turn, ...frame };
    const planned = { conversation, opens, system, user: user.text, ...parameters(options, maxTokens) };
    return {
      plan,
      body: undefined,
      bytes: Buffer.byteLength(turnBody(plan)),
      promptHash: hashOf(jsonDigits(planned)),
      isNew: true,
    };
  };
}
