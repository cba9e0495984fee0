// The comparison as a zod model: for its JSON Schema, and to read a saved comparison back.
import * as z from 'zod';

export const DIMENSION_IDS = [
  'metric-definition',
  'load-model',
  'arrival-process',
  'offered-load',
  'client-limit',
  'warmup-window',
  'steady-state',
  'completeness',
  'input-length',
  'output-length',
  'stop-behaviour',
  'prompt-identity',
  'sampling',
  'token-source',
  'endpoint-mode',
  'cache-state',
  'server',
  'topology',
  'network-path',
  'client-host',
  'sample-size',
  'goodput-definition',
  'telemetry',
] as const;

const dimensionId = z.enum(DIMENSION_IDS);

const metricName = z.enum([
  'ttft',
  'ttfc',
  'tpot',
  'itl',
  'ntpot',
  'request_latency',
  'schedule_delay',
  'requests_per_sec',
  'input_tokens_per_sec',
  'output_tokens_per_sec',
  'total_tokens_per_sec',
  'request_goodput',
  'error_rate',
]);

const statistic = z.enum(['mean', 'p50', 'p90', 'p95', 'p99', 'p99.9', 'value']);

const evidence = z.object({
  file: z.string().meta({ description: 'Name inside the report folder.' }),
  key: z.string().meta({ description: 'Dotted key, or what was computed over the records.' }),
  value: z.string().optional().meta({ description: 'Absent: not recorded.' }),
  reason: z.string().optional().meta({ description: 'Where there is no value: why it is not recorded.' }),
  configPath: z
    .array(z.union([z.string(), z.number()]))
    .optional()
    .meta({ description: 'Place in the run’s config.' }),
});

const findingSide = z.object({ summary: z.string(), evidence: z.array(evidence) });

const finding = z.object({
  dimension: dimensionId,
  title: z.string(),
  question: z.string(),
  state: z.enum(['same', 'follows', 'aligned', 'intended', 'confounds', 'unknown']),
  message: z.string(),
  tolerance: z.string().meta({ description: 'What counts as equal, and why.' }),
  a: findingSide,
  b: findingSide,
  moves: z
    .array(z.object({ metric: metricName, statistics: z.array(statistic).optional() }))
    .meta({ description: 'Metrics it moves when it differs; without statistics, every one.' }),
  stages: z.array(z.int()).optional().meta({ description: 'Indexes into stages; absent: all.' }),
  follows: dimensionId.optional().meta({ description: 'The sides differ here only because of that finding.' }),
  assumed: z.string().optional().meta({
    description: 'With unknown: neither side can record it; what a reader has to believe. Holds up no verdict.',
  }),
  changes: z.array(z.string()).optional().meta({ description: 'The separate things that changed.' }),
  alignable: z
    .object({ possible: z.boolean(), words: z.string() })
    .optional()
    .meta({ description: 'What alignment would do, or which file it needs.' }),
  note: z.string().optional().meta({ description: 'Worth knowing although it confounds nothing.' }),
  pitfall: z.string().optional(),
  remedy: z.string().optional(),
});

const metricSide = z.object({
  value: z.number().optional(),
  missing: z.string().optional().meta({ description: 'Why there is no value.' }),
  n: z.number().nullable().meta({ description: 'Values it rests on; null where that is not recorded.' }),
  nMissing: z.string().optional().meta({ description: 'Why there is no n.' }),
});

const metric = z.object({
  metric: metricName,
  statistic,
  label: z.string(),
  unit: z.string(),
  stage: z.int().meta({ description: 'Index into stages.' }),
  better: z.enum(['lower', 'higher', 'neither']),
  a: metricSide,
  b: metricSide,
  difference: z
    .object({
      absolute: z.number().meta({ description: 'b - a.' }),
      percentOfA: z.number().optional().meta({ description: '(b - a) / a x 100.' }),
      interval: z
        .object({
          low: z.number(),
          high: z.number(),
          percentOfA: z
            .object({ low: z.number(), high: z.number() })
            .optional()
            .meta({ description: 'Of the ratio, resampled together.' }),
          level: z
            .number()
            .meta({ description: 'Above 0.95 where this number is not told from chance among so many.' }),
          method: z.string(),
        })
        .optional()
        .meta({ description: 'Of the absolute difference.' }),
      noInterval: z.string().optional(),
      detected: z.boolean().optional().meta({
        description: 'The interval leaves zero out; what that is worth is the answer.',
      }),
      answer: z
        .object({
          kind: z.enum(['different', 'equivalent', 'inconclusive']),
          reason: z.enum([
            'repeats',
            'beyond-known-noise',
            'within-margin',
            'single-runs',
            'drift',
            'chance',
            'many-numbers',
            'no-interval',
          ]),
          margin: z.string().optional(),
          furtherRuns: z.int().optional().meta({ description: 'Further runs a side that would settle it.' }),
        })
        .meta({ description: 'Different, equivalent within a margin, or inconclusive.' }),
      adjustedP: z.number().optional(),
      detectable: z
        .object({ absolute: z.number(), percentOfA: z.number().optional() })
        .optional()
        .meta({ description: 'Smallest true difference that four of five such experiments would see.' }),
      noise: z
        .object({ absolute: z.number(), percentOfA: z.number().optional() })
        .optional()
        .meta({ description: 'Standard deviation from run to run, from repeats.' }),
      driftPercentPerRun: z.number().optional(),
      paired: z
        .object({
          pairs: z.int(),
          together: z.boolean().meta({ description: 'Whether the interval is of pairs.' }),
          correlation: z.number().optional(),
          apart: z
            .object({ low: z.number(), high: z.number() })
            .optional()
            .meta({ description: 'The interval of two independent samples.' }),
        })
        .optional()
        .meta({ description: 'Requests of both sides are pairs.' }),
      words: z.string(),
    })
    .optional(),
  alignment: z
    .object({
      beforePercentOfA: z.number(),
      afterPercentOfA: z.number(),
      shares: z.array(z.object({ dimension: dimensionId, percentOfA: z.number() })),
      words: z.string(),
    })
    .optional()
    .meta({ description: 'Before and after alignment; the shares add up to the difference of the two.' }),
  verdict: z.enum(['comparable', 'comparable-after-alignment', 'confounded', 'undetermined']),
  because: z.array(dimensionId),
});

