// CMP094: The clock starts at another moment.
import type { QuantityId } from '../../readers/canonical';
import { type Between, definitionOf, type Facts } from '../pair';
import type { Pitfall } from '../pitfall';

const clockStart: Between = (pair) => {
  const has = (facts: Facts, ...ids: readonly QuantityId[]): boolean =>
    ids.some((id) => definitionOf(facts, id) !== undefined);
  const scheduled = (facts: Facts): boolean =>
    has(facts, 'e2e_schedule', 'ttft_schedule') && !has(facts, 'e2e', 'ttft');
  const sent = (facts: Facts): boolean => has(facts, 'e2e', 'ttft') && !has(facts, 'e2e_schedule', 'ttft_schedule');
  const [x, y] = [pair.a, pair.b];
  if (!(scheduled(x) && sent(y)) && !(sent(x) && scheduled(y))) return undefined;
  return `latency begins at the scheduled time on ${scheduled(x) ? 'A' : 'B'} and at the send on the other side`;
};

export const CMP094: Pitfall = {
  code: 'CMP094',
  title: 'The clock starts at another moment',
  consequence:
    'From the scheduled time on, waiting in the client is part of the latency; from the send on it is not. Under load the two are a whole queue apart.',
  remedy: 'Add the schedule delay to the side that leaves it out, or compare at a load without waiting.',
  moves: ['ttft', 'request_latency'],
  configPaths: [],
  source: 'MLCommons inference rules: the server scenario',
  between: {
    words: 'One report has its latency from the schedule only, the other from the send only.',
    look: clockStart,
  },
};
