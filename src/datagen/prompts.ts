// What every data type gives: prompts by index within a stage.
import type { RequestMedia } from '../metrics/media';
import type { Problem, Result } from '../problem';
import type { TurnPlan } from './conversation';
import type { StageName } from './random';
import type { LengthUnit } from './text';

/** `role` as the data type writes it; billsum_conversations sends its data set's own words. */
export interface ChatMessage {
  readonly role: string;
  /** Text, or text and media in the order in which they stand. */
  readonly content: string | readonly ContentBlock[];
}

export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | { readonly type: 'input_audio'; readonly input_audio: { readonly data: string; readonly format: 'wav' } };

/** One text, or the messages of a chat. */
export type PromptContent = string | readonly ChatMessage[];

export interface Prompt {
  readonly content: PromptContent;
  /** Tokens to ask for; 0 means inference-perf's default of 30. */
  readonly maxTokens: number;
  /** Wanted length of the prompt in the source's unit; absent when the data type fixes none. */
  readonly asked?: number;
  /** Length that was reached. */
  readonly length?: number;
  /** What `content` holds beside text. Lengths are then those of the text alone. */
  readonly media?: RequestMedia;
  /** Group whose prefix the text begins with, and how long that is; the question follows behind one more character. */
  readonly shared?: { readonly group: number; readonly characters: number };
  /** Present for a turn of a conversation; `content` is then what this turn adds. */
  readonly turn?: Turn;
}

/** A turn before it has a body around it. */
export type Turn = Omit<TurnPlan, 'head' | 'tail'>;

export interface PromptSource {
  readonly unit: LengthUnit;
  /** The endpoint this data type really uses, when it ignores `api.type`. */
  readonly api?: 'completion' | 'chat';
  readonly sharedPrefixLength?: number | undefined;
  /**
   * Prompts of one stage by index from 0, asked for in ascending order, stage after stage. Generated types start at index 0 again in
   * every stage, data sets go on where the stage before stopped, as upstream. A Result without a prompt ends the preparation.
   */
  stage(name: StageName): (index: number) => MadePrompt | Promise<MadePrompt>;
  /** What was noticed while prompts were made, asked for once at the end. */
  readonly remarks?: () => readonly Problem[];
}

export type MadePrompt = Prompt | Extract<Result<never>, { ok: false }>;

/** All texts of a prompt, as a client tokenizer counts them: one for a completion, one for each message of a chat. */
export function textsOf(content: PromptContent): readonly string[] {
  return typeof content === 'string' ? [content] : content.map((message) => textOf(message));
}

/** Text of a message; its media have none. */
export function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
