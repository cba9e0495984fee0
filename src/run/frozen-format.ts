// The lines of a frozen workload: origin, plan, texts and requests, end. Described for other tools in docs/frozen-workload.md.
import * as z from 'zod';
import type { PromptContent } from '../datagen/prompts';

export const FORMAT = 'isoperf-stream';
export const VERSION = 1;

const count = z.int().nonnegative();
export const originLine = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  tool: z.string(),
  config: z.string(),
  file: z.string(),
  seed: z.union([z.number(), z.string()]),
  tokenizerSha256: z.string().optional(),
});
export const planLine = z.object({
  parameters: z.object({
    api: z.enum(['completion', 'chat', 'anthropic_messages']),
    streaming: z.boolean(),
    ignoreEos: z.boolean(),
    maxCompletionTokens: z.literal(true).optional(),
    greedy: z.literal(true).optional(),
    addSpecialTokens: z.literal(false).optional(),
    responseFormat: z
      .object({ type: z.enum(['json_schema', 'json_object']), name: z.string(), jsonSchema: z.unknown() })
      .optional(),
  }),
  lengthUnit: z.enum(['tokens', 'words']),
  sharedPrefixLength: z.number().optional(),
  stages: z.array(
    z.looseObject({
      id: count,
      count,
      warmup: z.boolean(),
      pacing: z.union([
        z.object({ kind: z.literal('open'), inFlightCap: z.number() }),
        z.object({ kind: z.literal('closed'), concurrency: z.int().positive() }),
      ]),
    }),
  ),
});
const block = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) }),
  z.object({ type: z.literal('input_audio'), input_audio: z.object({ data: z.string(), format: z.literal('wav') }) }),
]);
const picture = { width: z.number(), height: z.number(), bytes: count };
export const textLine = z.object({
  text: count,
  content: z.union([
    z.string(),
    z.array(z.object({ role: z.string(), content: z.union([z.string(), z.array(block)]) })),
  ]),
});
export const requestLine = z.object({
  request: count,
  stage: count,
  atSeconds: z.number().optional(),
  content: count,
  maxTokens: count,
  asked: count.optional(),
  adapter: z.string().optional(),
  media: z
    .object({
      image: z.array(z.object(picture)).optional(),
      video: z.array(z.object({ ...picture, frames: count })).optional(),
      audio: z.array(z.object({ bytes: count, seconds: z.number() })).optional(),
    })
    .optional(),
  turn: z
    .object({
      conversation: count,
      opens: z.boolean(),
      system: count,
      systemTokens: count.optional(),
      userTokens: count.optional(),
      holdSeconds: z.number(),
      budgetTokens: z.number().optional(),
    })
    .optional(),
});
export const endLine = z.object({ end: z.literal(true), requests: count, sha256: z.string() });

export type PlanLine = z.infer<typeof planLine>;
export type RequestLine = z.infer<typeof requestLine>;
export type Content = PromptContent;

/** Key of a mapping that stands for a whole number beyond a double's digits. */
const INTEGER = '$integer';

/** One line of JSON; whole numbers that JSON's readers would round are written as `{"$integer": "digits"}`. */
export function frozenJson(value: unknown): string {
  return JSON.stringify(value, (_key, entry: unknown) =>
    typeof entry === 'bigint' ? { [INTEGER]: String(entry) } : entry,
  );
}

/** The values that `frozenJson` wrote. */
export function withIntegers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withIntegers);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [name, digits] = entries[0] ?? [];
  if (entries.length === 1 && name === INTEGER && /^-?\d+$/.test(String(digits))) return BigInt(String(digits));
  return Object.fromEntries(entries.map(([key, entry]) => [key, withIntegers(entry)]));
}
