// What the directives of a config ask of the run: how arrivals are spaced, when a stage must end, which rates a sweep has.
import type { BodyOptions } from '../datagen/body';
import type { EffectiveConfig } from '../config/will/runtime';
import { readArrivals, readRates, readSeconds, type ArrivalsDirective } from '../config/directives';
import type { SavedDirective } from '../folder/write-config';

/** Seconds that requests in flight get after their stage's deadline, when nothing else is written. */
const DEFAULT_GRACE_SECONDS = 30;
/** inference-perf's default of `load.stage_teardown_grace_seconds`: it says nothing of ours. */
const UPSTREAM_GRACE_SECONDS = 120;

/** Seconds for what is in flight when a stage ends before its requests have: the config's own, else `ours`. */
export function graceSeconds({ load }: EffectiveConfig, ours = DEFAULT_GRACE_SECONDS): number {
  const { stage_teardown_grace_seconds: written } = load;
  return written === UPSTREAM_GRACE_SECONDS ? ours : written;
}

export interface StageSettings {
  readonly arrivals?: ArrivalsDirective;
  readonly deadline?: { readonly seconds: number; readonly graceSeconds: number };
}

/** Settings of one stage: its own directives, else the document's. */
export function stageSettings(
  config: EffectiveConfig,
  directives: readonly SavedDirective[],
  stage: number,
): StageSettings {
  const find = <T>(name: string, read: (value: string) => T | undefined): T | undefined => {
    const given = directives.filter((directive) => directive.name === name && directive.value !== undefined);
    const own = given.find(({ path }) => path[0] === 'load' && path[1] === 'stages' && path[2] === stage);
    const value = (own ?? given.find(({ path }) => path.length === 0))?.value;
    return value === undefined ? undefined : read(value);
  };
  const arrivals = find('arrivals', readArrivals);
  const deadline = find('deadline', readSeconds);
  const grace = find('grace', readSeconds) ?? graceSeconds(config);
  return {
    ...(arrivals ? { arrivals } : {}),
    ...(deadline === undefined ? {} : { deadline: { seconds: deadline, graceSeconds: grace } }),
  };
}

/** Rates of `sweep-rates=`, if it is written. */
export function pinnedRates(directives: readonly SavedDirective[]): readonly number[] | undefined {
  const value = directives.find(({ name }) => name === 'sweep-rates')?.value;
  return value === undefined ? undefined : readRates(value);
}

/** What every body of the run carries beside the model, the prompt and its length. */
export function bodySettings(
  config: EffectiveConfig,
  directives: readonly SavedDirective[],
): Pick<
  BodyOptions,
  'streaming' | 'ignoreEos' | 'maxCompletionTokens' | 'greedy' | 'addSpecialTokens' | 'responseFormat'
> {
  const format = config.api.response_format;
  return {
    streaming: config.api.streaming,
    ignoreEos: config.server?.ignore_eos ?? true,
    ...(directives.some(({ name }) => name === 'max-completion-tokens') ? { maxCompletionTokens: true } : {}),
    ...(directives.some(({ name }) => name === 'greedy') ? { greedy: true } : {}),
    ...(config.data.use_chat_template ? { addSpecialTokens: false } : {}),
    ...(format ? { responseFormat: { type: format.type, name: format.name, jsonSchema: format.json_schema } } : {}),
  };
}
