// A config's data section -> every request of the run, prepared before the clock starts.
import { getHeapStatistics } from 'node:v8';
import type { Problem, Result } from '../problem';
import { bodyMaker, DEFAULT_MAX_TOKENS, ROUTES, type BodyOptions, type SerialisedBody } from './body';
import type { LengthDistribution } from './lengths';
import { mockPrompts } from './mock';
import type { PromptSource } from './prompts';
import type { StageName } from './random';
import { randomPrompts } from './random-prompts';
import { sharedPrefixPrompts, type SharedPrefixData } from './shared-prefix';
import { tokenTexts, wordTexts, type LengthUnit } from './text';
import type { TextTokenizer } from './tokenizer';

/** One request, ready to be sent; the same shape as the client's PreparedRequest, and the bytes of its body. */
export interface WorkloadRequest {
  readonly id: number;
  readonly stage: number;
  readonly api: 'completion' | 'chat';
  readonly streaming: boolean;
  readonly route: string;
  readonly body: string;
  readonly requestBytes: number;
  readonly promptHash: string;
  /** Tokens the workload asked for; absent when lengths are in words or are not fixed. */
  readonly askedPromptTokens?: number;
  readonly maxTokens: number;
  readonly promptTexts: readonly string[];
}

/** The part of the config that decides what is sent (inference-perf's `data` and what bodies need). */
export interface WorkloadData {
  readonly type: string;
  readonly inputDistribution?: LengthDistribution | undefined;
  readonly outputDistribution?: LengthDistribution | undefined;
  readonly sharedPrefix?: SharedPrefixData | undefined;
}

export interface WorkloadInput {
  readonly data: WorkloadData;
  readonly body: BodyOptions;
  /** `server.type: mock` asks for 3 tokens where a real server is asked for 30. */
  readonly isMockServer: boolean;
  readonly seed: number;
  readonly tokenizer?: TextTokenizer | undefined;
  readonly stages: readonly { readonly name: StageName; readonly count: number }[];
  /** Called now and then, so that a long preparation can be shown. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Asked now and then; true ends the preparation with problem RUN017. */
  readonly isStopped?: () => boolean;
}

export interface Workload {
  /** By stage, in the order they will be sent. */
  readonly stages: readonly (readonly WorkloadRequest[])[];
  readonly api: 'completion' | 'chat';
  readonly lengthUnit: LengthUnit;
  /** Mean length of the shared prefixes, in `lengthUnit`. */
  readonly sharedPrefixLength?: number;
}

/** Milliseconds of preparation between two chances for signals and timers to run. */
const SLICE_MS = 40;
/** Part of the heap that prepared requests may fill: records and answers need the rest. */
const HEAP_SHARE = 0.6;

/**
 * Prepares the whole request stream. Errors: the data type cannot be sent as the config asks, or its distributions cannot be drawn
 * from (codes RUN01x, with their config path). Warnings: lengths in words, lengths that could not be reached.
 */
export async function prepareWorkload(input: WorkloadInput): Promise<Result<Workload>> {
  const made = promptSource(input);
  if (!made.ok) return made;
  const source = made.value;
  const api = source.api ?? input.body.api;
  const makeBody = cached(bodyMaker({ ...input.body, api }));
  const total = input.stages.reduce((sum, stage) => sum + stage.count, 0);
  const stages: WorkloadRequest[][] = [];
  const misses = new Misses();
  let id = 0;
  let characters = 0;
  const limit = getHeapStatistics().heap_size_limit * HEAP_SHARE;
  let sliceStart = performance.now();
  for (const [stage, { name, count }] of input.stages.entries()) {
    const prompts = source.stage(name);
    const requests: WorkloadRequest[] = [];
    for (let index = 0; index < count; index++) {
      const { text, maxTokens, asked, length } = prompts(index);
      if (asked !== undefined && length !== undefined) misses.note(asked, length);
      const { body, bytes, promptHash, isNew } = makeBody(text, maxTokens > 0 ? maxTokens : DEFAULT_MAX_TOKENS);
      if (isNew) characters += body.length + text.length;
      if (characters > limit)
        return refuse(
          'RUN018',
          tooLarge(id, total, characters),
          'Send fewer or shorter prompts, or start Node with a larger heap (NODE_OPTIONS=--max-old-space-size=8192).',
        );
      requests.push({
        id: id++,
        stage,
        api,
        streaming: input.body.streaming,
        route: ROUTES[api],
        body,
        requestBytes: bytes,
        promptHash,
        ...(asked !== undefined && source.unit === 'tokens' ? { askedPromptTokens: asked } : {}),
        maxTokens: maxTokens > 0 ? maxTokens : DEFAULT_MAX_TOKENS,
        promptTexts: [text],
      });
      if (performance.now() - sliceStart > SLICE_MS) {
        input.onProgress?.(id, total);
        await new Promise((resolve) => setImmediate(resolve));
        if (input.isStopped?.() === true) return refuse('RUN017', STOPPED);
        sliceStart = performance.now();
      }
    }
    stages.push(requests);
  }
  return {
    ok: true,
    value: {
      stages,
      api,
      lengthUnit: source.unit,
      ...(source.sharedPrefixLength !== undefined ? { sharedPrefixLength: source.sharedPrefixLength } : {}),
    },
    problems: [...made.problems, ...misses.problems(source.unit)],
  };
}

