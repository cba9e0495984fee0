// When requests are sent, as vllm bench serve and SGLang's relative of it say it: rates, limits and warm-up.
import { significant } from '../figures';
import { countedStage } from './arrivals';
import { put, type Draft } from './draft';
import { refuse, say } from './sheet';
import type { Back, Row } from './tool';
import { countIn, DEFAULTS, promptsIn, stageOf } from './bench-counts';

/** In what the two differ. */
export interface LoadSpec {
  readonly tool: string;
  readonly warmupFlag: string;
  /** Requests of the warm-up where nothing is given. */
  readonly warmups: number;
  readonly warmupWords: string;
  /** Shape of the gamma law of its gaps; a tool without the flag draws exponential ones. */
  readonly hasBurstiness: boolean;
  /** Why a rate is another one there; absent where both place a fixed number of requests by one law. */
  readonly rateWords?: string;
}

export function loadRow(spec: LoadSpec): Row {
  const more = spec.hasBurstiness ? ['burstiness'] : [];
  return {
    flags: ['num-prompts', 'request-rate', ...more, 'max-concurrency', spec.warmupFlag],
    keys: ['load'],
    from: (draft) => {
      loadFrom(draft, spec);
    },
    to: (back) => {
      loadTo(back, spec);
    },
  };
}

function loadFrom(draft: Draft, spec: LoadSpec): void {
  const { given } = draft;
  const prompts = promptsIn(draft);
  if (!given.has('num-prompts')) say(draft, 'assumed', '--num-prompts', `not given: ${DEFAULTS.prompts}`);
  const rate = rateIn(draft);
  const burstiness = Number(given.get('burstiness')?.[0] ?? 1);
  if (burstiness !== 1 && rate !== Infinity) {
    refuse(
      draft,
      '--burstiness',
      'Arrivals of a gamma law have no counterpart.',
      'Use --burstiness 1, which is Poisson.',
    );
  } else if (given.has('burstiness')) {
    say(
      draft,
      burstiness === 1 ? 'lossless' : 'dropped',
      '--burstiness',
      rate === Infinity ? 'all are sent at once' : 'load.type constant',
    );
  }
  const cap = given.has('max-concurrency') ? countIn(draft, 'max-concurrency', 1, 1) : undefined;
  put(draft, 'load.interval', 0);
  put(draft, 'load.num_workers', 1);
  // Both give a request six hours.
  put(draft, 'load.request_timeout', 21_600);
  if (rate === Infinity && cap !== undefined) closedFrom(draft, spec, prompts, cap);
  else openFrom(draft, spec, prompts, rate, cap);
}

function rateIn(draft: Draft): number {
  const text = draft.given.get('request-rate')?.[0];
  if (text === undefined) {
    say(draft, 'assumed', '--request-rate', 'not given: all requests at once');
    return Infinity;
  }
  const rate = text.toLowerCase() === 'inf' ? Infinity : Number(text);
  if (rate > 0) return rate;
  refuse(draft, '--request-rate', `'${text}' is no rate.`, 'Write requests per second, or inf.');
  return Infinity;
}

function closedFrom(draft: Draft, spec: LoadSpec, prompts: number, cap: number): void {
  const warmups = countIn(draft, spec.warmupFlag, spec.warmups);
  const stage = (requests: number): object => ({ num_requests: requests, concurrency_level: cap });
  put(draft, 'load.type', 'concurrent');
  put(draft, 'load.stages', [...(warmups > 0 ? [stage(warmups)] : []), stage(prompts)]);
  say(
    draft,
    'changed',
    '--max-concurrency',
    `load.type concurrent with ${cap} in flight: inference-perf starts them over one second, ${spec.tool} at once`,
  );
  if (draft.given.has('num-prompts')) say(draft, 'lossless', '--num-prompts', 'load.stages.num_requests');
  warmupFrom(draft, spec, warmups, 'warmup');
}

function openFrom(draft: Draft, spec: LoadSpec, prompts: number, rate: number, cap: number | undefined): void {
  const warmups = countIn(draft, spec.warmupFlag, spec.warmups);
  put(draft, 'load.type', 'constant');
  // Without a limit: as many as there are.
  put(draft, 'load.worker_max_concurrency', cap ?? Math.max(prompts, warmups));
  const { isOff, ...stage } =
    rate === Infinity ? { rate: prompts, duration: 1, isOff: false } : countedStage(prompts, rate);
  put(draft, 'load.stages', [...(warmups > 0 ? [{ rate: warmups, duration: 1 }] : []), stage]);
  const index = warmups > 0 ? 1 : 0;
  if (rate === Infinity) {
    draft.stageDirectives.set(index, 'arrivals=burst');
    if (draft.given.has('request-rate')) {
      say(
        draft,
        'changed',
        '--request-rate',
        'all at once as # isoperf: arrivals=burst; inference-perf spreads them over one second',
      );
    }
  } else if (isOff) {
    say(
      draft,
      'changed',
      '--request-rate',
      `load.stages: ${significant(stage.rate)} requests/s for ${stage.duration} whole seconds send ${prompts}`,
    );
  } else if (spec.rateWords !== undefined) {
    say(draft, 'changed', '--request-rate', `load.type constant, ${stage.duration} s: ${spec.rateWords}`);
  } else {
    say(
      draft,
      'lossless',
      '--request-rate',
      `load.type constant, ${stage.duration} s: both place a fixed number of requests by a Poisson law`,
    );
  }
  if (draft.given.has('num-prompts')) say(draft, 'lossless', '--num-prompts', 'rate x duration of the stage');
  if (cap !== undefined) {
    say(
      draft,
      'changed',
      '--max-concurrency',
      `load.worker_max_concurrency: an open loop with a limit of ${cap}; beyond it requests wait in the client`,
    );
  }
  warmupFrom(draft, spec, warmups, 'warmup, arrivals=burst');
}

