// Pitfalls that only a pair of runs shows: each looks at both sides' configs, records or reports, and says what differs.
import { targetOf } from '../config/target';
import { judgeValues } from '../config/verdict';
import type { QuantityId } from '../report/canonical';
import { addressOf } from './address';
import {
  apart,
  definitionOf,
  differs,
  isInferencePerf,
  sides,
  value,
  where,
  type Between,
  type Facts,
} from './pitfalls-pair';
import { WORKLOAD_BETWEEN } from './pitfalls-workload';
import { configValue, stackOf } from './side';

const RESCALED = 'exponential-gaps-rescaled';

function lawsOf({ side }: Facts): readonly string[] {
  const laws = side.run.manifest?.stages.map(({ arrivalLaw }) => arrivalLaw);
  if (laws) return [...new Set(laws)];
  const type = side.run.tool.name === 'inference-perf' ? configValue(side.run, ['load', 'type']) : undefined;
  return type === 'constant' ? [RESCALED] : [];
}

const burstyConstant: Between = (pair) => {
  if (!apart(pair, 'arrival-process')) return undefined;
  const side = where(pair, (facts) => lawsOf(facts).includes(RESCALED));
  return side === undefined || side === 'A and B'
    ? undefined
    : `load.type constant on ${side} spaces requests by exponential gaps; the other side does not`;
};

const openAndClosed: Between = (pair) => apart(pair, 'load-model')?.message;

const workers: Between = (pair) => {
  const [x, y] = [value(pair.a, ['load', 'num_workers']), value(pair.b, ['load', 'num_workers'])];
  if (typeof x !== 'number' || typeof y !== 'number' || x === y) return undefined;
  return `load.num_workers is ${x} on A and ${y} on B: another client with another limit of requests in flight`;
};

const raisedPause: Between = (pair) => {
  const interval = ['load', 'interval'];
  const scrape = ['metrics', 'prometheus', 'scrape_interval'];
  const raised = where(
    pair,
    (facts) =>
      value(facts, ['report', 'prometheus', 'per_stage']) === true &&
      value(facts, interval) !== undefined &&
      value(facts, interval) === value(facts, scrape),
  );
  const words = differs(pair, interval);
  if (raised === undefined || words === undefined) return undefined;
  return `the pause between stages differs: ${words}; on ${raised} it is Prometheus’ scrape interval`;
};

const noStack: Between = (pair) => {
  const side = where(pair, (facts) => stackOf(facts.side) === undefined);
  return side && `nothing says what served ${side}: no stack record lies in the folder or was given`;
};

const portForward: Between = (pair) => {
  const [x, y] = [addressOf(pair.a.side)?.place, addressOf(pair.b.side)?.place];
  const simulated = [pair.a, pair.b].some(({ side }) => side.run.manifest?.endpoint.kind === 'simulator');
  if (x === undefined || y === undefined || simulated || x === y) return undefined;
  if (x !== 'this machine' && y !== 'this machine') return undefined;
  const local = x === 'this machine' ? 'A' : 'B';
  return `${local} went to an address of its own machine and the other side to ${local === 'A' ? y : x}: through a port-forward, as a tunnel to a cluster has that address`;
};

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
      : [`${name} is ${LABELS(quantity)} on A and ${LABELS(other)} on B`];
  });
  return words.length === 0 ? undefined : words.join('; ');
};

const LABELS = (quantity: QuantityId): string => quantity.replace('_', ' ');

const singleRuns: Between = ({ runs }) => {
  if (runs.a > 1 && runs.b > 1) return undefined;
  return `there is one run of ${runs.a > 1 ? 'B' : runs.b > 1 ? 'A' : 'each side'}: a difference cannot be told from the noise between runs`;
};

/** A released version drops keys it does not know; its own copy of the config has none. */
const profile: Between = (pair) => {
  const words = sides(pair).flatMap(([name, facts]) => {
    const { config } = facts.side.run;
    const version = /v\d+\.\d+\.\d+/.exec(facts.report.versionClass.name)?.[0];
    const target = version === undefined ? undefined : targetOf(version);
    if (!isInferencePerf(facts) || target === undefined || config === undefined) return [];
    const ignored = judgeValues(config, target).findings.filter(({ rule }) => rule === 'ignored');
    const keys = ignored.map(({ problem }) => problem.path.join('.'));
    return keys.length === 0 ? [] : [`${name} was made by ${version!}, which ignores ${keys.join(', ')} of its config`];
  });
  return words.length === 0 ? undefined : words.join('; ');
};

/** By the number of the catalogue's entry. */
export const BETWEEN: readonly (readonly [number, Between])[] = [
  ...WORKLOAD_BETWEEN,
  [1, burstyConstant],
  [2, openAndClosed],
  [6, workers],
  [21, raisedPause],
  [80, noStack],
  [86, portForward],
  [88, endOfRequest],
  [89, sameName],
  [90, singleRuns],
  [91, profile],
];
