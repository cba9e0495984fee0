// Found by mutation: a number that is no count of tokens, and a key that is not there, end no reader.
import { expect, it } from 'vitest';
import { openForeign } from '../../../src/readers/foreign';
import { readRecords } from '../../../src/folder/read-records';
import { memoryFolder } from '../support/memory-folder';
import { LLMPERF } from './tool-files';

it('a record whose chunks hold more tokens than any answer is left out, and named', async () => {
  const record = (tokens: number) =>
    JSON.stringify({
      ...{ id: tokens === 1 ? 0 : 1, stage: 0, scheduledSeconds: 0, sentSeconds: 0, endSeconds: 1, promptHash: 'x' },
      ...{ chunkSeconds: [0.5, 1], chunkTokens: [1, tokens], outcome: { kind: 'ok' } },
    });
  const folder = memoryFolder({ 'records.jsonl': `${record(1e20)}\n${record(1)}\n` });
  const read = (await readRecords(folder, 'records.jsonl'))!;
  expect(read.records).toHaveLength(1);
  expect(read.problems.map(({ message }) => message).join()).toContain("'chunkTokens'");
});

it('an llmperf summary without its version is read', async () => {
  const { version: _, ...rest } = LLMPERF;
  expect(_).toBe('2023-08-31');
  const opened = await openForeign(memoryFolder({ 'r_summary.json': JSON.stringify(rest) }));
  expect(opened.ok && opened.value.reports[0]!.report.versionClass.evidence).toContain('version not recorded');
});
