// Requests with images, videos and sounds: what is drawn, where it stands in the text, and that it is the same for a seed.
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { joinBlocks, weave, type MediaPlan } from '../../../../src/datagen/media/media';
import { prepareWorkload, type Workload, type WorkloadData } from '../../../../src/datagen/workload';
import type { ContentBlock } from '../../../../src/datagen/prompts';

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const picture = (name: string): ContentBlock => ({ type: 'image_url', image_url: { url: name } });

describe('media in a text', () => {
  it('cut it in code points, and leave no empty pieces', () => {
    const placed = [{ at: 0.6, blocks: [picture('a')] }];
    expect(weave('héé🙂x', placed)).toEqual([text('héé'), picture('a'), text('🙂x')]);
    expect(weave('ab', [{ at: 0, blocks: [picture('a')] }])).toEqual([picture('a'), text('ab')]);
    expect(weave('ab', [{ at: 1, blocks: [picture('a')] }])).toEqual([text('ab'), picture('a')]);
    expect(weave('', placed)).toEqual([picture('a')]);
    expect(weave('ab', [])).toEqual([text('ab')]);
  });

  it('keep their order where they stand at one place', () => {
    const placed = ['a', 'b', 'c'].map((name) => ({ at: name === 'c' ? 0 : 0.5, blocks: [picture(name)] }));
    expect(weave('abcd', placed)).toEqual([picture('c'), text('ab'), picture('a'), picture('b'), text('cd')]);
  });

  it('of a prefix and a question are joined by one blank', () => {
    expect(joinBlocks([picture('p'), text('pre')], [text('ask'), picture('q')])).toEqual([
      picture('p'),
      text('pre ask'),
      picture('q'),
    ]);
    expect(joinBlocks([text('pre'), picture('p')], [text('ask')])).toEqual([
      text('pre'),
      picture('p'),
      text(' '),
      text('ask'),
    ]);
    expect(joinBlocks([], [text('ask')])).toEqual([text('ask')]);
  });
});

const fixed = (mean: number) => ({ type: 'fixed', min: 0, max: 1000, mean, std_dev: 0, skew: 0 }) as const;
const size = (width: number, height: number) => [{ value: { width, height }, weight: 1 }];
const PLAN: MediaPlan = {
  filling: 'solid',
  image: { count: fixed(2), at: 0.5, sizes: size(30, 20), format: 'png' },
  video: {
    count: fixed(1),
    at: 0,
    profiles: [{ value: { size: { width: 17, height: 16 }, frames: 3 }, weight: 1 }],
    format: 'jpeg',
  },
  audio: { count: fixed(1), at: 1, durations: [{ value: 0.5, weight: 1 }] },
};

async function made(data: WorkloadData, count: number, seed = 1, stages = 1): Promise<Workload> {
  const workload = await prepareWorkload({
    data,
    body: { model: 'm', api: 'chat', streaming: true, ignoreEos: true },
    isMockServer: false,
    seed,
    stages: Array.from({ length: stages }, (_, index) => ({ name: { kind: 'measured', index } as const, count })),
  });
  if (!workload.ok) throw new Error(workload.problems[0]!.message);
  return workload.value;
}

function contentOf(workload: Workload, index: number, stage = 0): ContentBlock[] {
  const body = JSON.parse(String(workload.stages[stage]![index]!.body)) as { messages: { content: ContentBlock[] }[] };
  expect(body.messages).toHaveLength(1);
  return body.messages[0]!.content;
}

const SYNTHETIC: WorkloadData = { type: 'synthetic', inputDistribution: fixed(20), media: { payload: PLAN } };

