// Runs with images, videos and sounds: what reaches the server, what reports and run.json say of it, and how two such runs are judged.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { diskFolder } from '../../../src/cli/folder';
import { compare } from '../../../src/comparability/compare';
import type { FinishedRun } from '../../../src/run';
import type { Run } from '../../../src/readers/run';
import { readRun } from '../../../src/readers/read';
import { reportView } from '../../../src/views/report/view';
import { startSimulator, type Simulator } from '../../../src/simulator/server';
import { configOf, harness, readJson, type Harness } from './harness';

let h: Harness;
let sim: Simulator;
beforeAll(async () => {
  sim = await startSimulator({ port: 0, ttftSeconds: 0.005, tokenSeconds: 0.001 });
});
afterAll(() => sim.close());
afterEach(() => {
  h.remove();
});

const fixed = (mean: number): string => `{ type: fixed, mean: ${mean}, min: 0 }`;
const media = (more: string): string =>
  `{ type: synthetic, input_distribution: ${fixed(12)}, output_distribution: ${fixed(7)}, multimodal: ${more} }`;
const IMAGES = (width: number): string =>
  media(`{ image: { count: ${fixed(1)}, insertion_point: 0, resolutions: { width: ${width}, height: 20 } } }`);
const config = (data: string, head = ''): string =>
  head + configOf({ url: sim.url, api: '{ type: chat, streaming: true }', data });

async function read(run: FinishedRun): Promise<Run> {
  const opened = await readRun(diskFolder('report', run.folder));
  if (!opened.ok) throw new Error(opened.problems[0]!.message);
  return opened.value;
}

describe('a run with media', () => {
  it('keeps what each request carried, and reports it under inference-perf’s names', async () => {
    h = harness();
    const all = media(
      `{ image: { count: ${fixed(2)}, resolutions: { width: 30, height: 20 } }, ` +
        `video: { count: ${fixed(1)}, representation: jpeg_frames, profiles: { resolution: { width: 16, height: 9 }, frames: 3 } }, ` +
        `audio: { count: ${fixed(1)}, durations: 0.25 } }`,
    );
    const { folder, manifest, records, problems } = { problems: [], ...(await h.ran(config(all))) };
    expect(problems).toEqual([]);
    expect(manifest.workload.media).toMatchObject({
      filling: 'solid',
      imagesPerRequest: 2,
      pixelsPerImage: 600,
      videosPerRequest: 1,
      framesPerVideo: 3,
      soundsPerRequest: 1,
      secondsPerSound: 0.25,
    });
    for (const { media: sent, maxTokens } of records) {
      expect(maxTokens).toBe(30);
      expect(sent?.image).toHaveLength(2);
      expect(sent?.audio).toEqual([{ bytes: 8044, seconds: 0.25 }]);
    }
    expect(readJson(folder, 'summary_lifecycle_metrics.json')).toMatchObject({
      successes: {
        image: { count: { mean: 2 }, pixels: { mean: 600 }, aspect_ratio: { mean: 1.5 } },
        video: { frames: { mean: 3 }, pixels: { mean: 144 } },
        audio: { seconds: { mean: 0.25 } },
      },
    });
    const [first] = readJson(folder, 'per_request_lifecycle_metrics.json') as {
      request: string;
      info: { request_metrics: unknown };
    }[];
    expect(first!.info.request_metrics).toMatchObject({
      image: { count: 2, instances: [{ pixels: 600 }, { pixels: 600 }] },
      video: { count: 1, instances: [{ frames: 3, pixels: 144 }] },
      audio: { count: 1, instances: [{ bytes: 8044, seconds: 0.25 }] },
    });
    expect(JSON.stringify(JSON.parse(first!.request))).toContain('"data:image/png;base64,');
  });

  it('is compared with its like: the size of images and what they hold are part of the prompts', async () => {
    h = harness();
    const runs = new Map<string, Run>();
    for (const [name, text] of [
      ['a', config(IMAGES(30))],
      ['other seed', config(IMAGES(30)).replace('seed=5', 'seed=6')],
      ['wider', config(IMAGES(60))],
      ['noise', config(IMAGES(30), '# isoperf: media=noise\n')],
      ['none', config(`{ type: shared_prefix, shared_prefix: { question_len: 12, output_len: 30 } }`)],
    ] as const) {
      runs.set(name, await read(await h.ran(text, { out: name.replace(' ', '-') })));
    }
    const judged = (b: string) =>
      compare(runs.get('a')!, runs.get(b)!, { resamples: 0 }).findings.find(
        ({ dimension }) => dimension === 'prompt-identity',
      )!;
    expect(judged('other seed').state).toBe('same');
    expect(judged('wider')).toMatchObject({ state: 'confounds' });
    expect(judged('wider').message).toMatch(/600 pixels an image[^;]* on A, [^;]*1[,.]?20[^;]* pixels an image/);
    expect(judged('noise').message).toMatch(/filled with one colour on A, .*filled with noise on B/);
    expect(judged('none').state).toBe('confounds');
    // On one screen, the media come before the hash of the prompts.
    const differing = judged('wider').a.evidence.findIndex(({ value }) => String(value).includes('600 pixels'));
    expect(differing).toBeGreaterThanOrEqual(0);
    expect(judged('wider').a.evidence.findIndex(({ key }) => key.includes('promptsHash'))).toBeGreaterThan(differing);
    const told = reportView(runs.get('a')!).provenance.flatMap(({ facts }) => facts);
    expect(told.find(({ label }) => label === 'Media')?.value).toContain('600 pixels an image');
    expect(
      reportView(runs.get('none')!)
        .provenance.flatMap(({ facts }) => facts)
        .map(({ label }) => label),
    ).not.toContain('Media');
  });
});

describe('what reaches the server', () => {
  let recorder: Server;
  const bodies: string[] = [];
  beforeAll(async () => {
    recorder = createServer((request, response) => {
      let body = '';
      request.on('data', (bytes: Buffer) => (body += bytes.toString()));
      request.on('end', () => {
        if (request.url === '/v1/chat/completions') bodies.push(body);
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ choices: [{ message: { content: 'a b' }, finish_reason: 'stop' }] }));
      });
    });
    await new Promise<void>((resolve) => recorder.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => recorder.close());

  it('of VisionArena are the rows in turn, each picture’s bytes as they are', async () => {
    h = harness();
    const folder = path.join(import.meta.dirname, '../../fixtures/parquet/pictures.parquet');
    const url = `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`;
    await h.ran(
      configOf({
        url,
        api: '{ type: chat, streaming: false }',
        data: `{ type: visionarena, visionarena: { hf_dataset_name: "${folder}", insertion_point: 0.5 } }`,
        load: '{ type: concurrent, num_workers: 1, stages: [{ concurrency_level: 1, num_requests: 3 }] }',
      }),
    );
    // The probe for the model's name asks for one token.
    const sent = bodies.map((body) => JSON.parse(body) as { max_tokens: number; messages: { content: unknown }[] });
    const own = sent.filter(({ max_tokens: most }) => most === 30).map(({ messages }) => JSON.stringify(messages));
    expect(own).toHaveLength(3);
    expect(own[0]).toContain('"What colour is"');
    expect(own[0]).toContain('data:image/png;base64,iVBORw0KGgo');
    expect(own[1]).toContain('data:image/webp;base64,UklGR');
    expect(own[2]).toBe(own[0]);
  });
});
