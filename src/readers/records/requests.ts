// The requests of a run, whoever kept them: the rows of any tool's per-request file, or our own records as they are.
import type { RequestRecord } from '../../metrics/record';
import { itlGapsSeconds, writeItlGaps, type MeasuredRequest } from '../../metrics/request-metrics';
import type { TokenCounter } from '../canonical';

/** Rows are numbered from 0, in the file's order. */
export interface Requests {
  readonly length: number;
  /** One request; valid until the next call. */
  at(index: number): MeasuredRequest;
  isFailed(index: number): boolean;
  /** Gaps of the chosen requests, one after another; gaps that are no number are left out. */
  gapsOf(chosen: (index: number) => boolean): Float64Array;
  /** Gaps that were not kept. */
  readonly droppedGaps: number;
  /** Requests of which something was left out, because it cannot be. */
  readonly impossible: number;
  /**
   * False when the file does not say when its requests began: each is then on a clock of its own that starts at its `sent`, 0. Latencies
   * are right, and there are no windows, rates or cuts by time. Rows are in order of sending.
   */
  readonly hasStarts: boolean;
  /**
   * Of a file that keeps one number per request: whose it is, which no request says by itself. It stands as the server's where the
   * server may have counted it, else as the client's. Empty: every count is what its name says.
   */
  readonly oneCount: { readonly input?: TokenCounter; readonly output?: TokenCounter };
}

/** Records of ours; those that were cancelled or never sent are in no number, as in our reports. */
export function ownRequests(records: readonly RequestRecord[], basis: 'tokens' | 'chunks'): Requests {
  const counted = records.filter(({ outcome: { kind } }) => kind === 'ok' || kind === 'failed');
  const basisOf = (record: RequestRecord): typeof basis => (record.chunkTokens ? basis : 'chunks');
  return {
    length: counted.length,
    at: (index) => counted[index]!,
    isFailed: (index) => counted[index]!.outcome.kind === 'failed',
    gapsOf: (chosen) => {
      const wanted = counted.filter((_, index) => chosen(index));
      const total = wanted.reduce((sum, record) => sum + itlGapsSeconds(record, basisOf(record)).length, 0);
      const gaps = new Float64Array(total);
      let to = 0;
      for (const record of wanted) to = writeItlGaps(record, basisOf(record), gaps, to);
      return gaps;
    },
    droppedGaps: 0,
    // `readRecords` leaves such lines out.
    impossible: 0,
    hasStarts: true,
    oneCount: {},
  };
}
