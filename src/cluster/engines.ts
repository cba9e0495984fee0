// The serving engines: how each is started, which flags and variables are its own, where it listens and when it is ready.
import type { EngineName } from './types';

interface Engine {
  readonly name: EngineName;
  /** What starts it, in a command line of words joined by blanks; the match is the evidence. */
  readonly start?: RegExp;
  /** Its images. None is evidence alone. */
  readonly image?: RegExp;
  /** Flags that few others have, as `flagsOf` names them. Two of them show the engine whatever the command is called. */
  readonly flags: readonly string[];
  /** Variables that are its own. */
  readonly env?: RegExp;
  readonly port: number;
  readonly ready: readonly string[];
  /** Started so, it answers a frontend or a leader alone. */
  readonly silent?: RegExp;
  /** Flags and variables that name the model, and the name it is asked by. */
  readonly model: readonly string[];
  readonly served?: readonly string[];
  readonly modelEnv?: readonly string[];
  readonly portEnv?: readonly string[];
}

const words = (text: string): string[] => text.split(' ');
const OPENAI = ['/health', '/v1/models'];
const PYTHON = '(?:^|\\s)-m ';

/** An engine before the ones that it looks like. */
const ENGINES: readonly Engine[] = [
  {
    name: 'simulator',
    start: /\b(?:isoperf|cli\.js) simulate\b|(?:^|[\s/])llm-d-inference-sim\b/,
    image: /(?:^|\/)(?:llm-d-inference-sim|vllm-sim|isoperf)\b/,
    flags: words('time-to-first-token inter-token-latency ttft-ms tpot-ms max-num-seqs'),
    port: 8000,
    ready: OPENAI,
    model: ['model'],
    served: ['served-model-name'],
  },
  {
    name: 'dynamo',
    start: /(?:^|\s)-m dynamo\.(?:frontend|vllm|sglang|trtllm|mocker)\b|(?:^|[\s/])dynamo (?:serve|run|frontend)\b/,
    image: /(?:^|\/)(?:ai-dynamo\/|dynamo[\w.-]*:|dynamo-)/,
    flags: words('router-mode kv-cache-block-size router-temperature'),
    env: /^(?:DYN|DYNAMO)_/,
    silent: /-m dynamo\.(?:vllm|sglang|trtllm|mocker)\b/,
    port: 8000,
    ready: OPENAI,
    model: ['model', 'model-path', 'model-name'],
    served: ['served-model-name'],
    portEnv: ['DYN_HTTP_PORT'],
  },
  {
    name: 'kserve-huggingface',
    start: new RegExp(`${PYTHON}huggingfaceserver\\b`),
    image: /huggingfaceserver/,
    flags: words('model-dir model-id backend'),
    port: 8080,
    ready: ['/v1/models', '/v2/health/ready'],
    model: ['model-id', 'model-dir'],
    served: ['model-name'],
    modelEnv: ['MODEL_ID'],
  },
  {
    name: 'vllm',
    start:
      /(?:^|[\s/])vllm serve\b|(?:^|\s)-m vllm\.entrypoints\.(?:[\w.]*api_server|cli\.main serve)\b|vllm\/entrypoints\/[\w/]*api_server\.py/,
    image:
      /(?:^|\/)(?:vllm-openai|vllm-[\w-]*|vllm|llm-d(?:-[\w-]+)?|lmcache-vllm)(?:[:@]|$)|vllm\/vllm|lmcache\/vllm-openai/,
    flags: words(
      'max-num-seqs gpu-memory-utilization max-num-batched-tokens max-model-len served-model-name enable-prefix-caching enable-chunked-prefill tensor-parallel-size enforce-eager kv-transfer-config speculative-config compilation-config tool-call-parser kv-cache-dtype',
    ),
    env: /^VLLM_/,
    silent: /(?:^|\s)--headless\b/,
    port: 8000,
    ready: OPENAI,
    model: ['model', 'model-tag'],
    served: ['served-model-name'],
    modelEnv: ['VLLM_MODEL'],
    portEnv: ['VLLM_PORT_HTTP', 'UVICORN_PORT'],
  },
  {
    name: 'sglang',
    start: /(?:^|\s)-m sglang\.launch_server\b|sglang\/launch_server\.py|(?:^|[\s/])sglang serve\b/,
    image: /lmsysorg\/sglang|(?:^|\/)sglang(?:[:@-]|$)/,
    flags: words(
      'mem-fraction-static context-length tp-size dp-size chunked-prefill-size schedule-policy disable-radix-cache attention-backend cuda-graph-max-bs disaggregation-mode model-path max-running-requests',
    ),
    env: /^(?:SGLANG|SGL)_/,
    silent: /(?:^|\s)--node[-_]rank[ =][1-9]/,
    port: 30000,
    ready: ['/health_generate', '/health', '/v1/models'],
    model: ['model-path', 'model'],
    served: ['served-model-name'],
  },
  {
    name: 'tgi',
    start: /text-generation-launcher\b/,
    image: /text-generation-inference|(?:^|\/)tgi(?:[:@-]|$)/,
    flags: words(
      'max-batch-prefill-tokens max-concurrent-requests num-shard max-total-tokens max-input-length max-input-tokens waiting-served-ratio max-batch-total-tokens cuda-memory-fraction',
    ),
    env: /^(?:MAX_BATCH_PREFILL_TOKENS|MAX_TOTAL_TOKENS|MAX_INPUT_(?:LENGTH|TOKENS)|MODEL_ID|NUM_SHARD|MAX_CONCURRENT_REQUESTS)$/,
    port: 80,
    ready: ['/health', '/info'],
    model: ['model-id'],
    modelEnv: ['MODEL_ID'],
    portEnv: ['PORT'],
  },
  {
    name: 'tensorrt-llm',
    start: /(?:^|[\s/])trtllm-serve\b|(?:^|\s)-m tensorrt_llm\.commands\.serve\b/,
    image: /tensorrt-?llm|trtllm/,
    flags: words(
      'tp-size pp-size ep-size max-batch-size kv-cache-free-gpu-memory-fraction extra-llm-api-options max-beam-width',
    ),
    env: /^TRTLLM_/,
    port: 8000,
    ready: OPENAI,
    model: ['model'],
  },
  {
    name: 'triton',
    start: /(?:^|[\s/])tritonserver\b|launch_triton_server\.py/,
    image: /tritonserver/,
    flags: words('model-repository model-store model-control-mode load-model backend-config grpc-port metrics-port'),
    port: 8000,
    ready: ['/v2/health/ready', '/v1/models'],
    model: ['model-repository', 'model-store'],
  },
  {
    name: 'nim',
    start: /\/opt\/nim\/\S+/,
    image: /(?:^|\/)nim\//,
    flags: [],
    env: /^NIM_/,
    port: 8000,
    ready: ['/v1/health/ready', '/v1/models'],
    model: [],
    modelEnv: ['NIM_SERVED_MODEL_NAME', 'NIM_MODEL_NAME'],
    portEnv: ['NIM_SERVER_PORT', 'NIM_HTTP_API_PORT'],
  },
  {
    name: 'llama.cpp',
    start: /(?:^|[\s/])llama-server\b|(?:^|\s)-m llama_cpp\.server\b/,
    image: /llama\.cpp|llama-cpp|llama-server/,
    flags: words('n-gpu-layers ngl ctx-size cont-batching n-predict flash-attn hf-repo cache-type-k parallel'),
    env: /^LLAMA_ARG_/,
    port: 8080,
    ready: OPENAI,
    model: ['model', 'm', 'hf-repo', 'hf'],
    served: ['alias', 'a'],
    modelEnv: ['LLAMA_ARG_MODEL', 'LLAMA_ARG_HF_REPO'],
    portEnv: ['LLAMA_ARG_PORT'],
  },
  {
    name: 'ollama',
    start: /(?:^|[\s/])ollama serve\b/,
    image: /(?:^|\/)ollama(?:[:@]|$)/,
    flags: [],
    env: /^OLLAMA_/,
    port: 11434,
    ready: ['/api/tags', '/v1/models'],
    model: [],
    modelEnv: ['OLLAMA_MODEL'],
    portEnv: ['OLLAMA_HOST'],
  },
  {
    name: 'lmdeploy',
    start: /(?:^|[\s/])lmdeploy serve api_server\b/,
    image: /lmdeploy/,
    flags: words('cache-max-entry-count session-len quant-policy server-port tp'),
    port: 23333,
    ready: OPENAI,
    model: ['model-path'],
    served: ['model-name'],
  },
  {
    name: 'mlc',
    start: /(?:^|[\s/])mlc_llm serve\b/,
    image: /mlc-?llm/,
    flags: words('prefill-chunk-size max-history-size model-lib'),
    port: 8000,
    ready: ['/v1/models'],
    model: [],
  },
  {
    name: 'max',
    start: /(?:^|[\s/])max(?:-pipelines)? serve\b|(?:^|[\s/])max-serve\b/,
    image: /modular\/max/,
    flags: words('model-path max-batch-size devices'),
    env: /^MAX_SERVE_/,
    port: 8000,
    ready: OPENAI,
    model: ['model', 'model-path'],
    portEnv: ['MAX_SERVE_PORT'],
  },
  {
    name: 'ray-serve',
    start: /(?:^|[\s/])serve (?:run|deploy|start)\b|(?:^|\s)-m ray\.serve\b/,
    flags: [],
    port: 8000,
    ready: ['/-/healthz', '/v1/models'],
    model: [],
  },
];

