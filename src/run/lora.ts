// `load.lora_traffic_split`: which requests ask for which adapter, seeded, so that two runs share the same split request by request.
import type { Seed } from '../config/model/lax';
import { BodyStore } from '../datagen/body-store';
import { stageStream, uniform01, type StageName } from '../datagen/random';
import type { WorkloadRequest } from '../datagen/workload-request';

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
  seed: Seed,
  stage: StageName,
): WorkloadRequest[] {
  const rng = stageStream(seed, 'lora', stage);
  const head = modelField(model);
  const store = new BodyStore();
  // The model is the first field of every body we make (datagen/body.ts).
  const named = (text: string, adapter: string): string =>
    text.startsWith(head) ? modelField(adapter) + text.slice(head.length) : text;
  return requests.map((request) => {
    const adapter = draw(shares, uniform01(rng));
    const body = named(String(request.body), adapter);
    const requestBytes = Buffer.byteLength(body);
    const { turn } = request;
    return request.forAdapter(
      adapter,
      turn
        ? { requestBytes, turn: { ...turn, head: named(turn.head, adapter) } }
        : { requestBytes, body: store.put(body, requestBytes) },
    );
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
