// Pitfalls between two reports that lie in what their tools mean by a name: ends, starts, anchors, weights, percentiles.
import type { QuantityId } from '../readers/canonical';
import { definitionOf, type Between, type Facts, type Pair } from './pitfalls-pair';

const endOfRequest: Between = (pair) => {
  if (pair.a.side.run.tool.name === pair.b.side.run.tool.name) return undefined;
  const [x, y] = [definitionOf(pair.a, 'e2e')?.end, definitionOf(pair.b, 'e2e')?.end];
  if (x === undefined || y === undefined || x === y) return undefined;
  const words = (end: string): string => end.replace('-', ' ');
  return `a request ends at the ${words(x)} on A and at the ${words(y)} on B`;
};

/** What tools call it, whatever they mean: letters only, so that `mean_itl_ms` and `inter_token_latency` meet. */
function nameOf(key: string): string | undefined {
  const name = key.toLowerCase();
  if (/itl|inter_?token_?latency/.test(name)) return 'inter-token latency';
  if (/ntpot|normalized_time_per_output/.test(name)) return undefined;
  if (/tpot|time_?per_?output_?token/.test(name)) return 'time per output token';
  return undefined;
}

const sameName: Between = (pair) => {
  const meant = ({ report }: Facts): ReadonlyMap<string, QuantityId> =>
    new Map(
      report.scopes.flatMap(({ measures }) =>
        measures.flatMap(({ quantity, source }) => {
          const name = nameOf(source.key);
          return name === undefined ? [] : [[name, quantity] as const];
        }),
      ),
    );
  if (pair.a.side.run.tool.name === pair.b.side.run.tool.name) return undefined;
  const [x, y] = [meant(pair.a), meant(pair.b)];
  const words = [...x].flatMap(([name, quantity]) => {
    const other = y.get(name);
    return other === undefined || other === quantity
      ? []
      : [`${name} is ${spelled(quantity)} on A and ${spelled(other)} on B`];
  });
  return words.length === 0 ? undefined : words.join('; ');
};

function spelled(quantity: QuantityId): string {
  return quantity.replace('_', ' ');
}

const LATENCIES: readonly QuantityId[] = ['ttft', 'e2e'];

/** "x on A, y on B" for the first quantity whose definitions both say it, and say it differently. */
function defined(
  pair: Pair,
  quantities: readonly QuantityId[],
  aspect: 'anchor' | 'percentiles' | 'weighting',
): string | undefined {
  for (const quantity of quantities) {
    const [x, y] = [definitionOf(pair.a, quantity)?.[aspect], definitionOf(pair.b, quantity)?.[aspect]];
    if (x !== undefined && y !== undefined && x !== y)
      return `${x.replaceAll('-', ' ')} on A, ${y.replaceAll('-', ' ')} on B`;
  }
  return undefined;
}

const firstToken: Between = (pair) => {
  const words = defined(pair, ['ttft'], 'anchor');
  return words && `what counts as first token: ${words}`;
};

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

const percentileMethod: Between = (pair) => {
  const words = defined(pair, LATENCIES, 'percentiles');
  return words && `percentiles are computed differently: ${words}`;
};

const weighting: Between = (pair) => {
  const words = defined(pair, ['tpot', 'ntpot'], 'weighting');
  return words && `means weigh differently: ${words}`;
};

/** By the number of the catalogue's entry. */
export const TOOLS_BETWEEN: readonly (readonly [number, Between])[] = [
  [88, endOfRequest],
  [89, sameName],
  [93, firstToken],
  [94, clockStart],
  [95, percentileMethod],
  [96, weighting],
];
