// A Run -> what its report view shows. Pure: the extension draws it, tests read it, Markdown is written from it.
import type { OutcomeCounts } from '../../metrics/record';
import { counted, moment, whole } from '../../figures';
import { loadWords } from '../../folder/load-words';
import type { RunManifest } from '../../folder/manifest';
import type { Run } from '../../readers/run';
import { countingOf, scopesOf, type Scope } from '../../readers/scopes';
import { latencyByStage, throughputByStage } from './charts';
import { distributions, errorsOverTime, lengths, overTime } from './distributions';
import { reportOf } from '../../readers/own';
import { foreignIdentity, judgementNotes, ownNotes } from './judgement';
import { plannedOf } from '../../pitfalls/in-report';
import { provenance } from './provenance';
import { stageTable } from './stages';
import type { ChartGroup, ReportView, Tone, ViewNote } from './model';
import { own } from '../../own';

export function reportView(run: Run): ReportView {
  const scopes = scopesOf(run);
  const stages = scopes.filter((scope) => scope.stage !== undefined);
  const shown = stages.length > 0 ? stages : scopes;
  return {
    title: titleOf(run),
    identity: identityOf(run, stages),
    state: stateOf(run),
    notes: notesOf(run),
    stages: stageTable(run, scopes),
    charts: chartsOf(run, shown),
    provenance: provenance(run),
    files: run.files,
  };
}

function chartsOf(run: Run, stages: readonly Scope[]): ChartGroup[] {
  const byStage = [latencyByStage(run, stages), throughputByStage(stages)];
  if (!run.records || run.records.length === 0) return byStage;
  const counting = countingOf(run);
  return [
    overTime(run, stages),
    distributions(run, stages),
    ...byStage,
    lengths(stages, counting),
    errorsOverTime(stages),
  ];
}

/** "chat-8b, 2026-11-29 16:54 UTC"; a folder without a manifest is called by its own name. */
export function titleOf(run: Run): string {
  if (run.manifest) return `${run.manifest.name}, ${moment(run.manifest.clock.startedAt)}`;
  return run.folder.split(/[\\/]/).filter(Boolean).at(-1) ?? run.folder;
}

function identityOf(run: Run, stages: readonly Scope[]): string[] {
  const tool = run.tool.version === undefined ? run.tool.name : `${run.tool.name} ${run.tool.version}`;
  if (!run.manifest && run.canonical) return foreignIdentity(run.canonical);
  const endpoint = run.manifest?.endpoint;
  if (!endpoint) return [tool, counted(stages.length, 'stage')];
  const where = endpoint.kind === 'simulator' ? `simulator at ${endpoint.baseUrl}` : endpoint.baseUrl;
  return [tool, where, endpoint.model, loadWords(run.manifest.stages)];
}

function stateOf(run: Run): ReportView['state'] {
  const manifest = run.manifest;
  if (!manifest) return reportedState(run);
  const limited = manifest.health.filter((stage) => stage.verdict === 'client-limited').map((stage) => stage.stage);
  const limit =
    limited.length === 0
      ? ''
      : ` Client-limited in ${limited.length === 1 ? 'stage' : 'stages'} ${limited.join(', ')}: the load that was asked for was not offered.`;
  if (manifest.state !== 'complete') return { tone: 'bad', words: incomplete(run, manifest) + limit };
  const counts = manifest.counts;
  const words = counts ? `Complete: ${outcomeWords(counts)}.` : 'Complete.';
  const failed = counts ? counts.failed + counts.cancelled + counts.notSent : 0;
  const tone: Tone = limited.length > 0 ? 'bad' : failed > 0 ? 'caution' : 'good';
  return { tone, words: words + limit };
}

/** Of another tool: what was planned is in its file, or in the config beside it, or nobody knows. */
function reportedState(run: Run): ReportView['state'] {
  const unknown = { tone: 'neutral', words: 'Whether every planned request ended is not recorded here.' } as const;
  const { canonical } = run;
  const parts = canonical?.scopes.filter(({ kind }) => kind === 'stage' || kind === 'run') ?? [];
  if (!canonical || parts.length === 0) return unknown;
  let [planned, ok, failed] = [0, 0, 0];
  for (const scope of parts) {
    const wanted = plannedOf(scope, canonical);
    if (wanted === undefined || scope.counts.ok === undefined || scope.counts.failed === undefined) return unknown;
    planned += wanted;
    ok += scope.counts.ok;
    failed += scope.counts.failed;
  }
  if (ok + failed < planned) {
    return { tone: 'bad', words: `Incomplete: ${whole(ok + failed)} of ${whole(planned)} planned requests are in it.` };
  }
  const words = failed === 0 ? 'all ok' : `${whole(ok)} ok, ${whole(failed)} failed`;
  return {
    tone: failed > 0 ? 'caution' : 'good',
    words: `Complete: ${counted(planned, 'planned request')}, ${words}.`,
  };
}

