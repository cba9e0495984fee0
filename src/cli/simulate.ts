// `isoperf simulate`: an OpenAI-compatible server whose truth is set by flags, until it is told to stop.
import type { parseArgs } from 'node:util';
import { DEFAULT_OPTIONS, FAULT_KINDS, type FaultKind, type SimulatorOptions } from '../simulator/options';
import { startSimulator, type Simulator } from '../simulator/server';
import { EXIT, UsageError, type CliIo, type Command } from './command';
import { parseOptions } from './options';

const KEY_VARIABLE = 'ISOPERF_SIMULATOR_API_KEY';

const FLAGS = {
  host: { type: 'string' },
  port: { type: 'string' },
  model: { type: 'string', multiple: true },
  seed: { type: 'string' },
  'ttft-ms': { type: 'string' },
  'prefill-us-per-token': { type: 'string' },
  'tpot-ms': { type: 'string' },
  jitter: { type: 'string' },
  'load-factor': { type: 'string' },
  'tokens-per-chunk': { type: 'string' },
  slots: { type: 'string' },
  queue: { type: 'string' },
  'overload-status': { type: 'string' },
  'prefix-cache': { type: 'string' },
  'kv-tokens': { type: 'string' },
  'ignore-eos': { type: 'string' },
  'eos-mean': { type: 'string' },
  'max-model-len': { type: 'string' },
  'template-tokens': { type: 'string' },
  strict: { type: 'boolean' },
  'only-max-completion-tokens': { type: 'boolean' },
  'answer-model': { type: 'string' },
  'reasoning-tokens': { type: 'string' },
  'finish-reason': { type: 'string' },
  'cached-usage': { type: 'string' },
  usage: { type: 'string' },
  tokenize: { type: 'string' },
  'fault-rate': { type: 'string' },
  'fault-kind': { type: 'string', multiple: true },
  json: { type: 'boolean' },
  'exit-with-parent': { type: 'boolean' },
} as const;

/** Every flag, for the test that holds the help against them. */
export const SIMULATE_FLAGS: readonly string[] = Object.keys(FLAGS);

const HELP = `isoperf simulate: an OpenAI-compatible model server whose truth you set, for trying out and for testing.

Usage: isoperf simulate [options]

It answers POST /v1/completions and /v1/chat/completions (streaming or not), GET /v1/models, /version, /health,
/metrics (in vLLM's names), POST /tokenize and /detokenize. Its words are one token each of samples/tokenizer, so
server and client counts agree to the token. The same seed and the same request give the same answer, whatever the load.
When it is ready it prints one line "listening on http://127.0.0.1:PORT", then one line with its truth.

Where it listens:
  --port N                   0 takes a free port (default 8000)
  --host ADDRESS             default 127.0.0.1: this machine only
  --model NAME               serve this name and answer 404 to others; repeat for more (default: any name is served)
  ${KEY_VARIABLE}  environment variable: when set, /v1 answers 401 without "Authorization: Bearer" and this key

Time:
  --ttft-ms X                admission to first token (default 50)
  --prefill-us-per-token X   added to that for each prompt token that is not cached (default 0)
  --tpot-ms X                one token to the next (default 10)
  --jitter F                 each interval times a seeded factor, uniform in 1-F to 1+F (default 0)
  --load-factor F            each further running request makes tokens this fraction slower (default 0)
  --tokens-per-chunk N       tokens per event; it leaves when its last token is ready (default 1)

Room:
  --slots N                  requests that run at a time (default 256); others wait
  --queue N                  requests that may wait (default: any number); others are turned away
  --overload-status 429|503  how they are turned away (default 503)
  --prefix-cache on|off      charge prefill only for prompt tokens not seen before, in blocks of 16, and report
                             them as usage.prompt_tokens_details.cached_tokens (default off)
  --kv-tokens N              size of the key-value cache (default ${DEFAULT_OPTIONS.cacheTokens})
  --max-model-len N          longest prompt plus answer (default ${DEFAULT_OPTIONS.maxModelTokens}); more is a 400

Answers:
  --ignore-eos honour|ignore a request with ignore_eos gets exactly max_tokens (honour), or stops by itself like any
                             other, with finish_reason "stop" (ignore) (default honour)
  --eos-mean X               mean length of an answer that stops by itself (default ${DEFAULT_OPTIONS.eosMean})
  --usage on|off             report token counts (default on)
  --cached-usage on|off      report cached prompt tokens in usage, too, not only on /metrics (default on)
  --tokenize ROUTE           whose POST /tokenize it has: vllm, tgi, llama.cpp or none (default vllm)
  --finish-reason on|off     off: streams end with [DONE] and never say why (default on)
  --reasoning-tokens N       so many tokens of a chat answer come first, as reasoning (default 0)
  --answer-model NAME        named in answers in place of the model that was asked for
  --strict                   refuse fields that are not of OpenAI's API (ignore_eos among them) with 422
  --only-max-completion-tokens
                             refuse max_tokens, as OpenAI's reasoning models do
  --template-tokens N        tokens a chat template adds to each message (default 0)
  --seed N                   default 0

Faults:
  --fault-rate F             share of requests that go wrong, 0 to 1 (default 0); which ones depends on seed and request
  --fault-kind LIST          comma-separated, default all: ${FAULT_KINDS.slice(0, 5).join(', ')},
                             ${FAULT_KINDS.slice(5).join(', ')}

Running it from a program:
  --json                     instead of the two lines, print one JSON object {"type":"ready","url",...,"truth"}
  --exit-with-parent         stop when standard input, or the channel of child_process.fork, closes

Examples:
  isoperf simulate --port 8000 --ttft-ms 50 --tpot-ms 10
  isoperf simulate --slots 8 --queue 16 --load-factor 0.05        a server that saturates
  isoperf simulate --ignore-eos ignore --eos-mean 200 --usage off one that stops early and does not count
  isoperf simulate --fault-rate 0.05 --fault-kind http429,reset

Exit codes: 0 stopped by SIGINT or SIGTERM or with its parent, 1 the address cannot be taken, 2 wrong command line.
`;

