// New configs to begin with: each complete, each with what it measures and what it does not, and nothing to fix but the server.

export interface Template {
  readonly name: string;
  /** For the list of templates: one line. */
  readonly measures: string;
  /** What its numbers must not be taken for. */
  readonly leavesOut: string;
  readonly fileName: string;
  readonly text: string;
}

const SERVER = `server:
  type: vllm
  base_url: http://localhost:8000
  model_name: my-model # as the server lists it
  ignore_eos: true # answers run to max_tokens: lengths are the workload's, not the model's
`;

const TOKENIZER = `tokenizer:
  pretrained_model_name_or_path: my-model # of the model: its name on the hub, or a folder
`;

const LIMITS = `  num_workers: 4 # written, or it is the number of CPUs of whatever machine this runs on
  worker_max_concurrency: 200
  request_timeout: 300
`;

const REPORT = `report:
  request_lifecycle:
    per_request: true # keeps every request, so that anything can be computed again
`;

export const TEMPLATES: readonly Template[] = [
  {
    name: 'Latency under rising load',
    measures: 'TTFT, TPOT and latency percentiles at four fixed request rates',
    leavesOut: 'prefix caching (every prompt is new) and the spread of real lengths',
    fileName: 'latency-ladder.yaml',
    text: `# Latency under rising load: an open loop, so a slow server does not slow the arrivals down.
# Measures TTFT, TPOT and latency at each rate. Every prompt is new: it says nothing about prefix caching.
# isoperf: seed=42
load:
  type: poisson
  interval: 10
  base_seed: 42
${LIMITS}  stages:
    - rate: 2 # isoperf: warmup
      duration: 60
    - rate: 2
      duration: 180
    - rate: 4
      duration: 120
    - rate: 8
      duration: 120
    - rate: 16
      duration: 120
api:
  type: completion
  streaming: true
data:
  type: random
  input_distribution: { type: fixed, mean: 1024 }
  output_distribution: { type: fixed, mean: 256 }
${SERVER}${TOKENIZER}${REPORT}`,
  },
  {
    name: 'Highest throughput',
    measures: 'tokens per second with a fixed number of requests always in flight',
    leavesOut: 'latency as users would see it: a closed loop waits for the server',
    fileName: 'throughput.yaml',
    text: `# Highest throughput: a closed loop keeps a number of requests in flight.
# Measures tokens/s at each concurrency. Latencies are those of a queue that never grows: do not quote them as users' latency.
# isoperf: seed=42
load:
  type: concurrent
  interval: 10
  base_seed: 42
  num_workers: 4
  worker_max_concurrency: 0 # not used by concurrent
  request_timeout: 600
  stages:
    - num_requests: 160 # isoperf: warmup
      concurrency_level: 16
    - num_requests: 480
      concurrency_level: 16
    - num_requests: 960
      concurrency_level: 32
    - num_requests: 1920
      concurrency_level: 64
api:
  type: completion
  streaming: true
data:
  type: random
  input_distribution: { type: fixed, mean: 1024 }
  output_distribution: { type: fixed, mean: 256 }
${SERVER}${TOKENIZER}${REPORT}`,
  },
  {
    name: 'Shared prefix',
    measures: 'what the prefix cache gains when many prompts begin alike',
    leavesOut: 'uncached speed; no prompt is sent twice within the measured stage, so only prefixes are reused',
    fileName: 'shared-prefix.yaml',
    text: `# Shared prefix: 20 system prompts, 60 questions each.
# Measures latency with prefix caching. 1,200 prompts and fewer requests in each stage: within a stage no prompt comes twice.
# Reset the server's cache before a run, or the run before warms it. Compare only with the same cache state.
# isoperf: seed=42
# isoperf: disable CMP031 because the warm-up sends the first prompts on purpose: it fills the prefix cache
load:
  type: poisson
  interval: 10
  base_seed: 42
${LIMITS}  stages:
    - rate: 5 # isoperf: warmup
      duration: 60
    - rate: 5
      duration: 200
api:
  type: completion
  streaming: true
data:
  type: shared_prefix
  shared_prefix:
    seed: 42
    num_groups: 20
    num_prompts_per_group: 60
    system_prompt_len: 2048
    question_len: 128
    output_len: 256
${SERVER}${TOKENIZER}${REPORT}`,
  },
  {
    name: 'Lengths as they vary',
    measures: 'latency when short and long prompts share the server, at one rate',
    leavesOut: 'real texts: tokens are random, only their numbers vary',
    fileName: 'mixed-lengths.yaml',
    text: `# Lengths as they vary: many short prompts, few long ones, at one rate.
# Measures latency with batches of mixed lengths. The tokens are random: nothing about caching, nothing about answer quality.
# isoperf: seed=42
load:
  type: poisson
  interval: 10
  base_seed: 42
${LIMITS}  stages:
    - rate: 4 # isoperf: warmup
      duration: 60
    - rate: 4
      duration: 600
api:
  type: completion
  streaming: true
data:
  type: random
  input_distribution: { type: lognormal, mean: 1200, std_dev: 900, min: 32, max: 8192 }
  output_distribution: { type: lognormal, mean: 250, std_dev: 180, min: 8, max: 1500 }
${SERVER}${TOKENIZER}${REPORT}`,
  },
  {
    name: 'Trying out a set-up',
    measures: 'nothing: 60 tiny requests that show whether everything is connected',
    leavesOut: 'everything: its numbers are not to be quoted',
    fileName: 'smoke.yaml',
    text: `# Trying out a set-up: tiny counted prompts, 30 tokens each. Its numbers measure nothing.
# isoperf: seed=42
# isoperf: disable CMP008, CMP012, CMP034 because this only shows whether everything is connected
load:
  type: poisson
  base_seed: 42
  num_workers: 1
  request_timeout: 60
  stages:
    - rate: 2
      duration: 30
api:
  type: completion
  streaming: true
data:
  type: mock
${SERVER}${TOKENIZER}${REPORT}`,
  },
];
