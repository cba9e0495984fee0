// What a report’s config asked for against what came: lengths of prompts and answers, and the number of requests.
import type { Distribution } from '../config/model/schema/distribution';
import { realisedLengths } from '../config/will/realised';
import { counted, percent, significant, whole } from '../figures';
import { type CanonicalReport, measureOf, type ReportScope, statisticOf } from '../readers/canonical';
import { at, numberAt, textAt } from '../readers/readers/values';
import { dataType, lifecycleOnly, off, plannedOf, said, type Sign, stageConfig } from './in-report';
import { MEAN_TOLERANCE } from './lengths';
import { isObject } from '../own';

export interface AskedLengths {
  /** Dotted path of the config. */
  readonly path: string;
  /** As written. */
  readonly mean: number;
  /** After clamping to min..max. */
  readonly realised: number;
  readonly min: number;
  readonly max: number;
  /** Bounds and spread are those that upstream fills in for what is not written: 10, 1024 and 200. */
  readonly filledIn: boolean;
  readonly fixed: boolean;
}

const TYPES: readonly Distribution['type'][] = ['normal', 'skew_normal', 'lognormal', 'uniform', 'poisson', 'fixed'];

/** Of the two data types that draw each length from the distribution of that name, and of shared_prefix's answers. */
export function askedOf(report: CanonicalReport, which: 'input' | 'output'): AskedLengths | undefined {
  const { config } = report;
  const type = dataType(report);
  if (type === 'random' || type === 'synthetic') {
    if (isObject(at(config, 'data', 'trace')) || isObject(at(config, 'data', 'multimodal'))) return undefined;
    return asked(at(config, 'data', `${which}_distribution`), `data.${which}_distribution`, 'presampled');
  }
  if (type !== 'shared_prefix' || which === 'input') return undefined;
  const fixed = numberAt(config, 'data', 'shared_prefix', 'output_len');
  if (fixed !== undefined) {
    const path = 'data.shared_prefix.output_len';
    return { path, mean: fixed, realised: fixed, min: fixed, max: fixed, filledIn: false, fixed: true };
  }
  return asked(at(config, 'data', 'shared_prefix', 'output_len'), 'data.shared_prefix.output_len', 'sampled');
}

function asked(block: unknown, path: string, sampler: 'presampled' | 'sampled'): AskedLengths | undefined {
  if (!isObject(block)) return undefined;
  const name = textAt(block, 'type') ?? 'normal';
  const type = TYPES.find((known) => known === name);
  const [min, max, mean, spread] = ['min', 'max', 'mean', 'std_dev'].map((key) => numberAt(block, key));
  if (type === undefined || min === undefined || max === undefined || mean === undefined || spread === undefined)
    return undefined;
  if (type === 'uniform') return undefined;
  const distribution: Distribution = {
    type,
    min,
    max,
    mean,
    std_dev: spread,
    skew: numberAt(block, 'skew') ?? 0,
    total_count: null,
    variance: null,
  };
  const realised = realisedLengths(distribution, sampler).mean;
  const filledIn = min === 10 && max === 1024 && spread === 200 && mean !== 512;
  return { path, mean, realised, min, max, filledIn, fixed: type === 'fixed' };
}

/**
 * Fewer requests than planned and no failure to show for it: "x of y planned requests", and whether they were dropped one by
 * one (sends went on to the end of a stage of drawn prompts) or the stage was stopped.
 */
export function missingRequests(scope: ReportScope, report: CanonicalReport) {
  const planned = plannedOf(scope, report);
  const { total, cancelled } = scope.counts;
  if (scope.kind !== 'stage' || planned === undefined || total === undefined || total >= planned) return undefined;
  const asked = numberAt(stageConfig(scope, report), 'duration');
  const sends = scope.extras?.sendSeconds;
  const toTheEnd = asked !== undefined && sends !== undefined && sends >= SENT_TO_THE_END * asked;
  return {
    words: `${whole(total)} of ${counted(planned, 'planned request')}`,
    dropped: toTheEnd && (cancelled ?? 0) === 0 && DRAWN.includes(dataType(report) ?? ''),
  };
}