function warmupFrom(draft: Draft, { warmupFlag, warmupWords }: LoadSpec, warmups: number, words: string): void {
  if (warmups === 0) return;
  draft.stageDirectives.set(0, words);
  say(
    draft,
    'changed',
    `--${warmupFlag}`,
    `${draft.given.has(warmupFlag) ? '' : `not given: ${warmups}; `}a stage of its own: ${warmupWords}`,
  );
}

function loadTo(back: Back, spec: LoadSpec): void {
  const { config, directives, warmupStages } = back.loaded;
  const { type, sweep } = config.load;
  if (sweep !== null || (type !== 'constant' && type !== 'poisson' && type !== 'concurrent')) {
    const what = sweep === null ? 'load.type' : 'load.sweep';
    refuse(
      back,
      what,
      `${spec.tool} has no counterpart of ${sweep === null ? type : 'a sweep'}.`,
      'Use constant or concurrent with stages.',
    );
    return;
  }
  const { requests, rate, concurrency } = stageOf(back);
  if (requests === undefined || requests < 1) {
    refuse(
      back,
      'load.stages',
      'The stage has no number of requests.',
      'Write rate and duration, or num_requests and concurrency_level.',
    );
    return;
  }
  const { words } = back;
  words.push('--num-prompts', String(requests));
  const path = ['load', 'stages', back.stage].join('.');
  const arrivals = directives.find(
    ({ name, path: at }) => name === 'arrivals' && (at.length === 0 || at.join('.') === path),
  )?.value;
  if (type === 'concurrent') {
    words.push('--request-rate', 'inf', '--max-concurrency', String(concurrency));
    say(
      back,
      'changed',
      'load.type',
      `concurrent: inference-perf starts ${concurrency} over one second, ${spec.tool} at once`,
    );
  } else if (arrivals === 'burst') {
    words.push('--request-rate', 'inf');
    say(back, 'lossless', '# isoperf: arrivals=burst', '--request-rate inf');
  } else if (arrivals !== undefined) {
    refuse(back, '# isoperf: arrivals', `${spec.tool} has no arrivals ${arrivals}.`, 'Leave the directive out.');
  } else {
    words.push('--request-rate', String(rate), ...(spec.hasBurstiness ? ['--burstiness', '1'] : []));
    const changed =
      spec.rateWords ??
      (type === 'poisson'
        ? `poisson draws its number of requests second by second, ${spec.tool} sends a fixed number`
        : undefined);
    say(back, changed ? 'changed' : 'lossless', 'load.type', changed ?? '--request-rate, --burstiness 1: the same law');
  }
  const before = warmupsBefore(back);
  if (before > 0 || spec.warmups > 0) words.push(`--${spec.warmupFlag}`, String(before));
  if (before > 0) {
    say(back, 'changed', '# isoperf: warmup', `--${spec.warmupFlag}: ${spec.warmupWords}`);
  } else if (warmupStages.size > 0) say(back, 'dropped', '# isoperf: warmup', 'it stands before an earlier stage');
  const cap = {
    workers: back.loaded.isWritten(['load', 'num_workers']),
    each: back.loaded.isWritten(['load', 'worker_max_concurrency']),
  };
  const limit = (config.load.num_workers ?? 1) * config.load.worker_max_concurrency;
  if (type !== 'concurrent' && cap.workers && cap.each && limit < requests) {
    words.push('--max-concurrency', String(limit));
    say(back, 'changed', 'load.worker_max_concurrency', `--max-concurrency ${limit}`);
  }
  if (config.load.request_timeout !== null && config.load.request_timeout !== 21_600) {
    say(back, 'changed', 'load.request_timeout', `no flag: ${spec.tool} gives a request six hours`);
  }
}

/** Requests of a warm-up stage right before the measured one. */
function warmupsBefore(back: Back): number {
  const at = back.stage - 1;
  return back.loaded.warmupStages.has(at) ? (stageOf({ ...back, stage: at }).requests ?? 0) : 0;
}
