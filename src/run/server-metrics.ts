// The server's own view of a run: /metrics before, during and after each stage, and inference-perf's Prometheus queries at the end.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { metricFilters, metricsOf, type ServerMetric } from '../client/metrics-catalogue';
import { askPrometheus, getText } from '../client/metrics-http';
import { parseMetricsText } from '../client/metrics-text';
import { keepWanted, windowMetrics, type Scrape } from '../client/metrics-window';
import type { EffectiveConfig } from '../config/will/runtime';
import { googlePrometheus } from './google-prometheus';
import type { RunOptions } from './types';
import type { StopControl } from '../loadgen/stop';
import type { Problem } from '../problem';
import type { ServerMetricsWindow } from '../folder/manifest';
import { withoutCredentials } from '../folder/write-config';
import { jsonFile, writeWhole } from '../folder/write-folder';
import { prometheusReport } from '../folder/write-server-metrics';

export interface ServerMetricsInput {
  readonly config: EffectiveConfig;
  readonly model: string;
  readonly apiKey: string | undefined;
  /** False: the server's own /metrics is left alone; Prometheus is asked where the config names one. */
  readonly isScraped: boolean;
  readonly env: RunOptions['env'];
  readonly note: (problem: Problem) => void;
}

/** Between two scrapes of a stage when the config has no metrics section: seldom enough not to be load. */
const DEFAULT_INTERVAL_SECONDS = 5;
/** inference-perf waits this long beyond the interval, so that Prometheus has the last values. */
const SCRAPE_BUFFER_SECONDS = 2;

interface StageScrapes {
  readonly id: number;
  readonly scrapes: Scrape[];
  readonly startedAtMs: number;
  endedAtMs?: number;
}

function now(): number {
  return performance.now() / 1000;
}

/** `load.interval`, raised to the scrape interval when Prometheus reports per stage are asked for, as upstream (main.py:377). */
export function stageIntervalSeconds({ load, metrics, report }: EffectiveConfig): number {
  const scrape = metrics?.prometheus && report.prometheus?.per_stage === true ? metrics.prometheus.scrape_interval : 0;
  return Math.max(load.interval, scrape);
}

/** Owns the scraping of one run. Nothing here ends or delays a run's load: what cannot be had is absent with its reason. */
export class ServerMetricsCollector {
  private readonly url: string | undefined;
  private readonly wanted: readonly ServerMetric[];
  private readonly stages: StageScrapes[] = [];
  private readonly pending = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  /** Set by the first failure: a server without /metrics is not asked for it again and again. */
  private unavailable: string | undefined;

  constructor(private readonly input: ServerMetricsInput) {
    const { server } = input.config;
    this.wanted = metricsOf(server?.type ?? 'mock');
    // An endpoint below a path is served by something in front of the model server; /metrics stands at the root of the server itself.
    this.url = server && this.wanted.length > 0 ? `${server.base_url.replace(/\/+$/, '')}/metrics` : undefined;
  }

  private get intervalSeconds(): number {
    const configured = this.input.config.metrics?.prometheus?.scrape_interval;
    return configured !== undefined && configured > 0 ? configured : DEFAULT_INTERVAL_SECONDS;
  }

  stageStarted(id: number): void {
    if (this.url === undefined) return;
    const stage: StageScrapes = { id, scrapes: [], startedAtMs: Date.now() };
    this.stages.push(stage);
    this.scrape(stage, false);
    clearInterval(this.timer);
    this.timer = setInterval(() => {
      this.scrape(stage, true);
    }, this.intervalSeconds * 1000);
  }

  stageFinished(): void {
    clearInterval(this.timer);
    const stage = this.stages.at(-1);
    if (!stage || stage.endedAtMs !== undefined) return;
    stage.endedAtMs = Date.now();
    this.scrape(stage, false);
  }

