// What every data type gives: prompts by index within a stage.
import type { StageName } from './random';
import type { LengthUnit } from './text';

export interface Prompt {
  readonly text: string;
  /** Tokens to ask for; 0 means inference-perf's default of 30. */
  readonly maxTokens: number;
  /** Wanted length of the prompt in the source's unit; absent when the data type fixes none. */
  readonly asked?: number;
  /** Length that was reached. */
  readonly length?: number;
}

export interface PromptSource {
  readonly unit: LengthUnit;
  /** The endpoint this data type really uses, when it ignores `api.type`. */
  readonly api?: 'completion' | 'chat';
  readonly sharedPrefixLength?: number;
  /** Prompts of one stage by index from 0, asked for in ascending order. Every stage starts at index 0 again, as upstream. */
  stage(name: StageName): (index: number) => Prompt;
}
