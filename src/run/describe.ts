// The parts of run.json that are computed from plan and records: fingerprints, realised gaps, lengths, counts.
import { seedJson, type Seed } from '../config/model/lax';
import { createHash } from 'node:crypto';
import type { WorkloadRequest } from '../datagen/workload-request';
import type { PlannedLoadStage } from '../loadgen/plan';
import type { StageTally } from '../loadgen/tally';
import type { OutcomeCounts, RequestRecord } from '../metrics/record';
import { mediaMeans } from '../metrics/media';
import { inputTokens, isSuccess, outputTokens } from '../metrics/request-metrics';
import { coefficientOfVariation, distributionOf } from '../metrics/statistics';
import { Values } from '../metrics/values';
import type { RunManifest, StageManifest } from '../folder/manifest';

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

/** Media of the measured stages, if any were sent. */
export function mediaFacts(
  stages: readonly PlannedStage[],
  dataType: string,
  filling: 'solid' | 'noise',
): Pick<RunManifest['workload'], 'media'> {
  const requests = stages.filter(({ plan }) => !plan.warmup).flatMap((stage) => stage.requests);
  if (requests.every(({ media }) => media === undefined)) return {};
  return { media: { filling: dataType === 'visionarena' ? 'dataset' : filling, ...mediaMeans(requests) } };
}

const LENGTH_FIELD = 'max_completion_tokens';
const OF_THE_REQUEST = ['model', 'prompt', 'messages', 'max_tokens', LENGTH_FIELD];

/**
 * What every body carries beside the prompt, the model and max_tokens; read from the first, as all are made alike. That the length goes
 * under its other name is one of these things. The schema of an answer is the config's: there its whole numbers have all their digits.
 */
export function bodyParameters(
  stages: readonly PlannedStage[],
  jsonSchema: unknown,
): Pick<RunManifest['workload'], 'parameters'> {
  const [first] = stages.flatMap((stage) => stage.requests.slice(0, 1));
  if (!first) return {};
  const body = JSON.parse(String(first.body)) as Record<string, unknown> & {
    response_format?: { json_schema?: object };
  };
  const schema = body.response_format?.json_schema;
  if (schema && jsonSchema) Object.assign(schema, { schema: jsonSchema });
  const fields = Object.entries(body);
  const others = fields.filter(([name]) => !OF_THE_REQUEST.includes(name));
  const renamed = fields.some(([name]) => name === LENGTH_FIELD) ? [[LENGTH_FIELD, 'in place of max_tokens']] : [];
  return { parameters: Object.fromEntries([...others, ...renamed]) as Record<string, unknown> };
}

export function plannedStageManifest(plan: PlannedLoadStage, loadType: string, seed: Seed): StageManifest {
  return {
    id: plan.id,
    warmup: plan.warmup,
    loadType,
    arrivalLaw: plan.law,
    seed: seedJson(seed),
    ...(plan.requestedRateRps === undefined ? {} : { requestedRateRps: plan.requestedRateRps }),
    ...(plan.requestedDurationSeconds === undefined ? {} : { requestedDurationSeconds: plan.requestedDurationSeconds }),
    ...(plan.requestedConcurrency === undefined ? {} : { requestedConcurrency: plan.requestedConcurrency }),
    planned: plan.count,
    state: 'planned',
    ...(plan.scheduleHash === undefined ? {} : { scheduleHash: plan.scheduleHash }),
    ...(plan.deadline ? { deadline: { ...plan.deadline } } : {}),
  };
}

/** What a stage's times say of the load that was really offered. */
export function realisedLoad(tally: StageTally): Partial<StageManifest> {
  const happened = (times: Float64Array): Float64Array =>
    times.subarray(0, tally.count).filter((seconds) => !Number.isNaN(seconds));
  const sent = happened(tally.sent).sort();
  const ends = happened(tally.ended);
  const gaps = sent.slice(1).map((seconds, index) => seconds - sent[index]!);
  const distribution = distributionOf(gaps);
  const variation = coefficientOfVariation(gaps);
  const [first, last] = [sent[0], sent.at(-1)];
  return {
    counts: tally.outcomes(),
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

/** Takes the successes of the measured stages one by one: their lengths by the counters the run decided for. */
export class RealisedLengths {
  private readonly prompt = new Values();
  private readonly output = new Values();
  private readonly finishReasons: Record<string, number> = {};

  constructor(private readonly tokens: NonNullable<RunManifest['tokens']>) {}

  add(record: RequestRecord): void {
    if (!isSuccess(record)) return;
    this.prompt.add(inputTokens(record, this.tokens.input.source));
    this.output.add(outputTokens(record, this.tokens.output.source));
    const reason = record.finishReason ?? 'not reported';
    this.finishReasons[reason] = (this.finishReasons[reason] ?? 0) + 1;
  }

  lengths(): NonNullable<RunManifest['lengths']> {
    const prompt = distributionOf(this.prompt.view());
    const output = distributionOf(this.output.view());
    return {
      ...(prompt ? { prompt } : {}),
      ...(output ? { output } : {}),
      finishReasons: { ...this.finishReasons },
    };
  }
}

/** "480 ok, 3 failed (429 - Rate Limit), 0 cancelled, 0 not sent". */
export function outcomeInWords(tallies: readonly StageTally[]): string {
  const { ok, failed, cancelled, notSent } = totalOutcomes(tallies);
  const labels = new Map<string, number>();
  for (const tally of tallies) {
    for (const [label, count] of tally.labels) labels.set(label, (labels.get(label) ?? 0) + count);
  }
  const shown = [...labels].sort((a, b) => b[1] - a[1]).slice(0, 3);
  const why = shown.length === 0 ? '' : ` (${shown.map(([label]) => label).join(', ')})`;
  return `${ok} ok, ${failed} failed${why}, ${cancelled} cancelled, ${notSent} not sent`;
}

export function totalOutcomes(tallies: readonly StageTally[]): OutcomeCounts {
  const total = { planned: 0, ok: 0, failed: 0, cancelled: 0, notSent: 0 };
  for (const tally of tallies) {
    for (const [name, count] of Object.entries(tally.outcomes())) total[name as keyof OutcomeCounts] += count as number;
  }
  return total;
}
