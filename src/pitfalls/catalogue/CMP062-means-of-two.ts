// CMP062: Means of different things.
import type { QuantityId } from '../../readers/canonical';
import { type Between, definitionOf, type Facts } from '../pair';
import type { Pitfall } from '../pitfall';

const meansOfTwo: Between = (pair) => {
  const has = (facts: Facts, ...ids: readonly QuantityId[]): boolean =>
    ids.some((id) => definitionOf(facts, id) !== undefined);
  const tpotOnly = (facts: Facts): boolean => has(facts, 'tpot') && !has(facts, 'token_gap', 'chunk_gap');
  const gapOnly = (facts: Facts): boolean => !has(facts, 'tpot') && has(facts, 'token_gap', 'chunk_gap');
  const [x, y] = [pair.a, pair.b];
  if (!(tpotOnly(x) && gapOnly(y)) && !(gapOnly(x) && tpotOnly(y))) return undefined;
  return `${tpotOnly(x) ? 'A' : 'B'} has a TPOT (a mean over requests) and no gaps, the other side gaps (a mean over gaps) and no TPOT: neither stands in for the other`;
};

export const CMP062: Pitfall = {
  code: 'CMP062',
  title: 'Means of different things',
  consequence: 'TPOT weighs every request alike, ITL every token: their means differ on the same run.',
  remedy: 'Never set one against the other.',
  moves: ['tpot', 'itl'],
  configPaths: [],
  source: 'inference-perf: inference_perf/reportgen/base.py',
  between: { words: 'One report has TPOT and no gaps, the other gaps and no TPOT.', look: meansOfTwo },
};