export const DRAWN = ['random', 'synthetic'];

/** Of its time, a stage that sent so long was not stopped. */
export const SENT_TO_THE_END = 0.95;

/** Slots that wait for their turn send nothing: the in-flight identity names it, this says why it can be. */
export function slotsWait(report: { readonly config?: Readonly<Record<string, unknown>> }): boolean {
  const type = textAt(report.config, 'data', 'type');
  return (
    type === 'conversation_replay' ||
    type === 'otel_trace_replay' ||
    type === 'weka_trace_replay' ||
    (type === 'shared_prefix' && at(report.config, 'data', 'shared_prefix', 'enable_multi_turn_chat') === true)
  );
}

/** How far from the clamped mean the realised one may be, as a share of it: drawn lengths scatter. */
const REALISED_TOLERANCE = 0.05;
/** Of the length asked for: answers that are shorter on average were ended early. */
export const SHORT_SHARE = 0.9;

/** The realised mean is what clamping makes of the configured one, and that is another number. */
export function clampedSign(isFilledIn: boolean): Sign {
  return lifecycleOnly((scope, report) => {
    if (scope.kind === 'adapter') return undefined;
    for (const which of ['input', 'output'] as const) {
      const asked = askedOf(report, which);
      const real = statisticOf(scope, which === 'input' ? 'prompt_tokens' : 'output_tokens', 'mean');
      if (!asked || asked.fixed || real === undefined) continue;
      if (off(asked.realised, asked.mean) <= MEAN_TOLERANCE || off(real, asked.realised) > REALISED_TOLERANCE) continue;
      if (asked.filledIn !== isFilledIn) return undefined;
      const why = isFilledIn
        ? 'min 10, max 1024 and std_dev 200 were filled in for what the config did not say'
        : `clamping to ${asked.min}..${asked.max} does that`;
      return said(
        scope.id,
        `${asked.path} says a mean of ${significant(asked.mean)} tokens, ${significant(real)} were realised: ${why}`,
      );
    }
    return undefined;
  });
}

/** Answers that are much shorter than asked for: how much, and whether the model was allowed to end them. */
export function shortAnswers(scope: ReportScope, report: CanonicalReport) {
  const asked = askedOf(report, 'output');
  const real = statisticOf(scope, 'output_tokens', 'mean');
  if (!asked || real === undefined || scope.kind !== 'stage' || real >= SHORT_SHARE * asked.realised) return undefined;
  const isTgi = textAt(report.config, 'server', 'type') === 'tgi';
  return {
    asked,
    figures: `${significant(asked.realised)} output tokens were asked for, ${significant(real)} came on average`,
    isTgi,
    mayEnd: at(report.config, 'server', 'ignore_eos') === false || isTgi,
  };
}

/** The same length was asked of every answer, and another one was counted: how far apart, and whose count it is. */
export function notAsAsked(scope: ReportScope, report: CanonicalReport) {
  const { config } = report;
  if (scope.kind === 'summary' || at(config, 'server', 'ignore_eos') === false) return undefined;
  const fixed =
    textAt(config, 'data', 'type') === 'shared_prefix'
      ? numberAt(config, 'data', 'shared_prefix', 'output_len')
      : undefined;
  const output = measureOf(scope, 'output_tokens');
  const mean = output?.stats['mean'];
  if (fixed === undefined || mean === undefined || Math.abs(mean - fixed) / fixed < ASKED_TOLERANCE) return undefined;
  return {
    figures: `${significant(fixed)} output tokens were asked for with ignore_eos, ${significant(mean)} were counted on average (${percent((mean - fixed) / fixed)})`,
    byClient: output?.definition.tokens === 'client',
    isMore: mean > fixed,
  };
}

/** As a share of the length asked for. */
export const ASKED_TOLERANCE = 0.01;
