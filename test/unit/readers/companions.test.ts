// Which files are read with the one that was named.
import { expect, it } from 'vitest';
import { companions } from '../../../src/readers/companions';

const BESIDE = ['x_aiperf.json', 'x.jsonl', 'y.jsonl', 'profile_export.jsonl', 'profile_export_aiperf.json', 'z.json'];

it.each([
  ['x_aiperf.json', ['x_aiperf.json', 'x.jsonl']],
  ['x.jsonl', ['x.jsonl', 'x_aiperf.json']],
  ['profile_export_aiperf.json', ['profile_export_aiperf.json', 'profile_export.jsonl']],
  ['y.jsonl', ['y.jsonl']],
  ['z.json', ['z.json']],
  ['alone_aiperf.json', ['alone_aiperf.json']],
])('%s', (file, all) => {
  expect(companions(file, BESIDE)).toEqual(all);
});
