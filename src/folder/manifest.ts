// run.json: the manifest of one run. Everything a comparison asks for and inference-perf's own files do not record.
// Written when the run is planned (state "running"), again as stages end, and at the end; a killed run keeps the last one.
import * as z from 'zod';
import { routeFactsSchema } from '../cluster/snapshot-schema';
import { MANIFEST_FORMAT } from './run-files';
import { stackSchema } from './stack';

export { MANIFEST_FILE, MANIFEST_FORMAT, RECORDS_FILE } from './run-files';

export const MANIFEST_VERSION = 1;

const count = z.int().nonnegative();
const seconds = z.number();

/** Mean and quantiles of realised values; `count` is how many there were. */
const distribution = z.object({
  count,
  mean: z.number(),
  stdDev: z.number(),
  min: z.number(),
  p5: z.number(),
  p25: z.number(),
  p50: z.number(),
  p75: z.number(),
  p95: z.number(),
  p99: z.number(),
  max: z.number(),
});
export type Distribution = z.infer<typeof distribution>;

const counts = z.object({ planned: count, ok: count, failed: count, cancelled: count, notSent: count });

const tokenizerIdentity = z.object({
  source: z.string().meta({ description: 'Path of the tokenizer.json that was read.' }),
  sha256: z.string().meta({ description: 'Hash of tokenizer.json.' }),
});

const tokenSource = z.object({
  source: z.enum(['server-usage', 'client-tokenizer', 'server-tokenizer', 'mixed', 'not-counted']).meta({
    description:
      'Who counted. mixed: server usage where it was sent, the client tokenizer elsewhere. server-tokenizer: without usage, the server’s own tokenizer, asked after the run.',
  }),
  tokenizer: tokenizerIdentity.optional(),
  serverCounted: count.meta({ description: 'Successful requests the server reported a count for.' }),
  clientCounted: count.meta({
    description: 'Successful requests counted here: by the client’s tokenizer, or by asking the server’s.',
  }),
  reason: z.string().optional().meta({ description: 'Why this source, in words.' }),
});

const seed = z
  .union([z.int(), z.string().regex(/^-?\d+$/)])
  .meta({ description: 'As text when it has more digits than a double holds.' });

const stage = z.object({
  id: count,
  warmup: z.boolean(),
  loadType: z.string(),
  arrivalLaw: z.string().meta({
    description:
      'The law the arrivals really follow: exponential-gaps-rescaled (inference-perf "constant"), poisson-per-second (its "poisson"), even, burst-all-at-once, burst-groups-of-N, trace, closed-loop.',
  }),
  seed: seed.optional(),
  requestedRateRps: z.number().optional(),
  requestedDurationSeconds: z.number().optional(),
  requestedConcurrency: z.int().optional(),
  planned: count,
  state: z.enum(['planned', 'running', 'complete', 'cancelled']),
  counts: counts.optional(),
  startSeconds: seconds.optional().meta({ description: 'Zero of the stage’s schedule.' }),
  firstSentSeconds: seconds.optional(),
  lastSentSeconds: seconds.optional(),
  endSeconds: seconds.optional().meta({ description: 'Last request’s end.' }),
  achievedRateRps: z.number().optional(),
  gaps: distribution.optional().meta({ description: 'Realised gaps between sends, seconds.' }),
  gapCv: z
    .number()
    .optional()
    .meta({ description: 'Coefficient of variation of the realised gaps: 0 even, 1 Poisson.' }),
  scheduleHash: z.string().optional().meta({ description: 'sha256 of the planned offsets.' }),
  deadline: z.object({ seconds: z.number(), graceSeconds: z.number() }).optional().meta({
    description: 'After so many seconds nothing more was sent; what was in flight got the grace, then was cancelled.',
  }),
});
export type StageManifest = z.infer<typeof stage>;

