// Where a field may be missing without making its dimension unknown: what decides instead. Everything else must be unknown.
import type { DimensionId } from '../../../src/comparability/comparison';

type Entry = readonly [dimension: DimensionId, fields: RegExp, because: string];

/** A key that is not there is a setting that was not made, wherever what should hold it was recorded. */
export const NOT_SET_IS_A_VALUE: readonly Entry[] = [
  ['goodput-definition', /^manifest\.config\.effective\.report(?:\.goodput|$)/, 'no limits'],
  ['sampling', /^manifest\.workload\.parameters\./, 'the parameter was not sent'],
  ['server', /^(?:manifest\.)?stack\.env\./, 'the variable was not set'],
  [
    'token-source',
    /^report\.(?:benchmark_time_seconds|successes\.request_size_bytes)$|^manifest$/,
    'which version of which tool wrote a folder is told by its keys, and versions count differently',
  ],
  ['metric-definition', /^manifest$/, 'without run.json the folder reads as inference-perf’s'],
];

const BESIDE = 'shown as evidence beside what decides';
const CONFIG = 'what the run recorded of itself decides, not its config';
const MANIFEST = 'the manifest’s own count or law';
const HEALTH = 'the engine’s own verdict on the client';
const OTHER = 'the rest of the stack record, word by word';
const REPORT = 'the report of the stage';
const ELSEWHERE = 'read with the stack record; another dimension asks for it';
const EFFECTIVE = String.raw`^manifest\.config(?:$|\.effective(?:$|\.`;
const config = (section: string): RegExp => new RegExp(`${EFFECTIVE}${section}(?:\\.|$)))`);

export const DECIDED_ELSEWHERE: readonly Entry[] = [
  ['metric-definition', config('report'), BESIDE],
  ['metric-definition', /^manifest$/, 'what is recomputed from requests'],
  ['load-model', config('load'), CONFIG],
  ['load-model', /^manifest(?:\.stages(?:\[\]\.loadType)?)?$/, 'the report writes a rate, so the loop is open'],
  ['arrival-process', config('load'), CONFIG],
  ['arrival-process', /^manifest\.stages\[\]\.(?:seed|scheduleHash|gaps)/, 'the gaps as they were scheduled'],
  ['arrival-process', /^records(?:$|\[\]\.(?:outcome|scheduledSeconds))/, MANIFEST],
  ['offered-load', config('load'), CONFIG],
  ['offered-load', /^manifest(?:$|\.stages(?:$|\[\]\.(?:achievedRateRps|loadType)))/, REPORT],
  ['offered-load', /^records(?:$|\[\]\.(?:outcome|scheduledSeconds))/, MANIFEST],
  ['client-limit', /^manifest\.health\[\]\.(?:eventLoopUse|inFlightCap)$/, HEALTH],
  ['client-limit', /^(?:records|report)/, HEALTH],
  ['completeness', /^(?:records|report|report\.load_summary|report\.load_summary\.count)$/, MANIFEST],
  ['input-length', config('data'), 'the realised lengths'],
  ['input-length', /^records\[\]\.usage/, 'the client’s count'],
  ['input-length', /^records\[\]\.(?:clientPromptTokens|askedPromptTokens)$/, 'the server’s count'],
  ['input-length', /^manifest(?:$|\.tokens|\.lengths|\.workload\.askedPromptTokens)/, REPORT],
  ['input-length', /^records$/, MANIFEST],
  ['output-length', config('data'), 'the realised lengths'],
  ['output-length', /^records\[\]\.usage/, 'the client’s count'],
  ['output-length', /^records\[\]\.(?:clientOutputTokens|maxTokens)$/, 'the server’s count'],
  ['output-length', /^manifest(?:$|\.tokens|\.lengths|\.workload\.maxTokens)/, REPORT],
  ['output-length', /^records$/, MANIFEST],
  [
    'stop-behaviour',
    /^records(?:$|\[\]\.finishReason$)/,
    'the count against max_tokens, or the manifest’s finish reasons',
  ],
  ['stop-behaviour', /^manifest\.answers/, 'the manifest’s finish reasons, with those that were not reported'],
  ['prompt-identity', /^manifest\.workload\.seed$/, 'how often prompts repeat'],
  ['prompt-identity', /^records(?:$|\[\]\.promptHash$)/, MANIFEST],
  ['sampling', /^manifest\.workload\.parameters\./, 'the other parameters; one that is not there was not sent'],
  ['token-source', /^records/, 'who counted is in the manifest; requests only tell chunks from tokens'],
  ['token-source', /^manifest\.tokens\.output\.tokenizer/, 'the server counted: no tokenizer was asked'],
  [
    'cache-state',
    /^(?:records|manifest(?:\.(?:clock|workload|stack|stages|window|endpoint).*)?|stack.*)$/,
    'the server’s count of cached tokens',
  ],
  ['cache-state', /^records\[\]\.(?:outcome|usage)/, 'the report sums it up'],
  ['server', /^manifest\.endpoint\.server\.models$/, BESIDE],
  ['server', /^manifest\.answers/, 'what was asked for and what served are recorded beside it, and equal'],
  ['server', /^manifest\.endpoint\.server(?:\.version)?$/, OTHER],
  ['server', /^(?:manifest\.)?stack\.(?:model|revision|quantization|engine|engineVersion|image|env|other)/, OTHER],
  ['server', /^(?:manifest\.)?stack\.(?:accelerator|replicas|parallelism|route|source)$/, ELSEWHERE],
  ['topology', /^(?:manifest\.)?stack\.parallelism$/, 'the flags, which would say it'],
  ['topology', /^(?:manifest\.)?stack\.(?!accelerator|replicas|parallelism)/, ELSEWHERE],
  ['network-path', /^manifest\.stack(?:\.route)?$/, 'scheme, address, proxy and place of the client'],
  ['network-path', /^records\[\]\.usage/, 'the client’s count'],
  ['network-path', /^records(?:$|\[\]\.(?:chunkSeconds|outcome))/, 'no request is left on either side: the addresses'],
  ['client-host', config('load'), BESIDE],
  [
    'client-host',
    /^manifest\.runtime\.(?:cpuModel|host|memoryBytes)$/,
    'on neither side: the other facts of the machine',
  ],
  ['sample-size', /^(?:records|manifest(?:\.stages(?:\[\]\.(?:planned|counts))?)?)$/, REPORT],
  ['goodput-definition', /^manifest\.config\.effective\.report(?:\.goodput|$)/, 'on neither side: no limits'],
  [
    'steady-state',
    /^records\[\]\.(?:firstTokenSeconds|lastTokenSeconds|chunkSeconds|outcome)/,
    'latency and how many were under way, or no request is left on either side',
  ],
  ['warmup-window', /^records\[\]\.(?:firstTokenSeconds|outcome)/, 'latency, or no request is left on either side'],
];

/** Fields that are the difference themselves: without them on both sides nothing that is left differs. */
export const DIFFERENCE_WAS_THERE: readonly Entry[] = [
  ['sampling', /^manifest\.workload\.parameters\.temperature$/, 'a parameter that is not there was not sent'],
  ['server', /^manifest\.stack\.image$/, 'engine, version and flags are recorded beside it, and equal'],
  [
    'client-host',
    /^manifest\.runtime\.cpuModel$/,
    'the name of the host and its size are recorded beside it, and equal',
  ],
  [
    'goodput-definition',
    /^manifest\.config\.effective\.report\.goodput\.constraints\.ttft$/,
    'no limit on either side',
  ],
];