export const simulateCommand: Command = {
  name: 'simulate',
  summary: 'a model server whose truth is set by flags, for trying out and for testing',
  help: HELP,
  async run(args, io) {
    const flags = parseOptions({ args: [...args], options: FLAGS, strict: true, allowPositionals: false }).values;
    const options = readOptions(flags, io.env);
    let simulator: Simulator;
    try {
      simulator = await startSimulator(options);
    } catch (error) {
      io.err(`isoperf simulate: error: ${listenError(error, options)}\n`);
      return EXIT.failed;
    }
    // Listened for before the line is printed: a parent may stop us as soon as it has read it.
    const stopped = stopRequest(flags['exit-with-parent'] === true);
    io.out(flags.json === true ? readyJson(simulator) : readyText(simulator));
    const why = await stopped;
    const { received, rejected } = simulator.stats();
    await simulator.close();
    io.err(`isoperf simulate: stopped (${why}) after ${received} requests, ${rejected} of them turned away.\n`);
    return EXIT.ok;
  },
};

type Flags = ReturnType<typeof parseArgs<{ options: typeof FLAGS }>>['values'];

function readOptions(flags: Flags, env: CliIo['env']): SimulatorOptions {
  const d = DEFAULT_OPTIONS;
  const number = (flag: keyof typeof FLAGS, otherwise: number, low: number, high = Number.MAX_SAFE_INTEGER): number =>
    readNumber(flag, flags[flag] as string | undefined, otherwise, low, high);
  const whole = (flag: keyof typeof FLAGS, otherwise: number, low: number, high?: number): number => {
    const value = number(flag, otherwise, low, high);
    if (value !== otherwise && !Number.isInteger(value))
      throw new UsageError(`--${flag} takes a whole number, got ${value}`);
    return value;
  };
  const apiKey = env[KEY_VARIABLE];
  return {
    host: flags.host ?? d.host,
    port: whole('port', 8000, 0, 65_535),
    seed: whole('seed', d.seed, 0),
    ttftSeconds: number('ttft-ms', d.ttftSeconds * 1000, 0) / 1000,
    prefillSecondsPerToken: number('prefill-us-per-token', d.prefillSecondsPerToken * 1e6, 0) / 1e6,
    tokenSeconds: number('tpot-ms', d.tokenSeconds * 1000, 0) / 1000,
    jitter: number('jitter', d.jitter, 0, 1),
    loadFactor: number('load-factor', d.loadFactor, 0),
    tokensPerChunk: whole('tokens-per-chunk', d.tokensPerChunk, 1),
    slots: whole('slots', d.slots, 1),
    queueLimit: whole('queue', d.queueLimit, 0),
    overloadStatus: choice('overload-status', flags['overload-status'], ['503', '429']) === '429' ? 429 : 503,
    prefixCache: choice('prefix-cache', flags['prefix-cache'], ['off', 'on']) === 'on',
    cacheTokens: whole('kv-tokens', d.cacheTokens, 1),
    ignoreEos: choice('ignore-eos', flags['ignore-eos'], ['honour', 'ignore']),
    eosMean: number('eos-mean', d.eosMean, 1),
    maxModelTokens: whole('max-model-len', d.maxModelTokens, 2),
    templateTokens: whole('template-tokens', d.templateTokens, 0),
    usage: choice('usage', flags.usage, ['on', 'off']) === 'on',
    strict: flags.strict === true,
    onlyMaxCompletionTokens: flags['only-max-completion-tokens'] === true,
    ...(flags['answer-model'] === undefined ? {} : { answerModel: flags['answer-model'] }),
    reasoningTokens: whole('reasoning-tokens', d.reasoningTokens, 0),
    finishReason: choice('finish-reason', flags['finish-reason'], ['on', 'off']) === 'on',
    tokenizeRoute: choice('tokenize', flags.tokenize, ['vllm', 'tgi', 'llama.cpp', 'none']),
    cachedUsage: choice('cached-usage', flags['cached-usage'], ['on', 'off']) === 'on',
    ...readFaults(flags, number('fault-rate', d.faultRate, 0, 1)),
    models: flags.model ?? d.models,
    ...(apiKey === undefined || apiKey === '' ? {} : { apiKey }),
  };
}

