// What a run looks like while it runs: one line that is redrawn on a terminal, a line now and then elsewhere.
import { shortLabel } from '../metrics/quantities';
import type { PlannedStage, RunEvent } from '../events';
import { formatProblem } from '../problem';
import type { CliIo } from './command';

/** Seconds between two lines when nobody can see a line being redrawn. */
const PLAIN_EVERY_SECONDS = 10;

export interface Progress {
  onEvent(event: RunEvent): void;
  /** Ends the line that is being redrawn. */
  finish(): void;
}

export function createProgress(io: CliIo, file: string): Progress {
  let stages: readonly PlannedStage[] = [];
  let drawn = false;
  let lastPreparingSeconds = performance.now() / 1000;
  let lastPlainSeconds = Number.NEGATIVE_INFINITY;

  function clear(): void {
    if (drawn) io.err('\r\u001b[2K');
    drawn = false;
  }
  function say(text: string): void {
    clear();
    io.err(`${text}\n`);
  }
  function draw(text: string): void {
    io.err(`\r\u001b[2K${text.slice(0, Math.max(20, io.columns - 1))}`);
    drawn = true;
  }

  function tick(event: Extract<RunEvent, { type: 'tick' }>): void {
    const text = tickLine(event, stages);
    if (io.isTerminal) {
      draw(`${bar(event, 16)} ${text}`);
    } else if (event.atSeconds - lastPlainSeconds >= PLAIN_EVERY_SECONDS) {
      lastPlainSeconds = event.atSeconds;
      say(text);
    }
  }

  /** Before the clock starts events carry no time of the run. */
  function preparing(text: string): void {
    const nowSeconds = performance.now() / 1000;
    if (io.isTerminal) draw(text);
    else if (nowSeconds - lastPreparingSeconds >= PLAIN_EVERY_SECONDS) {
      lastPreparingSeconds = nowSeconds;
      say(text);
    }
  }

  function onEvent(event: RunEvent): void {
    switch (event.type) {
      case 'problem':
        say(formatProblem(event.problem, file));
        return;
      case 'preparing':
        preparing(`prepared ${whole(event.done)} of ${whole(event.total)} prompts`);
        return;
      case 'planned':
        stages = event.stages;
        say(
          `${event.name}: ${event.load} (${event.plannedRequests} requests) against ${event.endpoint}, model ${event.model}`,
        );
        if (event.threads && event.threads.count > 1) {
          say(`${event.threads.count} sending threads (${event.threads.reason})`);
        }
        return;
      case 'stageStarted':
        say(stageLine(stages.find((stage) => stage.id === event.stage)));
        return;
      case 'tick':
        tick(event);
        return;
      case 'stageFinished': {
        const { ok, failed, cancelled, notSent } = event.counts;
        say(`stage ${event.stage}: ${ok} ok, ${failed} failed, ${cancelled} cancelled, ${notSent} not sent`);
        return;
      }
      case 'health':
        say(`stage ${event.stage}: ${event.level}: ${event.message}`);
        return;
      case 'counting':
        if (io.isTerminal) draw(`counting tokens: ${event.done} of ${event.total} answers`);
        return;
      case 'uploading':
        if (io.isTerminal) draw(`uploading to ${event.to}: ${event.done} of ${event.total} files`);
        return;
      case 'finished':
        say(`${event.state}: ${event.summary}`);
    }
  }
  return { onEvent, finish: clear };
}

function whole(count: number): string {
  return count.toLocaleString('en-US');
}

function stageLine(stage: PlannedStage | undefined): string {
  if (!stage) return '';
  return `stage ${stage.id}: ${stage.label}${stage.warmup ? ' (warm-up, not measured)' : ''}`;
}

function tickLine(event: Extract<RunEvent, { type: 'tick' }>, stages: readonly PlannedStage[]): string {
  const { counts } = event;
  const stage = stages.find(({ id }) => id === event.stage);
  const of = stage?.durationSeconds === undefined ? '' : ` of ${stage.durationSeconds}`;
  const parts = [
    `stage ${event.stage}`,
    `${event.stageElapsedSeconds.toFixed(0)}${of} s`,
    `${counts.ok + counts.failed}/${counts.planned} done`,
    `${counts.inFlight} in flight`,
  ];
  if (counts.failed > 0) parts.push(`${counts.failed} failed (${event.errors.map(({ label }) => label).join(', ')})`);
  if (event.achievedRps !== undefined) parts.push(`${event.achievedRps.toFixed(1)} rps`);
  if (event.ttftMs !== undefined) parts.push(`${shortLabel('ttft')} ${event.ttftMs.toFixed(0)} ms`);
  if (event.itlMs !== undefined) parts.push(`${shortLabel('token_gap')} ${event.itlMs.toFixed(1)} ms`);
  if (event.scheduleDelayMs !== undefined && event.scheduleDelayMs > 10) {
    parts.push(`${shortLabel('schedule_delay')} ${event.scheduleDelayMs.toFixed(0)} ms`);
  }
  return parts.join(', ');
}

function bar({ counts }: Extract<RunEvent, { type: 'tick' }>, width: number): string {
  const share = counts.planned === 0 ? 0 : (counts.ok + counts.failed) / counts.planned;
  const full = Math.round(share * width);
  return `[${'#'.repeat(full)}${'.'.repeat(width - full)}]`;
}
