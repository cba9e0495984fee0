// Pitfalls that only a pair of runs shows: each looks at both sides' configs, records or reports, and says what differs.
import { targetOf } from '../config/model/target';
import { judgeValues } from '../config/model/verdict';
import { addressOf } from './address';
import { servedModel } from './dimensions/server';
import { apart, text, differs, isInferencePerf, sides, value, where, type Between, type Facts } from './pitfalls-pair';
import { TOOLS_BETWEEN } from './pitfalls-tools';
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
  return `${local} went to an address of its own machine, as a port-forward has it, and the other side to ${local === 'A' ? y : x}`;
};

const singleRuns: Between = ({ runs }) => {
  if (runs.a > 1 && runs.b > 1) return undefined;
  return `there is one run of ${runs.a > 1 ? 'B' : runs.b > 1 ? 'A' : 'each side'}: a difference cannot be told from the noise between runs`;
};

const HUB_NAME = /^\w[\w.-]*\/[\w.-]+$/;

const otherModel: Between = (pair) => {
  const words = sides(pair).flatMap(([name, facts]) => {
    const served = servedModel(stackOf(facts.side)) ?? '';
    const named = text(facts, ['server', 'model_name']) ?? '';
    const last = (model: string): string => model.toLowerCase().split('/').at(-1) ?? '';
    if (!HUB_NAME.test(served) || !HUB_NAME.test(named) || last(served) === last(named)) return [];
    return [`${name}’s config names ${named}, and its stack record says that ${served} was served`];
  });
  return words.length === 0 ? undefined : words.join('; ');
};

const joinedFlag: Between = (pair) => {
  const words = sides(pair).flatMap(([name, facts]) => {
    const joined = (stackOf(facts.side)?.args ?? []).filter((argument) => /^--?[\w-]+\s+\S/.test(argument));
    return joined.length === 0 ? [] : [`${name}’s server got '${joined.join("', '")}' as one argument each`];
  });
  return words.length === 0 ? undefined : words.join('; ');
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

/** A finding of that pitfall says it already. */
const told =
  (code: `CMP${string}`): Between =>
  ({ findings }) => {
    const own = findings.filter(
      ({ pitfall, state }) => pitfall === code && (state === 'confounds' || state === 'intended'),
    );
    return own.length === 0 ? undefined : own.map(({ message }) => message.replace(/\.$/, '')).join('; ');
  };

/** By the number of the catalogue's entry. */
export const BETWEEN: readonly (readonly [number, Between])[] = [
  ...WORKLOAD_BETWEEN,
  ...TOOLS_BETWEEN,
  [1, burstyConstant],
  [2, openAndClosed],
  [6, workers],
  [21, raisedPause],
  [80, noStack],
  [86, portForward],
  [90, singleRuns],
  [91, profile],
  [98, otherModel],
  [99, joinedFlag],
  [100, told('CMP100')],
  [101, told('CMP101')],
];
