// What the media of a config really are: their counts, their places in the text, their colour, and who has seen them before.
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/load';
import { configPitfalls } from '../../../src/pitfalls/check';
import { CLEAN } from './configs';

/** CLEAN with media, and the codes with the place and words of each. */
function found(data: string, directive = ''): string[] {
  const text = `${directive}${CLEAN.replace('api: { type: completion', 'api: { type: chat').replace(/data:[\s\S]*/, data)}`;
  const { loaded, problems } = readConfig(text);
  if (!loaded) throw new Error(problems.map(({ message }) => message).join('\n'));
  return configPitfalls(loaded)
    .filter(({ code }) => ['CMP050', 'CMP105', 'CMP106', 'CMP107'].includes(code))
    .map(({ code, path, message }) => `${code} ${path.slice(1).join('.')}: ${message}`);
}

const synthetic = (media: string): string =>
  `data:\n  type: synthetic\n  input_distribution: { type: fixed, mean: 9 }\n  output_distribution: { type: fixed, mean: 9 }\n  multimodal: ${media}\n`;

describe('media of a config', () => {
  it('a count that its missing min moves says how many there will be', () => {
    const [count] = found(
      synthetic('{ video: { count: { type: normal, mean: 2, std_dev: 0 }, representation: png_frames } }'),
    ).filter((line) => line.startsWith('CMP106'));
    expect(count).toContain('multimodal.video.count');
    expect(count).toContain('about 10 items a request, not 2');
    const far = found(synthetic('{ image: { count: { type: normal, mean: 200, std_dev: 5 } } }'));
    expect(far.filter((line) => line.startsWith('CMP106'))).toEqual([]);
  });

  it('an insertion point from a distribution is 0 or 1, or drops the request', () => {
    const at = (point: string): string | undefined =>
      found(synthetic(`{ audio: { count: { type: fixed, mean: 1 }, insertion_point: ${point} } }`)).find((line) =>
        line.startsWith('CMP106'),
      );
    expect(at('{ type: uniform, min: 0, max: 1 }')).toContain('before the text or behind it');
    expect(at('{ type: normal, mean: 1, std_dev: 0 }')).toContain('dropped');
    expect(at('0.4')).toBeUndefined();
    expect(at('null')).toBeUndefined();
  });

  it('pictures of one colour are named, those of noise are not', () => {
    const image = synthetic('{ image: { count: { type: fixed, mean: 1 } } }');
    expect(found(image).map((line) => line.slice(0, 6))).toEqual(['CMP050']);
    expect(found(image, '# isoperf: media=noise\n')).toEqual([]);
  });

  it('media of a prefix, silence and pooled videos have been seen before', () => {
    const shared = `data:\n  type: shared_prefix\n  shared_prefix: { seed: 1, num_groups: 100, num_prompts_per_group: 10, question_len: 50, multimodal: { image: { count: { type: fixed, mean: 1 } } } }\n`;
    const seen = (data: string): string[] => found(data).filter((line) => line.startsWith('CMP107'));
    expect(seen(shared)[0]).toContain('shared_prefix.multimodal');
    expect(seen(synthetic('{ video: { count: { type: fixed, mean: 1 } } }'))[0]).toContain('pool of four');
    expect(seen(synthetic('{ video: { count: { type: fixed, mean: 1 }, representation: jpeg_frames } }'))).toEqual([]);
    expect(seen(synthetic('{ audio: {} }'))).toEqual([]);
  });

  it('a section of another data type is not made, and says nothing', () => {
    const mock = 'data:\n  type: mock\n  multimodal: { audio: { count: { type: fixed, mean: 1 } } }\n';
    expect(found(mock)).toEqual([]);
  });
});