/** Programs with an engine's name or flags that are no server: clients, routers, caches, tools. */
const NO_SERVER =
  /(?:^|[\s/])(?:vllm|sglang) (?:bench|chat|complete|collect-env|run-batch)\b|bench(?:mark)?_?(?:serving|_throughput|_one_batch)?\.py|-m \S*bench\w*|(?:^|[\s/])(?:guidellm|genai-perf|aiperf|inference-perf|inference-benchmark|locust|k6)\b|vllm[-_]router|sglang[-_]router|production_stack|-m vllm_router|lmcache[-_](?:server|controller)|(?:^|[\s/])litellm\b|huggingface-cli|(?:^|[\s/])hf download|(?:^|\s)(?:pip3?|uv pip|apt(?:-get)?|echo|curl|wget) /;

interface Start {
  readonly engine: Engine;
  /** `vllm serve`, for the reader. */
  readonly words: string;
  /** Started as a module of Python, which takes the model as a flag alone. */
  readonly isModule: boolean;
  /** Where in the line its own arguments begin. */
  readonly at: number;
}

/** The words that start an engine in this command line, and which; undefined where it starts none. */
export function startOf(argv: readonly string[]): Start | undefined {
  const line = argv.join(' ');
  if (refuted(argv)) return undefined;
  for (const engine of ENGINES) {
    const match = engine.start?.exec(line);
    if (!match) continue;
    const [text] = match;
    const isModule = text.includes('-m ');
    return { engine, words: text.trim().replace(/^\S*\//, ''), isModule, at: match.index + text.length };
  }
  return undefined;
}

/** Does this command line start something that only sounds like a server? */
export function refuted(argv: readonly string[]): boolean {
  return NO_SERVER.test(argv.join(' '));
}

export { ENGINES, type Engine };
