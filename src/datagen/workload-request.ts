// One request of a workload: few fields on the heap, its body in a slab, and its texts read back from there when somebody asks.
import type { BodyOptions } from './body';
import type { StoredBody } from './body-store';
import type { RequestMedia } from '../metrics/media';
import type { TurnPlan } from './conversation';

export interface RequestFields {
  readonly id: number;
  readonly stage: number;
  readonly api: BodyOptions['api'];
  readonly streaming: boolean;
  readonly route: string;
  readonly requestBytes: number;
  readonly promptHash: string;
  /** Tokens the workload asked for; absent when lengths are in words or are not fixed. */
  readonly askedPromptTokens?: number;
  readonly maxTokens: number;
  /** LoRA adapter named in the body in place of the model. */
  readonly adapter?: string;
  /** Images, videos and sounds in the body. */
  readonly media?: RequestMedia;
  /** Session the request belongs to, for session headers. */
  readonly sessionId?: string;
  /** Present for a turn of a conversation: body and texts are then what this turn adds, completed when it is sent. */
  readonly turn?: TurnPlan;
}

/**
 * Ready to be sent; the same shape as the client's PreparedRequest, and the bytes of its body. A spread copies all but `body` and
 * `promptTexts`, which are made when they are read.
 */
export class WorkloadRequest implements RequestFields {
  readonly id: number;
  readonly stage: number;
  readonly api: BodyOptions['api'];
  readonly streaming: boolean;
  readonly route: string;
  readonly requestBytes: number;
  readonly promptHash: string;
  readonly askedPromptTokens?: number;
  readonly maxTokens: number;
  readonly adapter?: string;
  readonly media?: RequestMedia;
  readonly sessionId?: string;
  readonly turn?: TurnPlan;
  readonly #body: StoredBody | undefined;
  readonly #texts: readonly string[] | undefined;

  /**
   * @param body absent for turns, whose frames hold it
   * @param texts where the body does not tell them
   */
  constructor(fields: RequestFields, body: StoredBody | undefined, texts?: readonly string[]) {
    this.id = fields.id;
    this.stage = fields.stage;
    this.api = fields.api;
    this.streaming = fields.streaming;
    this.route = fields.route;
    this.requestBytes = fields.requestBytes;
    this.promptHash = fields.promptHash;
    this.maxTokens = fields.maxTokens;
    if (fields.askedPromptTokens !== undefined) this.askedPromptTokens = fields.askedPromptTokens;
    if (fields.adapter !== undefined) this.adapter = fields.adapter;
    if (fields.media !== undefined) this.media = fields.media;
    if (fields.sessionId !== undefined) this.sessionId = fields.sessionId;
    if (fields.turn !== undefined) this.turn = fields.turn;
    this.#body = body;
    this.#texts = texts;
  }

  /** The JSON body in UTF-8. */
  get body(): Buffer {
    return this.#body?.bytes ?? Buffer.from(this.turn ? turnBody(this.turn) : '');
  }

  /** The prompt's texts as a client tokenizer would count them. */
  get promptTexts(): readonly string[] {
    if (this.#texts) return this.#texts;
    if (this.turn) return [this.turn.user.text];
    const { prompt, messages } = JSON.parse(this.body.toString('utf8')) as Sent;
    return messages ? messages.map(({ content }) => content) : [prompt ?? ''];
  }

  /** The same request of an adapter, which its body names. */
  forAdapter(adapter: string, named: NamedBody = {}): WorkloadRequest {
    const { body = this.#body, ...changed } = named;
    return new WorkloadRequest({ ...(this as RequestFields), ...changed, adapter }, body, this.#texts);
  }
}

/** What changes with the model's name in a body. */
export interface NamedBody {
  readonly requestBytes?: number;
  readonly body?: StoredBody;
  readonly turn?: TurnPlan;
}

interface Sent {
  readonly prompt?: string;
  readonly messages?: readonly { readonly content: string }[];
}

/** What this turn alone would send. */
export function turnBody({ head, tail, user }: Pick<TurnPlan, 'head' | 'tail' | 'user'>): string {
  return head + JSON.stringify(user.text).slice(1, -1) + tail;
}
