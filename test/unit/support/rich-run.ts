// Runs that record everything a comparison can ask for: ours with requests, ours without, and inference-perf's folder.
import { distributionOf } from '../../../src/metrics/statistics';
import { summarize } from '../../../src/metrics/summarize';
import type { LifecycleReport } from '../../../src/metrics/lifecycle';
import { readRun } from '../../../src/readers/read';
import type { RunManifest } from '../../../src/folder/manifest';
import type { Run } from '../../../src/readers/run';
import { memoryFolder } from './memory-folder';
import { syntheticRun, type SyntheticOptions } from './synthetic-run';

const STAGE = { rateRps: 20, durationSeconds: 4 } as const;

/** As our engine writes it, nothing left out that it could have recorded. */
export function richRun(options: SyntheticOptions & { readonly seed: number }): Run {
  const { manifest: last = (own: RunManifest): RunManifest => own, ...plain } = options;
  const run = syntheticRun({
    stages: [STAGE],
    api: 'chat',
    template: 14,
    cachedShare: 0.25,
    ...plain,
    manifest: (own) => last(recorded(own)),
  });
  const { records = [], manifest } = run;
  const lengths = {
    prompt: distributionOf(records.map((record) => record.usage?.promptTokens ?? 0))!,
    output: distributionOf(records.map((record) => record.usage?.completionTokens ?? 0))!,
    finishReasons: countsOf(records.map((record) => record.finishReason ?? 'none')),
  };
  const workload = {
    ...manifest!.workload,
    askedPromptTokens: distributionOf(records.map((record) => record.askedPromptTokens ?? 0))!,
    maxTokens: distributionOf(records.map((record) => record.maxTokens ?? 0))!,
  };
  const stages = manifest!.stages.map((stage) => ({
    ...stage,
    scheduleHash: `s${options.seed}`,
    achievedRateRps: stage.requestedRateRps ?? 0,
    gaps: distributionOf(gapsOf(records.map((record) => record.sentSeconds ?? 0)))!,
  }));
  const whole = last({ ...manifest!, lengths, workload, stages });
  return { ...run, manifest: whole, config: whole.config.effective, ...reportsOf(run) };
}

function recorded(manifest: RunManifest): RunManifest {
  return {
    ...manifest,
    runtime: { ...manifest.runtime, cpuModel: 'EPYC', memoryBytes: 64 * 1024 ** 3 },
    config: {
      ...manifest.config,
      effective: {
        ...manifest.config.effective,
        report: { goodput: { constraints: { ttft: 0.1 } }, request_lifecycle: { percentiles: [50, 95] } },
      },
    },
    answers: { answered: 80, models: { m: 80 } },
    workload: { ...manifest.workload, parameters: { ...manifest.workload.parameters, temperature: 0 } },
    health: manifest.health.map((health) => ({ ...health, inFlightCap: 1000 })),
    endpoint: { ...manifest.endpoint, server: { version: '0.11.0', models: ['m'], notes: [] } },
    stack: {
      source: 'stack.yaml',
      model: 'm',
      revision: 'abc',
      quantization: 'none',
      engine: 'vllm',
      engineVersion: '0.11.0',
      image: 'vllm/vllm-openai:v0.11.0',
      args: ['--max-num-seqs=128'],
      env: { VLLM_USE_V1: '1' },
      accelerator: 'H100',
      replicas: 1,
      parallelism: 'tensor 1',
      route: 'direct',
      other: { driver: '570' },
    },
  };
}

function countsOf(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

function gapsOf(times: readonly number[]): number[] {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted.slice(1).map((time, i) => time - sorted[i]!);
}

function reportOf({ records = [] }: Run): LifecycleReport {
  return summarize(records, {
    percentiles: [5, 25, 50, 75, 90, 95, 99],
    outputTokenSource: 'server-usage',
    stage: { requestedRateRps: STAGE.rateRps },
  });
}

function reportsOf(run: Run): Pick<Run, 'summary' | 'stages'> {
  const report = reportOf(run);
  return { summary: report, stages: new Map([[0, report]]) };
}

/** The same requests as inference-perf would have reported them: files alone, no manifest. `report` is what they hold. */
export async function foreignRun(
  options: SyntheticOptions & { readonly seed: number },
): Promise<{ readonly run: Run; readonly report: LifecycleReport }> {
  const own = richRun(options);
  const kept = reportOf(own);
  const report = JSON.stringify(kept);
  const read = await readRun(
    memoryFolder({
      'config.yaml': CONFIG,
      'stack.yaml': 'engine: vllm',
      'summary_lifecycle_metrics.json': report,
      'stage_0_lifecycle_metrics.json': report,
    }),
  );
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return { run: { ...read.value, stack: own.manifest!.stack! }, report: kept };
}

const CONFIG = `
load: { type: constant, num_workers: 4, worker_max_concurrency: 100, stages: [{ rate: 20, duration: 4 }] }
api: { type: completion, streaming: true }
server: { type: vllm, model_name: m, base_url: "http://127.0.0.1:8000", ignore_eos: true }
tokenizer: { pretrained_model_name_or_path: m }
data:
  type: random
  input_distribution: { type: normal, min: 10, max: 300, mean: 128, std_dev: 30 }
  output_distribution: { type: fixed, min: 32, max: 32, mean: 32, std_dev: 0 }
report: { request_lifecycle: { per_request: true } }
`;