describe('synthetic texts with media', () => {
  it('are chats of one message that ask for 30 tokens', async () => {
    const workload = await made(SYNTHETIC, 1);
    const [request] = workload.stages[0]!;
    expect(request).toMatchObject({ api: 'chat', route: '/v1/chat/completions', maxTokens: 30 });
    expect(request!.askedPromptTokens).toBeUndefined();
    const kinds = contentOf(workload, 0).map((block) =>
      block.type === 'image_url' ? block.image_url.url.slice(5, block.image_url.url.indexOf(';')) : block.type,
    );
    expect(kinds).toEqual([
      ...new Array<string>(3).fill('image/jpeg'),
      'text',
      'image/png',
      'image/png',
      'text',
      'input_audio',
    ]);
    expect(request!.media).toMatchObject({
      image: [
        { width: 30, height: 20 },
        { width: 30, height: 20 },
      ],
      video: [{ width: 17, height: 16, frames: 3 }],
      audio: [{ bytes: 16_044, seconds: 0.5 }],
    });
  });

  it('count their text alone as a tokenizer would', async () => {
    const workload = await made(SYNTHETIC, 1);
    const [only, ...others] = workload.stages[0]![0]!.promptTexts;
    expect(others).toEqual([]);
    expect(only!.split(' ')).toHaveLength(20);
  });

  it('are the same for a seed, another for another, and another in each request and stage', async () => {
    const [one, again, other] = [
      await made(SYNTHETIC, 2, 1, 2),
      await made(SYNTHETIC, 2, 1, 2),
      await made(SYNTHETIC, 2, 2),
    ];
    const hashes = (workload: Workload): string[] => workload.stages.flat().map(({ promptHash }) => promptHash);
    expect(hashes(again)).toEqual(hashes(one));
    expect(new Set([...hashes(one), ...hashes(other)]).size).toBe(6);
    const pictures = [0, 1].flatMap((stage) => [0, 1].map((index) => JSON.stringify(contentOf(one, index, stage)[0])));
    expect(new Set(pictures).size).toBe(4);
  });

  it('take 100 words where no length is given', async () => {
    const workload = await made({ ...SYNTHETIC, inputDistribution: undefined }, 1);
    expect(workload.stages[0]![0]!.promptTexts[0]!.split(' ')).toHaveLength(100);
  });

  it('choose sizes by weight, and the first where no weight is positive', async () => {
    const sizes = [
      { value: { width: 8, height: 8 }, weight: 1 },
      { value: { width: 16, height: 16 }, weight: 3 },
    ];
    const plan = (weights: readonly number[]): WorkloadData => ({
      ...SYNTHETIC,
      media: {
        payload: {
          filling: 'solid',
          image: {
            count: fixed(1),
            at: null,
            format: 'png',
            sizes: sizes.map(({ value }, index) => ({ value, weight: weights[index]! })),
          },
        },
      },
    });
    const share = async (weights: readonly number[]): Promise<number> => {
      const workload = await made(plan(weights), 400);
      return workload.stages[0]!.filter(({ media }) => media!.image![0]!.width === 16).length / 400;
    };
    expect(await share([1, 3])).toBeGreaterThan(0.65);
    expect(await share([1, 3])).toBeLessThan(0.85);
    expect(await share([0, 0])).toBe(0);
    expect(await share([0, 2])).toBe(1);
  });
});

describe('a shared prefix with media', () => {
  const shared: WorkloadData = {
    type: 'shared_prefix',
    sharedPrefix: {
      groups: 2,
      promptsPerGroup: 2,
      systemPromptLength: 12,
      questionLength: 6,
      outputLength: 9,
      seed: 3,
    },
    media: {
      prefix: { filling: 'solid', image: { count: fixed(1), at: 0, sizes: size(8, 8), format: 'png' } },
      payload: { filling: 'solid', image: { count: fixed(1), at: 1, sizes: size(9, 9), format: 'png' } },
    },
  };

  it('goes to the chat route: the prefix’s media are its group’s, the question’s are each request’s own', async () => {
    const workload = await made(shared, 8);
    const requests = workload.stages[0]!;
    expect(new Set(requests.map(({ route, maxTokens }) => `${route} ${maxTokens}`))).toEqual(
      new Set(['/v1/chat/completions 9']),
    );
    const contents = requests.map((_, index) => contentOf(workload, index));
    for (const content of contents) expect(content.map(({ type }) => type)).toEqual(['image_url', 'text', 'image_url']);
    const byPrefix = new Map<string, Set<string>>();
    for (const [image, words] of contents) {
      const prefix = (words as { text: string }).text.split(' ').slice(0, 12).join(' ');
      byPrefix.set(prefix, (byPrefix.get(prefix) ?? new Set()).add(JSON.stringify(image)));
    }
    expect([...byPrefix.values()].map((images) => images.size)).toEqual([1, 1]);
    expect(new Set(contents.map((content) => JSON.stringify(content[2]))).size).toBe(8);
    expect(new Set(requests.map(({ promptTexts }) => promptTexts[0]!.split(' ').length))).toEqual(new Set([18]));
  });
});