  private scrape({ scrapes }: StageScrapes, gaugesOnly: boolean): void {
    if (!this.input.isScraped) return;
    if (this.url === undefined || this.unavailable !== undefined) return;
    const { apiKey } = this.input;
    const headers = apiKey === undefined || apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };
    const asked = getText(this.url, { headers }).then((answer) => {
      if (!answer.ok) {
        this.unavailable ??= answer.reason;
        return;
      }
      const { samples } = parseMetricsText(answer.text);
      scrapes.push({ atSeconds: now(), samples: keepWanted(this.wanted, samples, gaugesOnly), gaugesOnly });
      if (samples.length === 0) this.unavailable ??= `${withoutCredentials(this.url ?? '')} holds no metrics`;
    });
    this.pending.add(asked);
    void asked.finally(() => this.pending.delete(asked));
  }

  /** Waits for the last answers, and for Prometheus when the config asks for it; a stopped run does not wait. */
  async finish(zeroSeconds: number, stop: StopControl): Promise<readonly ServerMetricsWindow[]> {
    clearInterval(this.timer);
    await Promise.all(this.pending);
    if (this.url === undefined || this.stages.length === 0) return [];
    const scraped = this.input.isScraped ? this.scraped(zeroSeconds) : [];
    return [...scraped, ...(await this.queried(zeroSeconds, stop))];
  }

  private scraped(zeroSeconds: number): ServerMetricsWindow[] {
    const whole = { id: undefined, scrapes: this.stages.flatMap(({ scrapes }) => scrapes) };
    return [whole, ...this.stages].map(({ id, scrapes }) => {
      const { metrics, absent } = windowMetrics(this.wanted, scrapes, this.input.model);
      const reason = this.unavailable;
      return {
        ...(id === undefined ? {} : { stage: id }),
        source: 'scrape',
        url: withoutCredentials(this.url ?? ''),
        startSeconds: (scrapes[0]?.atSeconds ?? zeroSeconds) - zeroSeconds,
        endSeconds: (scrapes.at(-1)?.atSeconds ?? zeroSeconds) - zeroSeconds,
        scrapes: scrapes.length,
        metrics,
        absent: reason === undefined ? [...absent] : absent.map((entry) => ({ ...entry, reason })),
      };
    });
  }

  /** Windows as upstream: a stage's ends one interval and two seconds after it, so that Prometheus has its last values. */
  private async queried(zeroSeconds: number, stop: StopControl): Promise<ServerMetricsWindow[]> {
    const prometheus = this.input.config.metrics?.prometheus;
    if (!prometheus) return [];
    const place =
      prometheus.url === null
        ? googlePrometheus(this.input.env)
        : { ok: true as const, url: prometheus.url, headers: {} };
    if (!place.ok) {
      this.warn(`${place.reason}. ${this.input.isScraped ? 'The server itself was scraped instead.' : ''}`.trim());
      return [];
    }
    const wait = this.intervalSeconds + SCRAPE_BUFFER_SECONDS;
    await sleep(wait * 1000, undefined, { signal: stop.noMoreSends }).catch(() => undefined);
    const { report, server } = this.input.config;
    const last = this.stages.at(-1)!;
    const summary = {
      id: undefined,
      startedAtMs: this.stages[0]!.startedAtMs,
      endedAtMs: last.endedAtMs ?? Date.now(),
    };
    const windows = [
      ...(report.prometheus?.summary === true ? [summary] : []),
      ...(report.prometheus?.per_stage === true ? this.stages : []),
    ];
    const filters = metricFilters(server?.type ?? '', this.input.model, prometheus.filters);
    const results: ServerMetricsWindow[] = [];
    for (const { id, startedAtMs, endedAtMs } of windows) {
      const evalSeconds = (endedAtMs ?? Date.now()) / 1000 + wait;
      const windowSeconds = evalSeconds - startedAtMs / 1000;
      const asked = { ...place, metrics: this.wanted, filters, windowSeconds, evalSeconds };
      const { metrics, absent } = await askPrometheus({ ...asked, signal: stop.giveUp });
      const endSeconds = now() - (Date.now() / 1000 - evalSeconds) - zeroSeconds;
      results.push({
        ...(id === undefined ? {} : { stage: id }),
        source: 'prometheus',
        url: withoutCredentials(place.url),
        startSeconds: endSeconds - windowSeconds,
        endSeconds,
        metrics: { ...metrics },
        absent: [...absent],
      });
      if (Object.keys(metrics).length === 0) {
        this.warn(
          `Prometheus gave no server metrics, so they are not in the report: ${absent[0]?.reason ?? 'nothing was asked'}.`,
        );
      }
    }
    return results;
  }

  private warn(message: string): void {
    this.input.note({ code: 'RUN080', severity: 'warning', path: ['metrics', 'prometheus'], message });
  }
}

/** Files for the windows that Prometheus answered, as inference-perf names them. Throws what the file system throws. */
export function writePrometheusReports(folder: string, prefix: string, windows: readonly ServerMetricsWindow[]): void {
  for (const window of windows) {
    if (window.source !== 'prometheus' || Object.keys(window.metrics).length === 0) continue;
    const scope = window.stage === undefined ? 'summary' : `stage_${window.stage}`;
    writeWhole(path.join(folder, `${prefix}${scope}_prometheus_metrics.json`), jsonFile(prometheusReport(window)));
  }
}
