// Azure's trace files: times to the microsecond, headers or none, lines that cannot be read, order.
import { describe, expect, it } from 'vitest';
import { readAzureTrace } from '../../../src/datagen/azure-trace';

describe('readAzureTrace', () => {
  it('counts from the first request, to the microsecond', () => {
    const trace = readAzureTrace(
      'TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n',
    );
    expect([...trace.offsetsSeconds]).toEqual([0, 4.314579]);
    expect(trace.promptTokens).toEqual([374, 396]);
    expect(trace.outputTokens).toEqual([44, 109]);
    expect(trace).toMatchObject({ unreadable: [], wasUnsorted: false });
  });

  it.each([
    ['no header', '2024-05-12 00:00:00,1,2\n2024-05-12 00:00:01.5,3,4', [0, 1.5]],
    [
      'ISO with T and Z, CRLF, quotes, more columns',
      '"2024-05-12T00:00:00Z",1,2,x\r\n"2024-05-12T00:01:00.25Z",3,4,y\r\n',
      [0, 60.25],
    ],
    ['a byte order mark', '\uFEFF2024-05-12 00:00:00,1,2\n2024-05-13 00:00:00,1,2', [0, 86400]],
  ])('%s', (_, text, offsets) => {
    expect([...readAzureTrace(text).offsetsSeconds]).toEqual(offsets);
  });

  it('names the lines it could not read', () => {
    const trace = readAzureTrace(
      'TIMESTAMP,C,G\n2024-01-01 00:00:00,1,2\nnonsense\n2024-01-01 00:00:02,1\n2024-01-01 00:00:03,1,2',
    );
    expect(trace.unreadable).toEqual([3, 4]);
    expect([...trace.offsetsSeconds]).toEqual([0, 3]);
  });

  it('puts lines in order of time, lengths with them', () => {
    const trace = readAzureTrace('2024-01-01 00:00:05,5,50\n2024-01-01 00:00:02,2,20');
    expect(trace.wasUnsorted).toBe(true);
    expect([...trace.offsetsSeconds]).toEqual([0, 3]);
    expect(trace.promptTokens).toEqual([2, 5]);
    expect(trace.outputTokens).toEqual([20, 50]);
  });
});
