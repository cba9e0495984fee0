// The parts of run.json that are computed from plan and records: fingerprints, realised gaps, lengths, counts.
import { createHash } from 'node:crypto';
import type { WorkloadRequest } from '../datagen/workload';
import { countOutcomes } from '../loadgen/engine';
import type { PlannedLoadStage } from '../loadgen/plan';
import type { RequestRecord } from '../metrics/record';
import { inputTokens, isSuccess, outputTokens } from '../metrics/request-metrics';
import { coefficientOfVariation, distributionOf } from '../metrics/statistics';
import type { RunManifest, StageManifest } from '../report/manifest';

export interface PlannedStage {
  readonly plan: PlannedLoadStage;
  readonly requests: readonly WorkloadRequest[];
}

/**
 * Hashes of what is sent. Only measured stages count, so that two runs that measure the same stream have the same hashes with or
 * without a warm-up before it (the warm-up has a hash of its own).
 */
export function workloadHashes(
  stages: readonly PlannedStage[],
): Pick<RunManifest['workload'], 'fingerprint' | 'promptsHash' | 'warmupFingerprint'> {
  const measured = stages.filter(({ plan }) => !plan.warmup);
  const warmups = stages.filter(({ plan }) => plan.warmup);
  const prompts = createHash('sha256');
  for (const { requests } of measured) for (const request of requests) prompts.update(`${request.promptHash}\n`);
  return {
    fingerprint: fingerprint(measured),
    promptsHash: prompts.digest('hex'),
    ...(warmups.length > 0 ? { warmupFingerprint: fingerprint(warmups) } : {}),
  };
}

function fingerprint(stages: readonly PlannedStage[]): string {
  const hash = createHash('sha256');
  for (const { plan, requests } of stages) {
    hash.update(`${plan.law} ${plan.scheduleHash ?? `${plan.requestedConcurrency} in flight`}\n`);
    for (const request of requests) {
      const adapter = request.adapter === undefined ? '' : ` ${request.adapter}`;
      hash.update(`${request.promptHash} ${request.askedPromptTokens ?? '-'} ${request.maxTokens}${adapter}\n`);
    }
  }
  return hash.digest('hex');
}

/** Asked lengths of the measured stages. */
export function askedLengths(
  stages: readonly PlannedStage[],
): Pick<RunManifest['workload'], 'askedPromptTokens' | 'maxTokens' | 'distinctPrompts'> {
  const requests = stages.filter(({ plan }) => !plan.warmup).flatMap((stage) => stage.requests);
  const asked = distributionOf(
    requests.flatMap((request) => (request.askedPromptTokens === undefined ? [] : [request.askedPromptTokens])),
  );
  const maxTokens = distributionOf(requests.map((request) => request.maxTokens));
  return {
    ...(asked ? { askedPromptTokens: asked } : {}),
    ...(maxTokens ? { maxTokens } : {}),
    distinctPrompts: new Set(requests.map((request) => request.promptHash)).size,
  };
}

const OF_THE_REQUEST = ['model', 'prompt', 'messages', 'max_tokens'];

/** What every body carries beside the prompt, the model and max_tokens; read from the first, as all are made alike. */
export function bodyParameters(stages: readonly PlannedStage[]): Pick<RunManifest['workload'], 'parameters'> {
  const [first] = stages.flatMap((stage) => stage.requests.slice(0, 1));
  if (!first) return {};
  const fields = Object.entries(JSON.parse(first.body) as Record<string, unknown>);
  return { parameters: Object.fromEntries(fields.filter(([name]) => !OF_THE_REQUEST.includes(name))) };
}

export function plannedStageManifest(plan: PlannedLoadStage, loadType: string, seed: number): StageManifest {
  return {
    id: plan.id,
    warmup: plan.warmup,
    loadType,
    arrivalLaw: plan.law,
    seed,
    ...(plan.requestedRateRps === undefined ? {} : { requestedRateRps: plan.requestedRateRps }),
    ...(plan.requestedDurationSeconds === undefined ? {} : { requestedDurationSeconds: plan.requestedDurationSeconds }),
    ...(plan.requestedConcurrency === undefined ? {} : { requestedConcurrency: plan.requestedConcurrency }),
    planned: plan.count,
    state: 'planned',
    ...(plan.scheduleHash === undefined ? {} : { scheduleHash: plan.scheduleHash }),
    ...(plan.deadline ? { deadline: { ...plan.deadline } } : {}),
  };
}

/** What a stage's records say of the load that was really offered. */
export function realisedLoad(records: readonly RequestRecord[]): Partial<StageManifest> {
  const sent = records
    .flatMap((record) => (record.sentSeconds === undefined ? [] : [record.sentSeconds]))
    .sort((a, b) => a - b);
  const ends = records.flatMap((record) => (record.endSeconds === undefined ? [] : [record.endSeconds]));
  const gaps = sent.slice(1).map((seconds, index) => seconds - sent[index]!);
  const distribution = distributionOf(gaps);
  const variation = coefficientOfVariation(gaps);
  const [first, last] = [sent[0], sent.at(-1)];
  return {
    counts: countOutcomes(records),
    ...(first === undefined || last === undefined ? {} : { firstSentSeconds: first, lastSentSeconds: last }),
    ...(ends.length === 0 ? {} : { endSeconds: ends.reduce((a, b) => Math.max(a, b)) }),
    // Count over span, as inference-perf's achieved_rate.
    ...(first !== undefined && last !== undefined && last > first
      ? { achievedRateRps: sent.length / (last - first) }
      : {}),
    ...(distribution ? { gaps: distribution } : {}),
    ...(variation === undefined ? {} : { gapCv: variation }),
  };
}

/** Realised lengths of the successes, by the counters the run decided for. */
export function realisedLengths(
  successes: readonly RequestRecord[],
  tokens: NonNullable<RunManifest['tokens']>,
): NonNullable<RunManifest['lengths']> {
  const defined = (values: readonly (number | undefined)[]): number[] => values.filter((value) => value !== undefined);
  const prompt = distributionOf(defined(successes.map((record) => inputTokens(record, tokens.input.source))));
  const output = distributionOf(defined(successes.map((record) => outputTokens(record, tokens.output.source))));
  const finishReasons: Record<string, number> = {};
  for (const { finishReason } of successes) {
    const reason = finishReason ?? 'not reported';
    finishReasons[reason] = (finishReasons[reason] ?? 0) + 1;
  }
  return { ...(prompt ? { prompt } : {}), ...(output ? { output } : {}), finishReasons };
}

/** "480 ok, 3 failed (429 - Rate Limit), 0 cancelled, 0 not sent". */
export function outcomeInWords(records: readonly RequestRecord[]): string {
  const { ok, failed, cancelled, notSent } = countOutcomes(records);
  const labels = new Map<string, number>();
  for (const { outcome } of records) {
    if (outcome.kind === 'failed') labels.set(outcome.label, (labels.get(outcome.label) ?? 0) + 1);
  }
  const shown = [...labels].sort((a, b) => b[1] - a[1]).slice(0, 3);
  const why = shown.length === 0 ? '' : ` (${shown.map(([label]) => label).join(', ')})`;
  return `${ok} ok, ${failed} failed${why}, ${cancelled} cancelled, ${notSent} not sent`;
}

/** Successes of the measured stages. */
export function measuredSuccesses(
  records: readonly RequestRecord[],
  isWarmup: (stage: number) => boolean,
): RequestRecord[] {
  return records.filter((record) => isSuccess(record) && !isWarmup(record.stage));
}
