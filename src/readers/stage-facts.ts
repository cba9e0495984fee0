// What is known of one stage beside its numbers: what was asked, planned and sent, and how its client fared, each with its place.
import { MANIFEST_FILE, type StageHealth, type StageManifest } from '../folder/manifest';
import type { ConfigPath } from '../problem';
import { measureOf, placeIn, type ReportScope, type ScopeKey } from './canonical';
import { known, missing, type FactTypes, type Known } from './facts';
import { factsOf, mainFile } from './facts-of';
import type { Run } from './run';

export interface StageFactTypes {
  loadType: string;
  arrivalLaw: string;
  seed: FactTypes['seed'];
  scheduleHash: string;
  /** Of the gaps between sends: their number, and their coefficient of variation. */
  gapCount: number;
  gapCv: number;
  /** What was asked for. */
  rateRps: number;
  concurrency: number;
  sentRateRps: number;
  planned: number;
  ok: number;
  /** How every planned request ended. */
  counts: NonNullable<StageManifest['counts']>;
  clientHealth: Pick<StageHealth, 'verdict' | 'reasons'>;
  eventLoopUse: number;
  inFlightCap: number;
}

export type StageFacts = { readonly [K in keyof StageFactTypes]: Known<StageFactTypes[K]> };

/** Looked up when asked for. @param scope the stage's part of the report, where other tools say these things */
export function stageFactsOf(run: Run, id: number, scope: ReportScope | undefined): StageFacts {
  const stage = run.manifest?.stages.find((entry) => entry.id === id);
  const index = run.manifest?.health.findIndex((entry) => entry.stage === id) ?? -1;
  const health = run.manifest?.health[index];
  const ours = run.manifest !== undefined || run.damaged === true;
  const file = ours ? MANIFEST_FILE : mainFile(run);
  const reason = ours ? 'not in that file' : `not in the files of ${run.tool.name}`;
  const inOurs = <T>(key: string, value: T | undefined, configPath?: ConfigPath): Known<T> =>
    known(value, file, key, { reason, configPath });
  const inStage = <T>(key: string, value: T | undefined, configPath?: ConfigPath): Known<T> =>
    inOurs(`stages[${id}].${key}`, value, configPath);
  const inHealth = <T>(key: string, value: T | undefined, configPath?: ConfigPath): Known<T> =>
    inOurs(`${health ? `health[${index}]` : `health (stage ${id})`}.${key}`, value, configPath);
  const inScope = (what: ScopeKey, value: number | undefined): Known<number> | undefined => {
    if (stage || !scope) return undefined;
    const { file: own, key } = placeIn(scope, what);
    return known(value, own, key, { reason: 'not in that file' });
  };
  const facts = factsOf(run);
  const asked = (key: string): ConfigPath => ['load', 'stages', id, key];
  return {
    get loadType() {
      return stage ? inStage('loadType', stage.loadType) : facts.loadType;
    },
    get arrivalLaw() {
      return stage ? inStage('arrivalLaw', stage.arrivalLaw, ['load', 'type']) : facts.arrivalLaw;
    },
    get seed() {
      return inStage('seed', stage?.seed);
    },
    get scheduleHash() {
      return inStage('scheduleHash', stage?.scheduleHash);
    },
    get gapCount() {
      return inStage('gaps.count', stage?.gaps?.count);
    },
    get gapCv() {
      return inStage('gapCv', stage?.gapCv);
    },
    get rateRps() {
      const own = (): Known<number> => inStage('requestedRateRps', stage?.requestedRateRps, asked('rate'));
      return inScope('rate', scope?.load.requestedRateRps) ?? own();
    },
    get concurrency() {
      const path = asked('concurrency_level');
      const own = (): Known<number> => inStage('requestedConcurrency', stage?.requestedConcurrency, path);
      return inScope('concurrency', scope?.load.concurrency) ?? own();
    },
    get sentRateRps() {
      const own = inStage('achievedRateRps', stage?.achievedRateRps);
      const reported = own.value === undefined && scope ? measureOf(scope, 'sends_per_sec') : undefined;
      if (!reported) return own;
      const { source, stats } = reported;
      const rate = stats['value'] ?? 0;
      return known(rate > 0 ? rate : undefined, source.file, source.key, { reason: 'not in that file' });
    },
    get planned() {
      return inScope('planned', scope?.counts.planned) ?? inStage('planned', stage?.planned);
    },
    get ok() {
      return inScope('ok', scope?.counts.ok) ?? inStage('counts.ok', stage?.counts?.ok);
    },
    get counts() {
      return inStage('counts', stage?.counts);
    },
    get clientHealth() {
      return inHealth('verdict', health);
    },
    get eventLoopUse() {
      return inHealth('eventLoopUse', health?.eventLoopUse);
    },
    get inFlightCap() {
      return inHealth('inFlightCap', health?.inFlightCap, ['load', 'worker_max_concurrency']);
    },
  };
}

/** Said of the whole stage, and no longer of a part of it. */
const OF_THE_WHOLE = ['counts', 'ok', 'scheduleHash', 'gapCv', 'gapCount', 'sentRateRps'] as const;

/** Of so many of the stage's requests: what was cut away was not planned either. */
export function factsOfPart(facts: StageFacts, requests: number): StageFacts {
  const gone = OF_THE_WHOLE.map((id) => {
    const { file, key } = facts[id].at;
    return [id, missing('said of the whole stage only', file, key)] as const;
  });
  const planned = facts.planned.value === undefined ? facts.planned : { ...facts.planned, value: requests };
  return { ...facts, ...Object.fromEntries(gone), planned };
}