describe('VisionArena', () => {
  const arena = (more: Partial<NonNullable<WorkloadData['visionArena']>> = {}): WorkloadData => ({
    type: 'visionarena',
    visionArena: {
      place: path.join(import.meta.dirname, '../../../fixtures/parquet/pictures.parquet'),
      configured: 'pictures',
      files: undefined,
      rows: 1000,
      mostImages: 2,
      insertionPoint: 0,
      ...more,
    },
  });

  it('sends the questions with their images’ own bytes, in turn', async () => {
    const workload = await made(arena(), 4);
    const requests = workload.stages[0]!;
    expect(requests.map(({ media }) => media!.image!.map(({ width, height }) => [width, height]))).toEqual([
      [[12, 8]],
      [[6, 6]],
      [
        [10, 20],
        [33, 17],
      ],
      [[12, 8]],
    ]);
    expect(requests[3]!.promptHash).toBe(requests[0]!.promptHash);
    const [webp, jpeg, question] = contentOf(workload, 2);
    expect(JSON.stringify(webp)).toContain('data:image/webp;base64,UklGR');
    expect(JSON.stringify(jpeg)).toContain('data:image/jpeg;base64,/9j/');
    expect(question).toEqual(text('Two pictures: ünïcödé 🙂?'));
    expect(requests[2]!.maxTokens).toBe(30);
  });

  it('looks at no more images than asked for, and keeps no more rows', async () => {
    const one = await made(arena({ mostImages: 1 }), 2);
    // The GIF is the first image of its row.
    expect(one.stages[0]!.map(({ media }) => media!.image![0]!.width)).toEqual([12, 10]);
    const first = await made(arena({ rows: 1 }), 2);
    expect(first.stages[0]!.map(({ media }) => media!.image![0]!.width)).toEqual([12, 12]);
  });

  it('places images where numpy’s generator of the request’s number says, if no place is given', async () => {
    const workload = await made(arena({ insertionPoint: null, rows: 1 }), 3);
    const question = 'What colour is the sky here?';
    const cuts = [0.6369616873214543, 0.5118216247002567, 0.2616121342493164].map((at) =>
      Math.floor(at * question.length),
    );
    for (const [index, cut] of cuts.entries()) {
      const content = contentOf(workload, index);
      expect(content[0]).toEqual(text(question.slice(0, cut)));
      expect(content[2]).toEqual(text(question.slice(cut)));
    }
  });

  it.each([
    ['a place that is not there', { place: '/nowhere/at/all' }, 'RUN050'],
    ['no place', { place: undefined }, 'RUN050'],
    ['a folder without such files', { place: import.meta.dirname }, 'RUN051'],
    [
      'a pattern that fits nothing',
      { place: path.join(import.meta.dirname, '../../../fixtures/parquet'), files: 'x-*' },
      'RUN051',
    ],
    ['other data', { place: path.join(import.meta.dirname, '../../../fixtures/parquet/news-0.parquet') }, 'RUN052'],
  ])('refuses %s with a remedy', async (_name, more, code) => {
    const refused = await prepareWorkload({
      data: arena(more),
      body: { model: 'm', api: 'chat', streaming: true, ignoreEos: true },
      isMockServer: false,
      seed: 1,
      stages: [{ name: { kind: 'measured', index: 0 }, count: 1 }],
    });
    expect(refused.ok).toBe(false);
    expect(refused.problems[0]).toMatchObject({ code, remedy: expect.stringMatching(/\w/) as string });
  });
});
