// Runs whose config names buckets: the local report first, its copy after it, and what remains when the copy fails.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startSimulator, type Simulator } from '../../../src/simulator/server';
import { fakeGcs, fakeS3, type FakeStore } from '../folder/storage/fake-stores';
import { configOf, harness, readJson, type Harness } from './harness';

let sim: Simulator;
let h: Harness;
let store: FakeStore;
beforeAll(async () => {
  sim = await startSimulator({ port: 0, ttftSeconds: 0.002, tokenSeconds: 0.001 });
});
afterAll(() => sim.close());
afterEach(async () => {
  h.remove();
  await store.close();
});

const SECRET = 'wJalrXUtnFEMI0K7MDENG';
const KEYS = { AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE', AWS_SECRET_ACCESS_KEY: SECRET };

function config(storage: string): string {
  return `${configOf({ url: sim.url })}storage: ${storage}\n`;
}

function s3(changes = ''): string {
  return config(
    `{ simple_storage_service: { bucket_name: b, path: "lab/{timestamp}", report_file_prefix: x-, endpoint_url: "${store.url}"${changes} } }`,
  );
}

describe('a config with a bucket', () => {
  it('has its whole report there, equal to the local one', async () => {
    h = harness();
    store = await fakeS3();
    const run = await h.ran(s3(), { env: KEYS });
    expect(run.invalid).toBeUndefined();
    const [upload] = run.uploads;
    expect(upload).toMatchObject({ written: 6, files: 6 });
    expect(upload!.to).toMatch(/^s3:\/\/b\/lab\/\d{8}-\d{6}\/$/);
    const folder = upload!.to.slice('s3://'.length);
    const names = [...store.objects.keys()].map((key) => key.slice(folder.length)).sort();
    expect(names).toEqual([
      'records.jsonl',
      'run.json',
      'x-config.yaml',
      'x-per_request_lifecycle_metrics.json',
      'x-stage_0_lifecycle_metrics.json',
      'x-summary_lifecycle_metrics.json',
    ]);
    for (const name of names.filter((file) => file !== 'run.json')) {
      const local = readFileSync(path.join(run.folder, name.replace(/^x-/, '')));
      expect(store.objects.get(`${folder}${name}`)!.body.equals(local)).toBe(true);
    }
    const manifest = JSON.parse(store.objects.get(`${folder}run.json`)!.body.toString()) as { state: string };
    expect(manifest.state).toBe('complete');
    expect(h.events.filter(({ type }) => type === 'uploading')).toHaveLength(6);
    expect(h.events.at(-1)!.type).toBe('finished');
  });

  it('goes to two stores at once', async () => {
    h = harness();
    store = await fakeS3();
    const google = await fakeGcs();
    try {
      const run = await h.ran(
        config(
          `{ google_cloud_storage: { bucket_name: g, path: p }, simple_storage_service: { bucket_name: b, path: p, endpoint_url: "${store.url}" } }`,
        ),
        { env: { ...KEYS, STORAGE_EMULATOR_HOST: google.url } },
      );
      expect(run.uploads.map(({ to, failure }) => [to, failure])).toEqual([
        ['gs://g/p/', undefined],
        ['s3://b/p/', undefined],
      ]);
      expect(google.objects.has('g/p/run.json')).toBe(true);
      expect(store.objects.has('b/p/run.json')).toBe(true);
    } finally {
      await google.close();
    }
  });

  it('keeps a whole, valid local report when the bucket refuses, and says so in it', async () => {
    h = harness();
    store = await fakeS3();
    store.refuse = () => ({ status: 404, code: 'NoSuchBucket' });
    const run = await h.ran(s3(), { env: KEYS });
    expect(run.invalid).toBeUndefined();
    expect(run.uploads[0]!.failure).toBe('there is no bucket b');
    const manifest = readJson(run.folder, 'run.json') as { state: string; problems: { code: string }[] };
    expect(manifest.state).toBe('complete');
    expect(manifest.problems.map(({ code }) => code)).toEqual(expect.arrayContaining(['RUN034', 'RUN035']));
    expect(readJson(run.folder, 'summary_lifecycle_metrics.json')).toMatchObject({ successes: { count: 40 } });
  });

  it('writes no credential into the report, whatever the config’s address carries', async () => {
    h = harness();
    store = await fakeS3();
    const run = await h.ran(
      config(
        `{ simple_storage_service: { bucket_name: b, path: p, endpoint_url: "${store.url.replace('//', '//user:hunter2@')}" } }`,
      ),
      { env: KEYS },
    );
    const written = [...store.objects.values()].map(({ body }) => body.toString()).join('\n');
    const kept = ['run.json', 'config.yaml']
      .map((name) => readFileSync(path.join(run.folder, name), 'utf8'))
      .join('\n');
    for (const secret of [SECRET, KEYS.AWS_ACCESS_KEY_ID, 'hunter2']) {
      expect(written).not.toContain(secret);
      expect(kept).not.toContain(secret);
      expect(JSON.stringify(h.events)).not.toContain(secret);
    }
  });

  it('uploads nothing of a trial against the embedded simulator', async () => {
    h = harness();
    store = await fakeS3();
    const run = await h.ran(s3(), { env: KEYS, endpointKind: 'simulator' });
    expect(run.uploads).toEqual([]);
    expect(store.requests).toEqual([]);
  });
});