function incomplete(run: Run, manifest: RunManifest): string {
  const planned = manifest.stages.reduce((total, stage) => total + stage.planned, 0);
  const ended = manifest.counts
    ? manifest.counts.ok + manifest.counts.failed
    : (run.records ?? []).filter((r) => r.outcome.kind === 'ok' || r.outcome.kind === 'failed').length;
  const reason = manifest.state === 'running' ? 'the engine ended before the run did' : manifest.stateReason;
  return `Incomplete: ${whole(ended)} of ${whole(planned)} requests ended${reason === undefined ? '' : `; ${reason}`}.`;
}

/** "1,800 requests, all ok", "1,800 requests, 1,790 ok, 10 failed". */
export function outcomeWords(counts: OutcomeCounts): string {
  const total = counted(counts.planned, 'request');
  if (counts.ok === counts.planned) return `${total}, all ok`;
  const parts = [
    `${whole(counts.ok)} ok`,
    ...(counts.failed > 0 ? [`${whole(counts.failed)} failed`] : []),
    ...(counts.cancelled > 0 ? [`${whole(counts.cancelled)} cancelled`] : []),
    ...(counts.notSent > 0 ? [`${whole(counts.notSent)} not sent`] : []),
  ];
  return `${total}, ${parts.join(', ')}`;
}

const TONES: Readonly<Record<string, Tone>> = { error: 'bad', warning: 'caution', information: 'neutral' };
const ORDER: readonly Tone[] = ['bad', 'caution', 'neutral', 'good'];

/** Percentiles are over those that were answered: what is missing among them is no accident. */
function completenessNotes({ manifest, records }: Run): ViewNote[] {
  const notes: ViewNote[] = [];
  if (!manifest) return notes;
  if (manifest.state !== 'complete') {
    notes.push({
      tone: 'bad',
      title: 'The run is incomplete: its numbers are of the part that was sent, not of the planned workload',
      remedy: 'Run it again to its end before comparing it.',
    });
  }
  const ended = (records ?? []).filter((record) => record.outcome.kind === 'ok' || record.outcome.kind === 'failed');
  const failed = ended.filter((record) => record.outcome.kind === 'failed').length;
  if (failed > 0) {
    notes.push({
      tone: 'caution',
      title:
        failed === ended.length
          ? `${failed === 1 ? 'The only request that ended' : `All ${whole(failed)} requests that ended`} failed: there is no answer that a latency could be of`
          : `${whole(failed)} of ${counted(ended.length, 'request')} failed: every latency here is over the ${whole(ended.length - failed)} that ${ended.length - failed === 1 ? 'was' : 'were'} answered`,
    });
  }
  if (manifest.window.warmupStages.length === 0) {
    notes.push({
      tone: 'neutral',
      title: 'No warm-up was left out: the first requests after the start are in the numbers',
      remedy: 'Mark a leading stage with `# isoperf: warmup`.',
    });
  }
  return notes;
}

/** What a reader must know before the numbers, worst first; the same thing once, whoever says it. */
function notesOf(run: Run): ViewNote[] {
  const notes: ViewNote[] = [];
  const add = (note: ViewNote): void => {
    if (!notes.some((other) => other.title === note.title)) notes.push(note);
  };
  for (const { severity, code, message, remedy } of run.problems) {
    add({ tone: own(TONES, severity) ?? 'caution', title: message, code, ...(remedy === undefined ? {} : { remedy }) });
  }
  for (const { severity, code, message } of run.manifest?.problems ?? []) {
    add({ tone: own(TONES, severity) ?? 'caution', title: message, code });
  }
  for (const stage of run.manifest?.health ?? []) {
    if (stage.verdict === 'ok') continue;
    const tone: Tone = stage.verdict === 'client-limited' ? 'bad' : 'caution';
    const title = stage.verdict === 'client-limited' ? 'The client was the bottleneck' : 'The client was under strain';
    add({ tone, title: `${title} in stage ${stage.stage}`, detail: stage.reasons.join('; ') });
  }
  if (!run.manifest && run.canonical) for (const note of judgementNotes(run.canonical)) add(note);
  if (run.manifest) for (const note of ownNotes(reportOf(run))) add(note);
  for (const note of completenessNotes(run)) add(note);
  const counting = countingOf(run);
  if (run.manifest && counting.output === 'not-counted') {
    const reason = run.manifest.tokens?.output.reason;
    add({
      tone: 'caution',
      title: 'Nobody counted output tokens: there is no TPOT and no tokens/s',
      ...(reason === undefined ? {} : { detail: reason }),
    });
  }
  if (run.manifest && (!run.records || run.records.length === 0)) {
    add({ tone: 'caution', title: 'No per-request records: distributions and charts over time cannot be drawn' });
  }
  return notes.sort((a, b) => ORDER.indexOf(a.tone) - ORDER.indexOf(b.tone));
}