function refuse(code: string, message: string, remedy?: string): Result<never> {
  const problem: Problem = { code, severity: 'error', path: ['data'], message, ...(remedy ? { remedy } : {}) };
  return { ok: false, problems: [problem] };
}

export const STOPPED = 'Nothing was sent: the run was stopped before it began.';

function tooLarge(made: number, total: number, characters: number): string {
  const megabytes = Math.round(characters / 1e6).toLocaleString('en-US');
  return `Nothing was sent: ${made + 1} of ${total} prompts already take ${megabytes} MB of memory, and all are prepared before the clock starts.`;
}

function promptSource(input: WorkloadInput): Result<PromptSource> {
  const texts = input.tokenizer ? tokenTexts(input.tokenizer) : wordTexts();
  const counts = input.stages.map((stage) => stage.count);
  switch (input.data.type) {
    case 'mock':
      return { ok: true, value: mockPrompts(input.body.api, input.isMockServer), problems: [] };
    case 'random':
      return withUnitNote(
        randomPrompts({
          api: input.body.api,
          input: input.data.inputDistribution,
          output: input.data.outputDistribution,
          count: Math.max(0, ...counts),
          seed: input.seed,
          texts,
        }),
      );
    case 'shared_prefix':
      return withUnitNote(
        sharedPrefixPrompts({ api: input.body.api, data: input.data.sharedPrefix, seed: input.seed, texts }),
      );
    default:
      return {
        ok: false,
        problems: [
          {
            code: 'RUN010',
            severity: 'error',
            path: ['data', 'type'],
            message: `Nothing was sent: data type '${input.data.type}' cannot be run by this engine yet; mock, random and shared_prefix can.`,
            remedy: 'Use one of these types, or run this config with inference-perf.',
          },
        ],
      };
  }
}

function withUnitNote(made: Result<PromptSource>): Result<PromptSource> {
  if (!made.ok || made.value.unit === 'tokens') return made;
  const note: Problem = {
    code: 'RUN020',
    severity: 'warning',
    path: ['tokenizer'],
    message:
      'Prompt lengths are in words, because no tokenizer is at hand: the server decides how many tokens they are, and its count is what reports show.',
    remedy: 'Set tokenizer.pretrained_model_name_or_path to a folder with the model’s tokenizer.json.',
  };
  return { ...made, problems: [...made.problems, note] };
}

/** Bodies repeat where prompts repeat (shared_prefix wraps around): keep one string for each, as long as they are few. */
function cached(
  make: (prompt: string, maxTokens: number) => SerialisedBody,
): (prompt: string, maxTokens: number) => SerialisedBody & { readonly isNew: boolean } {
  const known = new Map<string, SerialisedBody>();
  return (prompt, maxTokens) => {
    const key = `${maxTokens} ${prompt}`;
    const before = known.get(key);
    if (before) return { ...before, isNew: false };
    const body = make(prompt, maxTokens);
    if (known.size < 20_000) known.set(key, body);
    return { ...body, isNew: true };
  };
}

/** Counts prompts whose wanted length has no text of exactly that many tokens. */
class Misses {
  private count = 0;
  private widest = 0;

  note(asked: number, length: number): void {
    if (asked === length) return;
    this.count++;
    this.widest = Math.max(this.widest, Math.abs(asked - length));
  }

  problems(unit: LengthUnit): Problem[] {
    if (this.count === 0) return [];
    return [
      {
        code: 'RUN021',
        severity: 'warning',
        path: ['data'],
        message: `${this.count} prompts do not have exactly the asked number of ${unit}; the nearest length was taken, at most ${this.widest} off. inference-perf would have dropped these requests.`,
      },
    ];
  }
}
