// Reports in buckets, through the stores' own libraries against loopback: names, what is never overwritten, and every way it fails.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Problem } from '../../../../src/problem';
import { bucketPlaces, objectName, type BucketPlace } from '../../../../src/folder/storage/place';
import { lookAhead, uploadReport, type Upload } from '../../../../src/folder/storage/upload';
import { fakeGcs, fakeS3, type FakeStore } from './fake-stores';

const SECRET = 'wJalrXUtnFEMI0K7MDENG';
const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-upload-'));
const FILES: Readonly<Record<string, string>> = {
  'run.json': '{"format":"isoperf-run"}',
  'records.jsonl': '{"id":0}\n',
  'local-config.yaml': 'load: {}\n',
  'local-summary_lifecycle_metrics.json': '{"a":1}',
  'local-stage_0_lifecycle_metrics.json': '{"b":"ü"}',
  'local-summary_prometheus_metrics.json': '{}',
  'diary.json': '{"private":true}',
  '.env': 'KEY=1',
};
for (const [name, text] of Object.entries(FILES)) writeFileSync(path.join(folder, name), text);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What the six files of the report are called in the bucket. */
const NAMES = [
  'run-config.yaml',
  'run-stage_0_lifecycle_metrics.json',
  'run-summary_lifecycle_metrics.json',
  'run-summary_prometheus_metrics.json',
  'records.jsonl',
  'run.json',
].sort();

let store: FakeStore;
let problems: Problem[];
beforeEach(() => {
  problems = [];
});
afterEach(async () => {
  await store.close();
});

function place(kind: 's3' | 'gcs', changes: Partial<BucketPlace> = {}): BucketPlace {
  return {
    kind,
    section: kind === 's3' ? 'simple_storage_service' : 'google_cloud_storage',
    bucket: 'reports',
    folder: 'team/run',
    prefix: 'run-',
    ...(kind === 's3' ? { endpoint: store.url } : {}),
    ...changes,
  };
}

function environment(kind: 's3' | 'gcs'): Record<string, string> {
  return kind === 's3'
    ? { AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE', AWS_SECRET_ACCESS_KEY: SECRET, AWS_REGION: 'eu-central-1' }
    : { STORAGE_EMULATOR_HOST: store.url };
}

function upload(to: BucketPlace, env = environment(to.kind)): Promise<Upload> {
  const context = { env, note: (problem: Problem) => problems.push(problem) };
  return uploadReport({ folder, localPrefix: 'local-' }, to, context, () => undefined);
}

describe.each(['s3', 'gcs'] as const)('%s', (kind) => {
  beforeEach(async () => {
    store = await (kind === 's3' ? fakeS3() : fakeGcs());
  });
  const scheme = kind === 's3' ? 's3' : 'gs';

  it('gets every file of the report, under its own prefix, and nothing else of the folder', async () => {
    expect(await upload(place(kind))).toEqual({ to: `${scheme}://reports/team/run/`, written: 6, files: 6 });
    expect([...store.objects.keys()].sort()).toEqual(NAMES.map((name) => `reports/team/run/${name}`));
    expect(store.objects.get('reports/team/run/run-stage_0_lifecycle_metrics.json')).toEqual({
      body: Buffer.from('{"b":"ü"}'),
      contentType: 'application/json',
    });
    expect(store.objects.get('reports/team/run/run-config.yaml')!.contentType).toBe('application/yaml');
    expect([...store.objects.keys()].at(-1)).toBe('reports/team/run/run.json');
    expect(problems).toEqual([]);
  });

  it('keeps what another run put there: the second report goes to a folder of its own, and says so', async () => {
    await upload(place(kind));
    store.objects.set('reports/team/run/run-config.yaml', { body: Buffer.from('first'), contentType: undefined });
    expect(await upload(place(kind))).toMatchObject({ to: `${scheme}://reports/team/run-2/`, written: 6 });
    expect(store.objects.get('reports/team/run/run-config.yaml')!.body.toString()).toBe('first');
    expect(store.objects.size).toBe(12);
    expect(problems.map(({ code }) => code)).toEqual(['RUN036']);
    expect(problems[0]!.message).toContain(`${scheme}://reports/team/run-2/`);
  });

  it('never overwrites, even where it may not list', async () => {
    store.objects.set('reports/team/run/run-config.yaml', { body: Buffer.from('first'), contentType: undefined });
    store.refuse = (method) =>
      method === 'GET' ? { status: 403, code: kind === 's3' ? 'AccessDenied' : 'forbidden' } : undefined;
    expect((await upload(place(kind))).failure).toContain('is there already');
    expect(store.objects.get('reports/team/run/run-config.yaml')!.body.toString()).toBe('first');
    expect(problems[0]!.remedy).toContain('{timestamp}');
  });

  it('works with the right to write alone', async () => {
    store.refuse = (method) =>
      method === 'GET' ? { status: 403, code: kind === 's3' ? 'AccessDenied' : 'forbidden' } : undefined;
    expect(await upload(place(kind))).toMatchObject({ written: 6, files: 6 });
    expect(problems).toEqual([]);
  });

  it('goes to the top of the bucket when the path is empty', async () => {
    await upload(place(kind, { folder: '', prefix: '' }));
    expect(store.objects.has('reports/run.json')).toBe(true);
    expect(store.objects.has('reports/summary_lifecycle_metrics.json')).toBe(true);
  });

  it.each([
    ['a missing bucket', 404, 'NoSuchBucket', 'there is no bucket reports', 'bucket_name'],
    ['no right to write', 403, 'AccessDenied', 'may not write to the bucket reports', 'Allow them'],
  ])('says what a refusal means: %s', async (_, status, code, why, remedy) => {
    store.refuse = (method) => (method === 'GET' ? undefined : { status, code });
    const result = await upload(place(kind));
    expect(result).toMatchObject({ written: 0, files: 6 });
    expect(result.failure).toContain(why);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ code: 'RUN034', severity: 'error' });
    expect(problems[0]!.message).toContain(`${scheme}://reports/team/run/`);
    expect(problems[0]!.message).toContain(`the whole report is in ${folder}`);
    expect(problems[0]!.remedy).toContain(remedy);
  });

  it('names the file that could not be written, and how many were', async () => {
    store.refuse = (_, key) => (key.endsWith('run.json') ? { status: 403, code: 'AccessDenied' } : undefined);
    expect(await upload(place(kind))).toMatchObject({ written: 5, files: 6 });
    expect(problems[0]!.message).toContain('run.json could not be written');
    expect(problems[0]!.message).toContain('5 of 6 files are there');
  });

  it('sends a file that is too large for one piece', async () => {
    const big = path.join(folder, 'local-per_request_lifecycle_metrics.json');
    const text = '0123456789abcdef'.repeat((kind === 's3' ? 65 : 9) * 65_536);
    writeFileSync(big, text);
    try {
      expect(await upload(place(kind))).toMatchObject({ written: 7 });
      const { body } = store.objects.get('reports/team/run/run-per_request_lifecycle_metrics.json')!;
      expect(body.length).toBe(text.length);
      expect(body.equals(Buffer.from(text))).toBe(true);
    } finally {
      rmSync(big);
    }
  });

  it('says before a run that the bucket is not there', async () => {
    store.refuse = () => ({ status: 404, code: 'NoSuchBucket' });
    await lookAhead([place(kind)], { env: environment(kind), note: (problem) => problems.push(problem) });
    expect(problems.map(({ code, severity }) => [code, severity])).toEqual([['RUN035', 'warning']]);
    expect(problems[0]!.message).toContain('there is no bucket reports');
  });

  it('says nothing before a run when all is well', async () => {
    await lookAhead([place(kind)], { env: environment(kind), note: (problem) => problems.push(problem) });
    expect(problems).toEqual([]);
    expect(store.requests.length).toBeGreaterThan(0);
  });
});