const stageHealth = z.object({
  stage: count,
  scheduleDelay: distribution.optional().meta({ description: 'sent - scheduled, seconds.' }),
  scheduleDelayGrowth: z.number().optional().meta({ description: 'Slope of the schedule delay over time, s/s.' }),
  eventLoopUse: z.number().optional().meta({ description: 'Event-loop utilization, 0..1.' }),
  eventLoopDelayP99Seconds: z.number().optional(),
  cpuUse: z.number().optional().meta({ description: 'CPU of the engine process, cores.' }),
  workers: z
    .array(z.object({ requests: count, eventLoopUse: z.number(), eventLoopDelayP99Seconds: z.number() }))
    .optional()
    .meta({
      description: 'Threads that sent the stage, when more than one did; eventLoopUse above is the busiest one’s.',
    }),
  maxInFlight: count.optional(),
  inFlightCap: count
    .optional()
    .meta({ description: 'num_workers x worker_max_concurrency, or the concurrency level.' }),
  littlesLaw: z.number().optional().meta({ description: 'requests/s x mean latency: the average number in flight.' }),
  verdict: z.enum(['ok', 'warning', 'client-limited']),
  reasons: z.array(z.string()),
});
export type StageHealth = z.infer<typeof stageHealth>;

const serverMetrics = z.object({
  stage: count.optional().meta({ description: 'Absent for the whole run.' }),
  source: z
    .enum(['scrape', 'prometheus'])
    .meta({ description: 'scrape: differences of the server’s own /metrics; prometheus: inference-perf’s queries.' }),
  url: z.string(),
  startSeconds: seconds,
  endSeconds: seconds,
  scrapes: count.optional(),
  metrics: z
    .record(
      z.string(),
      z.object({
        kind: z.enum(['counter', 'gauge', 'histogram']),
        name: z.string().meta({ description: 'The server’s name for it.' }),
        total: z.number().optional(),
        avg: z.number().optional(),
        perSecond: z.number().optional(),
        count: z.number().optional(),
        mean: z.number().optional(),
        median: z.number().optional(),
        p90: z.number().optional(),
        p99: z.number().optional(),
      }),
    )
    .meta({ description: 'By inference-perf’s key. Units are the server’s: seconds, tokens, shares of 1.' }),
  absent: z
    .array(z.object({ key: z.string(), lookedFor: z.string(), reason: z.string() }))
    .meta({ description: 'What was not found, with the name or query that was tried: not measured, which is not 0.' }),
});
export type ServerMetricsWindow = z.infer<typeof serverMetrics>;

