// The same seed is the same request stream byte for byte.
import { afterEach, describe, expect, it } from 'vitest';
import { fakeClient, type FakeClient } from '../loadgen/fake-client';
import { configOf, harness, SAMPLE_TOKENIZER, type Harness } from './harness';

let h: Harness;
afterEach(() => {
  h.remove();
});

describe('a seed', () => {
  async function stream(seed: number): Promise<{ bodies: string[]; hashes: unknown[]; offsets: number[] }> {
    h = harness();
    const clients: FakeClient[] = [];
    const yaml = configOf({
      url: 'http://127.0.0.1:1',
      tokenizer: SAMPLE_TOKENIZER,
      load: '{ type: poisson, interval: 0, num_workers: 1, stages: [{ rate: 30, duration: 1 }, { rate: 10, duration: 1 }], lora_traffic_split: [{ name: a, split: 0.5 }, { name: b, split: 0.5 }] }',
      data: '{ type: random, input_distribution: { type: lognormal, min: 5, max: 60, mean: 20, std_dev: 9 }, output_distribution: { min: 2, max: 9, mean: 5, std_dev: 2 } }',
    }).replace('seed=5', `seed=${seed}`);
    const { manifest, records } = await h.ran(yaml, {
      clientFactory: () => {
        const client = fakeClient(0.001);
        clients.push(client);
        return client;
      },
    });
    h.remove();
    const sent = [...clients[0]!.sent].sort((a, b) => a.id - b.id);
    const zero = manifest.stages.map(({ startSeconds }) => startSeconds!);
    return {
      bodies: sent.map(({ body }) => String(body)),
      hashes: [manifest.workload.fingerprint, ...manifest.stages.map(({ scheduleHash }) => scheduleHash)],
      offsets: records.map(({ stage, scheduledSeconds }) => Number((scheduledSeconds - zero[stage]!).toFixed(6))),
    };
  }

  it('is the same stream byte for byte, and another is another', async () => {
    const [once, again, other] = [await stream(11), await stream(11), await stream(12)];
    expect(again).toEqual(once);
    expect(once.bodies).toHaveLength(40);
    expect(new Set(once.bodies.map((body) => (JSON.parse(body) as { model: string }).model))).toEqual(
      new Set(['a', 'b']),
    );
    expect(other.offsets).not.toEqual(once.offsets);
    expect(other.bodies.filter((body) => once.bodies.includes(body))).toEqual([]);
    expect(other.hashes.filter((hash) => once.hashes.includes(hash))).toEqual([]);
  }, 20_000);
});