describe('s3', () => {
  it('signs with the environment’s key, asks by path, and shows no secret', async () => {
    store = await fakeS3();
    store.refuse = (method) => (method === 'PUT' ? { status: 403, code: 'SignatureDoesNotMatch' } : undefined);
    const result = await upload(place('s3'));
    const put = store.requests.find(({ method }) => method === 'PUT')!;
    expect(put.path).toMatch(/^\/reports\/team\/run\/records\.jsonl/);
    expect(put.headers.authorization).toContain('Credential=AKIAIOSFODNN7EXAMPLE/');
    expect(put.headers.authorization).toContain('/eu-central-1/s3/');
    expect(JSON.stringify(store.requests)).not.toContain(SECRET);
    expect(result.failure).toContain('refused the credentials');
    expect(JSON.stringify(problems)).not.toMatch(/AKIAIOSFODNN7EXAMPLE|wJalrXUtnFEMI/);
  });

  it('the config’s region is over the environment’s', async () => {
    store = await fakeS3();
    await upload(place('s3', { region: 'ap-south-1' }));
    expect(store.requests[0]!.headers.authorization).toContain('/ap-south-1/s3/');
  });

  it('a store that knows no conditional writes is written to all the same', async () => {
    store = await fakeS3(false);
    expect(await upload(place('s3'))).toMatchObject({ written: 6, files: 6 });
    expect(store.objects.size).toBe(6);
  });

  it('a store that is not there', async () => {
    store = await fakeS3();
    const result = await upload(place('s3', { endpoint: 'http://user:hunter2@127.0.0.1:1' }));
    expect(result.failure).toContain('cannot be reached at http://');
    expect(JSON.stringify(problems)).not.toContain('hunter2');
    expect(problems[0]!.remedy).toContain('endpoint_url');
  });
});

describe('names', () => {
  beforeEach(async () => {
    store = await fakeS3();
  });

  it('come from the storage section', () => {
    const places = bucketPlaces({
      google_cloud_storage: { bucket_name: 'g', path: '/a/b/', report_file_prefix: null },
      simple_storage_service: {
        bucket_name: 's',
        path: 'c',
        report_file_prefix: 'p-',
        endpoint_url: 'http://minio:9000',
        region_name: 'r',
        addressing_style: 'virtual',
      },
    });
    expect(places).toEqual([
      { kind: 'gcs', section: 'google_cloud_storage', bucket: 'g', folder: 'a/b', prefix: '' },
      {
        kind: 's3',
        section: 'simple_storage_service',
        bucket: 's',
        folder: 'c',
        prefix: 'p-',
        endpoint: 'http://minio:9000',
        region: 'r',
        addressing: 'virtual',
      },
    ]);
    expect(bucketPlaces(null)).toEqual([]);
  });

  it('leave out what is no part of a report', () => {
    const to = place('s3');
    expect(objectName('adapter_a_stage_0_lifecycle_metrics.json', '', to)).toBe(
      'run-adapter_a_stage_0_lifecycle_metrics.json',
    );
    expect(objectName('notes.json', '', to)).toBeUndefined();
    expect(objectName('run.json.tmp', '', to)).toBeUndefined();
    expect(objectName('summary_lifecycle_metrics.json', 'local-', to)).toBeUndefined();
  });
});