export const manifestSchema = z.object({
  format: z.literal(MANIFEST_FORMAT),
  version: z.literal(MANIFEST_VERSION),
  id: z.string().meta({ description: 'Unique id of the run.' }),
  name: z.string().meta({ description: 'Name of the config file without its extension.' }),
  state: z.enum(['running', 'complete', 'incomplete']),
  stateReason: z.string().optional(),
  tool: z.object({ name: z.literal('isoperf'), version: z.string() }),
  runtime: z.object({
    node: z.string(),
    undici: z.string(),
    platform: z.string(),
    arch: z.string(),
    cpus: count,
    cpuModel: z.string().optional(),
    host: z.string().optional(),
    memoryBytes: z.number().optional(),
    inCluster: z.boolean().optional().meta({ description: 'The client ran inside a Kubernetes pod.' }),
    workers: count.optional().meta({ description: 'Threads that sent; 1 is the engine’s own loop.' }),
    workersReason: z.string().optional().meta({ description: 'Why so many.' }),
  }),
  clock: z.object({
    startedAt: z.string().meta({ description: 'Wall-clock time of the run’s zero, ISO 8601 UTC.' }),
    endedAt: z.string().optional(),
    zeroMonotonicSeconds: z
      .number()
      .meta({ description: 'Monotonic clock at the run’s zero; report times are this plus the record’s time.' }),
    durationSeconds: z.number().optional(),
  }),
  config: z.object({
    file: z.string(),
    sha256: z.string().meta({ description: 'Hash of the config text as read, before --set.' }),
    target: z.string().meta({ description: 'inference-perf version whose rules judged it.' }),
    overrides: z.array(z.string()),
    directives: z.array(
      z.object({ name: z.string(), value: z.string().optional(), path: z.array(z.union([z.string(), z.number()])) }),
    ),
    suppressions: z
      .array(z.object({ codes: z.array(z.string()), reason: z.string() }))
      .optional()
      .meta({ description: 'Pitfalls the config accepts (# isoperf: disable), each with its reason.' }),
    effective: z
      .record(z.string(), z.unknown())
      .meta({ description: 'What ran: defaults and overrides applied, secrets removed.' }),
  }),
  workload: z.object({
    fingerprint: z.string().meta({
      description: 'sha256 over prompt hashes, lengths, parameters and offsets of the measured stages, in order.',
    }),
    promptsHash: z
      .string()
      .meta({ description: 'sha256 over the prompt hashes alone: equal prompts, whatever the schedule.' }),
    warmupFingerprint: z
      .string()
      .optional()
      .meta({ description: 'The same over the warm-up stages; absent when there are none.' }),
    seed: seed.optional(),
    seedSource: z
      .string()
      .optional()
      .meta({ description: 'Where the seed came from: directive, load.base_seed, clock.' }),
    dataType: z.string(),
    lengthUnit: z
      .enum(['tokens', 'words'])
      .optional()
      .meta({ description: 'What prompt lengths were made in: words when no tokenizer was at hand.' }),
    askedPromptTokens: distribution.optional(),
    maxTokens: distribution.optional(),
    distinctPrompts: count,
    parameters: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'What every request body carries beside the prompt, the model and max_tokens.' }),
    sharedPrefixTokens: z.number().optional(),
    media: z
      .object({
        filling: z
          .enum(['solid', 'noise', 'dataset'])
          .meta({ description: 'What pictures hold: one colour, noise, or those of a data set.' }),
        imagesPerRequest: z.number(),
        videosPerRequest: z.number(),
        soundsPerRequest: z.number(),
        bytesPerRequest: z.number().meta({ description: 'Before base64.' }),
        pixelsPerImage: z.number().optional(),
        framesPerVideo: z.number().optional(),
        pixelsPerFrame: z.number().optional(),
        secondsPerSound: z.number().optional(),
      })
      .optional()
      .meta({
        description: 'Images, videos and sounds of the measured requests, as means; absent when there are none.',
      }),
    frozen: z
      .object({ file: z.string(), sha256: z.string() })
      .optional()
      .meta({ description: 'The frozen stream that was sent: equal hashes are equal requests at equal times.' }),
  }),
  sweep: z
    .object({
      type: z.enum(['linear', 'geometric']),
      source: z
        .string()
        .meta({ description: 'probe, the directive sweep-rates, or the run.json the rates were pinned from.' }),
      saturationRps: z.number().optional().meta({ description: 'Completed requests per second while saturated.' }),
      saturationPercentile: z.number().optional(),
      ratesRps: z.array(z.number()),
      probe: z
        .object({
          requests: count,
          answered: count,
          failed: count,
          offeredRps: z.number(),
          maxInFlight: count,
          capReached: z
            .boolean()
            .meta({ description: 'The client’s cap in flight was reached: the rate is that of the cap.' }),
          saturated: z.boolean().meta({ description: 'False when the server kept up: the rate is a lower bound.' }),
          windowSeconds: z.number(),
          workers: count.optional().meta({ description: 'Threads that sent the probe.' }),
          eventLoopUse: z.number().optional().meta({ description: 'Of the busiest of them, 0..1.' }),
        })
        .optional()
        .meta({ description: 'The probe’s requests are in no report.' }),
    })
    .optional()
    .meta({ description: 'Where the rates of a sweep’s stages came from.' }),
  slo: z
    .object({ ttftSeconds: z.number().optional(), tpotSeconds: z.number().optional() })
    .optional()
    .meta({ description: 'Limits sent to the server in SLO headers; goodput is judged by them.' }),
  stages: z.array(stage),
  counts: counts.optional(),
  tokens: z
    .object({
      input: tokenSource,
      output: tokenSource,
      itl: z.enum(['tokens', 'chunks']).meta({ description: 'Whether ITL gaps are between tokens or between chunks.' }),
    })
    .optional(),
  lengths: z
    .object({
      prompt: distribution.optional(),
      output: distribution.optional(),
      finishReasons: z.record(z.string(), count),
    })
    .optional()
    .meta({ description: 'Realised lengths of the successes inside the window, by the token source above.' }),
  answers: z
    .object({
      answered: count,
      models: z.record(z.string(), count).meta({ description: 'Answers by the model they name.' }),
      unnamed: count.optional().meta({ description: 'Answers that name no model.' }),
      withoutFinishReason: count
        .optional()
        .meta({ description: 'Streams that ended with [DONE] and no finish reason.' }),
      cutShort: count.optional().meta({ description: 'Of these, with fewer tokens than asked for under ignore_eos.' }),
      empty: count.optional().meta({ description: 'Answers that ended at once, without a token.' }),
      reasoning: z
        .object({ answers: count, tokens: count, outputTokens: count })
        .optional()
        .meta({ description: 'Reasoning tokens by the server’s count, and all output tokens of those answers.' }),
      retried: z.object({ requests: count, attempts: count }).optional().meta({
        description:
          'Requests that were sent more than once, failed ones included, and their attempts beyond the first.',
      }),
      contentAfterOtherTokens: count
        .optional()
        .meta({ description: 'Answers whose first visible content came after their first token.' }),
    })
    .optional()
    .meta({ description: 'What answered the measured requests.' }),
  files: z
    .record(z.string(), z.object({ sha256: z.string(), bytes: count }))
    .optional()
    .meta({ description: 'What the run’s other files were when it wrote them.' }),
  window: z.object({
    warmupStages: z.array(count),
    warmupRequests: count,
    note: z.string().optional(),
  }),
  health: z.array(stageHealth),
  serverMetrics: z.array(serverMetrics).optional().meta({ description: 'The server’s own view of each stage.' }),
  endpoint: z.object({
    kind: z.enum(['config', 'override', 'simulator']),
    baseUrl: z.string(),
    route: z.string(),
    serverType: z.string(),
    apiType: z.string(),
    streaming: z.boolean(),
    model: z.string(),
    modelSource: z.string(),
    ignoreEos: z.boolean(),
    requestTimeoutSeconds: z.number(),
    server: z
      .object({
        version: z.string().optional(),
        models: z.array(z.string()).optional(),
        maxModelTokens: count.optional().meta({ description: 'max_model_len of the model that was asked for.' }),
        notes: z.array(z.string()),
      })
      .optional()
      .meta({ description: 'What the server said of itself at /version and /v1/models.' }),
    tls: z.boolean(),
    tlsChecks: z
      .enum(['on', 'off'])
      .optional()
      .meta({ description: 'Whether the server’s certificate was checked; off: NODE_TLS_REJECT_UNAUTHORIZED=0.' }),
    proxy: z.string().optional(),
  }),
  route: routeFactsSchema.optional().meta({ description: 'The way into a cluster, when --target was given.' }),
  stack: stackSchema.optional().meta({
    description: 'What served: from stack.yaml beside the config, --stack, or the embedded simulator’s flags.',
  }),
  problems: z.array(z.object({ code: z.string(), severity: z.string(), message: z.string() })),
});

export type RunManifest = z.infer<typeof manifestSchema>;
export type TokenSource = z.infer<typeof tokenSource>;
