// `load.lora_traffic_split`: which requests ask for which adapter, seeded, so that two runs share the same split request by request.
import { stageStream, uniform01, type StageName } from '../datagen/random';
import type { WorkloadRequest } from '../datagen/workload';

export interface LoraShare {
  readonly name: string;
  readonly split: number;
}

/**
 * The stage's requests with an adapter each, drawn with the given weights; it replaces the model's name in the body. The hash of the
 * prompt stays: the model is no part of it. inference-perf draws the same way, unseeded (reference 3.8).
 */
export function withAdapters(
  requests: readonly WorkloadRequest[],
  shares: readonly LoraShare[],
  model: string,
  seed: number,
  stage: StageName,
): WorkloadRequest[] {
  const rng = stageStream(seed, 'lora', stage);
  const head = modelField(model);
  return requests.map((request) => {
    const adapter = draw(shares, uniform01(rng));
    // The model is the first field of every body we make (datagen/body.ts).
    const named = (text: string): string =>
      text.startsWith(head) ? modelField(adapter) + text.slice(head.length) : text;
    const body = named(request.body);
    const turn = request.turn && { ...request.turn, head: named(request.turn.head) };
    return { ...request, body, requestBytes: Buffer.byteLength(body), adapter, ...(turn ? { turn } : {}) };
  });
}

function modelField(model: string): string {
  return `{"model":${JSON.stringify(model)},`;
}

function draw(shares: readonly LoraShare[], value: number): string {
  let sum = 0;
  for (const { name, split } of shares) {
    sum += split;
    if (value < sum) return name;
  }
  return shares.at(-1)!.name;
}
