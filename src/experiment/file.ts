// experiment.yaml as a model: its keys, what each means, and what none of them may say. The rules between keys are in read.ts.
import * as z from 'zod';
import { INTENDABLE } from '../comparability/intendable';

export const FORMAT = 'experiment/1';

export const ORDERS = ['abba', 'balanced-random', 'a-then-b'] as const;
export const STREAMS = ['new-per-block', 'new-per-slot', 'same'] as const;
export const CACHES = ['salt', 'reset', 'restart', 'keep'] as const;

const positive = z.number().positive();
const count = z.int().nonnegative();
const either = <T extends z.ZodType>(one: T) => z.union([one, z.array(one).min(1)]);
const bound = z.union([z.string(), z.number()]);

const side = z.strictObject({
  config: z.string().min(1).meta({ description: 'A config.yaml, relative to this file.' }),
  set: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'Values put over the config’s, by path: {server.base_url: http://a:8000}. No secrets.' }),
  endpoint: z.string().optional().meta({ description: 'Short for set: {server.base_url: ...}.' }),
  simulator: z
    .string()
    .optional()
    .meta({ description: 'Flags of isoperf simulate: a simulator of its own serves every slot of this side.' }),
  stack: z.string().optional().meta({ description: 'What serves: a stack.yaml, a manifest or arguments.' }),
  before: z.string().optional().meta({
    description:
      'A command run before every slot of this side; it must exit with 0. ISOPERF_SIDE and ISOPERF_SLOT are set.',
  }),
});

/** Strict: a key that is misspelt is an error, not an experiment that means something else. */
export const experimentSchema = z.strictObject({
  isoperf: z.literal(FORMAT).meta({ description: 'The format of this file.' }),
  question: z.string().min(1).meta({ description: 'What you want to know, in one sentence.' }),
  change: z
    .strictObject({
      dimension: z.enum(INTENDABLE).meta({ description: 'Where sides may differ; elsewhere nothing may.' }),
      key: either(z.string()).optional().meta({
        description: 'The flag or key of the stack that changes; two of them must both be named.',
      }),
    })
    .optional()
    .meta({ description: 'The one change under test. Left out: A against A, and nothing may differ.' }),
  sides: z.strictObject({ a: side, b: side }).meta({ description: 'What is compared.' }),
  design: z
    .strictObject({
      order: z.enum(ORDERS).optional().meta({
        description:
          'abba (default): a block is A B B A, so that a steady drift cancels. balanced-random: A B B A or B A A B by chance.',
      }),
      reason: z.string().min(1).optional().meta({
        description: 'Why a design is wanted that leaves something open (order: a-then-b, cache: keep).',
      }),
      blocks: count.optional().meta({ description: 'Of four slots each; default 4.' }),
      discard: count
        .optional()
        .meta({ description: 'Slots in front that warm everything up and count nowhere; default 1 a side.' }),
      seed: count.optional().meta({ description: 'From which every block draws its stream; default 1.' }),
      workload: z.enum(STREAMS).optional().meta({
        description: 'new-per-block (default): the slots of a block send one stream, the next block another.',
      }),
      cache: z.enum(CACHES).optional().meta({
        description:
          'How a slot is kept from finding an earlier one’s prompts in the prefix cache: salt (default; vLLM), reset (a call), restart (before: does it), keep.',
      }),
      reset: z.string().optional().meta({
        description:
          'Path of the reset call, under the address; default /reset_prefix_cache (vLLM); SGLang has /flush_cache.',
      }),
      cooldown: z
        .strictObject({ seconds: z.number().nonnegative().optional(), until: z.enum(['idle', 'time']).optional() })
        .optional()
        .meta({
          description:
            'Between slots: until /metrics says nothing runs or waits, at most so many seconds (20); or the time.',
        }),
      health: z
        .strictObject({ lag_p99_ms: positive.optional(), failures_percent: z.number().nonnegative().optional() })
        .optional()
        .meta({ description: 'A slot beyond is void and its block is repeated at the end; default 10 ms, 1 %.' }),
    })
    .optional()
    .meta({ description: 'How the slots are laid out.' }),
  primary: either(z.string()).optional().meta({
    description: 'The metrics the answer is about, corrected for their number: [ttft.p95, output_tokens_per_sec].',
  }),
  margin: z
    .record(z.string(), bound)
    .optional()
    .meta({ description: 'Differences inside do not matter: {ttft.p95: 5%}.' }),
  stop: z
    .strictObject({
      looks: z.array(count).min(1).optional().meta({
        description:
          'After how many blocks the answer is looked at; alpha is split between them. The last is the number of blocks.',
      }),
      width: z.record(z.string(), bound).optional().meta({
        description: 'Stein’s two stages: after the pilot the number of blocks is fixed for this half width.',
      }),
      pilot: count.optional().meta({ description: 'Blocks of the pilot; default 4.' }),
      most: count.optional().meta({ description: 'Most blocks of the second stage; default 12.' }),
      alpha: positive.max(0.5).optional().meta({ description: 'Share of false alarms; default 0.05.' }),
    })
    .optional()
    .meta({ description: 'When to stop; fixed before the first slot.' }),
  calibrate: z
    .strictObject({ aa: count.meta({ description: 'Blocks of A against A first.' }) })
    .optional()
    .meta({ description: 'The noise of this setting, and whether it shows a difference where there is none.' }),
  budget: z
    .strictObject({ minutes: positive })
    .optional()
    .meta({ description: 'No block is begun that would not end within it.' }),
  curve: z
    .strictObject({
      rates: z.array(positive).min(2).optional(),
      concurrency: z.array(z.int().positive()).min(2).optional(),
      seconds: positive.optional().meta({ description: 'Of each rate; default 30.' }),
      requests: z.int().positive().optional().meta({ description: 'Of each concurrency; default 20 times the level.' }),
    })
    .optional()
    .meta({
      description:
        'The same loads on both sides, as stages of every slot; latency against load and throughput against interactivity.',
    }),
});

export type ExperimentFile = z.infer<typeof experimentSchema>;
export type SideFile = ExperimentFile['sides']['a'];
export type SideName = 'a' | 'b';
