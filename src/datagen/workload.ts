// A config's data section -> every request of the run, prepared before the clock starts.
import type { Seed } from '../config/model/lax';
import type { Problem, Result } from '../problem';
import type { BodyOptions } from './body';
import { Memory, type MemoryLimits } from './memory';
import { Pace, type PaceOptions } from './pace';
import type { StageName } from './random';
import { requestMaker } from './request-maker';
import { STOPPED_EARLY } from './stopped';
import { promptSource, type WorkloadData } from './sources';
import type { LengthUnit } from './text';
import type { TextTokenizer } from './tokenizer';
import type { WorkloadRequest } from './workload-request';

/** Stopped, the preparation ends with problem RUN017. */
export interface WorkloadInput extends PaceOptions {
  readonly data: WorkloadData;
  readonly body: BodyOptions;
  /** `server.type: mock` asks for 3 tokens where a real server is asked for 30. */
  readonly isMockServer: boolean;
  readonly seed: Seed;
  readonly tokenizer?: TextTokenizer | undefined;
  readonly stages: readonly { readonly name: StageName; readonly count: number }[];
  /** By default what the machine and V8 have. */
  readonly memoryLimits?: MemoryLimits;
}

export interface Workload {
  /** By stage, in the order they will be sent. */
  readonly stages: readonly (readonly WorkloadRequest[])[];
  readonly api: BodyOptions['api'];
  readonly lengthUnit: LengthUnit;
  /** Mean length of the shared prefixes, in `lengthUnit`. */
  readonly sharedPrefixLength?: number;
}

/**
 * Prepares the whole request stream. Errors: the data type cannot be sent as the config asks, or its distributions cannot be drawn
 * from (codes RUN01x, with their config path). Warnings: lengths in words, lengths that could not be reached.
 */
export async function prepareWorkload(input: WorkloadInput): Promise<Result<Workload>> {
  const pace = new Pace(input);
  const made = await promptSource({
    ...input,
    pace,
    // Prompts of the Messages API are those of a chat.
    api: input.body.api === 'completion' ? 'completion' : 'chat',
    largestStage: Math.max(0, ...input.stages.map((stage) => stage.count)),
  });
  if (!made.ok) return made;
  const source = made.value;
  const api = source.api ?? input.body.api;
  const maker = requestMaker({ ...input.body, api }, source.unit);
  const total = input.stages.reduce((sum, stage) => sum + stage.count, 0);
  const stages: WorkloadRequest[][] = [];
  const misses = new Misses();
  let id = 0;
  const memory = new Memory(total, input.memoryLimits);
  for (const [stage, { name, count }] of input.stages.entries()) {
    const prompts = source.stage(name);
    const requests: WorkloadRequest[] = [];
    for (let index = 0; index < count; index++) {
      const drawn = prompts(index);
      const prompt = drawn instanceof Promise ? await drawn : drawn;
      if ('ok' in prompt) return prompt;
      if (prompt.asked !== undefined && prompt.length !== undefined) misses.note(prompt.asked, prompt.length);
      const { request, newBytes, heldCharacters } = maker(prompt, id, stage);
      const full = memory.add(newBytes, heldCharacters, id + 1);
      if (full) return { ok: false, problems: [full] };
      requests.push(request);
      id++;
      if (pace.isDue && !(await pace.rest(id, total))) return STOPPED_EARLY;
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
    problems: [...made.problems, ...misses.problems(source.unit), ...(source.remarks?.() ?? [])],
  };
}

export type { WorkloadData } from './sources';

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