function readNumber(flag: string, text: string | undefined, otherwise: number, low: number, high: number): number {
  if (text === undefined) return otherwise;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value) || value < low || value > high) {
    const range = high === Number.MAX_SAFE_INTEGER ? `of at least ${low}` : `from ${low} to ${high}`;
    throw new UsageError(`--${flag} takes a number ${range}, got '${text}'`);
  }
  return value;
}

/** The first choice is the default. */
function choice<T extends string>(flag: string, text: string | undefined, choices: readonly [T, ...T[]]): T {
  const value = text ?? choices[0];
  const found = choices.find((each) => each === value);
  if (found === undefined) throw new UsageError(`--${flag} takes ${choices.join(' or ')}, got '${value}'`);
  return found;
}

function readFaults(flags: Flags, faultRate: number): Pick<SimulatorOptions, 'faultRate' | 'faultKinds'> {
  const names = flags['fault-kind']?.flatMap((list) => list.split(',')).map((name) => name.trim());
  if (names === undefined) return { faultRate, faultKinds: FAULT_KINDS };
  const unknown = names.find((name) => !FAULT_KINDS.includes(name as FaultKind));
  if (unknown !== undefined) throw new UsageError(`--fault-kind takes ${FAULT_KINDS.join(', ')}, got '${unknown}'`);
  if (flags['fault-rate'] === undefined)
    throw new UsageError('--fault-kind needs --fault-rate, the share of requests that go wrong');
  return { faultRate, faultKinds: names as FaultKind[] };
}

function listenError(error: unknown, { host, port }: SimulatorOptions): string {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  if (code === 'EADDRINUSE') return `port ${port} on ${host} is taken. Choose another --port, or 0 for a free one.`;
  if (code === 'EACCES')
    return `port ${port} on ${host} may not be used by this user (${code}). Choose a --port above 1023.`;
  return `cannot listen on ${host} port ${port} (${code}).`;
}

/** Resolves, once, with what asked the server to stop. */
function stopRequest(withParent: boolean): Promise<string> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => {
      resolve('SIGINT');
    });
    process.once('SIGTERM', () => {
      resolve('SIGTERM');
    });
    if (!withParent) return;
    const parentGone = (): void => {
      resolve('its parent is gone');
    };
    // A forked child has a channel, and often no standard input worth the name (/dev/null ends at once).
    if (process.connected) process.once('disconnect', parentGone);
    else process.stdin.once('end', parentGone).once('error', parentGone).resume();
  });
}

function readyJson({ url, options }: Simulator): string {
  // The key stays out of what is printed. An unlimited queue is null: JSON has no infinity.
  const { apiKey, host, port, ...truth } = options;
  return `${JSON.stringify({ type: 'ready', url, host, port, pid: process.pid, needsKey: apiKey !== undefined, truth })}\n`;
}

function readyText({ url, options: o }: Simulator): string {
  const ms = (seconds: number): string => `${Number((seconds * 1000).toFixed(3))} ms`;
  const facts = [
    `TTFT ${ms(o.ttftSeconds)}`,
    ...(o.prefillSecondsPerToken > 0
      ? [`prefill ${Number((o.prefillSecondsPerToken * 1e6).toFixed(3))} us per token`]
      : []),
    `${ms(o.tokenSeconds)} per token`,
    ...(o.jitter > 0 ? [`jitter ${o.jitter}`] : []),
    ...(o.loadFactor > 0 ? [`load factor ${o.loadFactor}`] : []),
    ...(o.tokensPerChunk > 1 ? [`${o.tokensPerChunk} tokens per event`] : []),
    `${o.slots} slots`,
    Number.isFinite(o.queueLimit) ? `queue ${o.queueLimit}` : 'queue unlimited',
    `prefix cache ${o.prefixCache ? 'on' : 'off'}`,
    `ignore_eos ${o.ignoreEos === 'honour' ? 'honoured' : 'ignored'}`,
    `usage ${o.usage ? 'on' : 'off'}`,
    ...(o.faultRate > 0 ? [`faults ${o.faultRate} of ${o.faultKinds.join(', ')}`] : []),
    `seed ${o.seed}`,
  ];
  return `listening on ${url}\ntruth: ${facts.join('; ')}\n`;
}