const comparedRun = z.object({
  folder: z.string(),
  name: z.string(),
  startedAt: z.string().optional(),
  tool: z.string(),
  endpoint: z.string().optional(),
  model: z.string().optional(),
  load: z.string(),
  state: z.string(),
});

export const comparisonSchema = z.object({
  format: z.literal('isoperf-comparison'),
  version: z.literal(1),
  a: comparedRun,
  b: comparedRun,
  intended: z.array(dimensionId),
  alignment: z
    .array(z.object({ dimension: dimensionId, applied: z.boolean(), words: z.string() }))
    .optional()
    .meta({ description: 'What both sides were recomputed under, in order.' }),
  repeats: z
    .object({
      a: z.array(z.string()),
      b: z.array(z.string()),
      order: z.string(),
      balance: z.enum(['even', 'leaning', 'open']),
    })
    .optional()
    .meta({ description: 'Runs of each side, when one was repeated.' }),
  verdict: z.object({
    state: z.enum(['comparable', 'confounded', 'undetermined']),
    exitCode: z.union([z.literal(0), z.literal(3), z.literal(4)]),
    sentence: z.string(),
  }),
  claim: z.object({ text: z.string().optional(), noClaim: z.string().optional() }),
  findings: z.array(finding).meta({ description: 'Every dimension, worst first.' }),
  stages: z.array(
    z.object({
      a: z.int(),
      b: z.int(),
      label: z.string(),
      differ: z.literal(true).optional().meta({ description: 'Only side by side: the two offered other loads.' }),
    }),
  ),
  unmatched: z.array(z.string()),
  metrics: z.array(metric),
  requests: z
    .array(
      z.object({
        stage: z.int().meta({ description: 'Index into stages.' }),
        pairs: z
          .object({ answered: z.int(), unmatchedA: z.int(), unmatchedB: z.int(), failed: z.int() })
          .optional()
          .meta({ description: 'Answered on both sides, without a counterpart, not answered on both sides.' }),
        reason: z.string().optional().meta({ description: 'Why requests are no pairs.' }),
        differences: z.array(
          z.object({
            metric: metricName,
            label: z.string(),
            unit: z.string(),
            n: z.int(),
            mean: z.number(),
            longerOnB: z.number().meta({ description: 'Share of the pairs, 0 to 1.' }),
            correlation: z.number().optional(),
            at: z
              .array(z.object({ percent: z.number(), difference: z.number() }))
              .meta({ description: 'The distribution of what a request took on B less what it took on A.' }),
          }),
        ),
      }),
    )
    .optional()
    .meta({ description: 'Request by request, where both sides were sent one stream; absent with repeats.' }),
  interpolated: z
    .array(
      z.object({
        label: z.string(),
        measured: z.enum(['A', 'B']).meta({ description: 'The side that measured this load.' }),
        stage: z.int(),
        between: z
          .tuple([z.int(), z.int()])
          .optional()
          .meta({ description: 'Stages of the other side it lies between.' }),
        words: z.string(),
        rows: z.array(
          z.object({
            metric: metricName,
            statistic,
            label: z.string(),
            unit: z.string(),
            a: z.number(),
            b: z.number(),
            percentOfA: z.number().optional(),
            because: z.array(dimensionId),
          }),
        ),
      }),
    )
    .optional()
    .meta({ description: 'Loads that only one side has; outside every verdict, claim and gate.' }),
  answers: z
    .object({
      state: z.enum(['equal', 'different', 'not-comparable']),
      reason: z.enum(['not-kept', 'other-requests', 'sampling']).optional(),
      pairs: z.int().meta({ description: 'Requests that were answered on both sides.' }),
      equal: z.int().optional(),
      otherLength: z.int().optional().meta({ description: 'Of those that differ, with another number of tokens.' }),
      first: z
        .object({ stage: z.int(), a: z.int(), b: z.int() })
        .optional()
        .meta({ description: 'The first that differs: index into stages, and its id on each side.' }),
      words: z.string(),
    })
    .optional()
    .meta({ description: 'Whether both sides gave the same answers; never a reason against comparing.' }),
  notes: z.array(z.string()),
  pitfalls: z
    .array(
      z.object({
        code: z.string(),
        title: z.string(),
        side: z.enum(['A', 'B', 'A and B', 'between']),
        words: z.string(),
        accepted: z.string().optional().meta({ description: 'Whose config accepts it, and why.' }),
      }),
    )
    .meta({ description: 'Pitfalls of the catalogue that are seen, whatever the findings make of them.' }),
});
