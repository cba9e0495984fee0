// A Run -> what its report view shows. Pure: the extension draws it, tests read it, Markdown is written from it.
import type { OutcomeCounts } from '../../metrics/record';
import { counted, moment, whole } from '../../figures';
import { loadWords } from '../../folder/load-words';
import type { RunManifest } from '../../folder/manifest';
import type { Run } from '../../readers/run';
import { countingOf, scopesOf, type Scope } from '../../readers/scopes';
import { latencyByStage, throughputByStage } from './charts';
import { distributions, errorsOverTime, lengths, overTime } from './distributions';
import { endedOf, stateWords } from '../../audit/completeness';
import { reportOf } from '../../readers/own';
import { foreignIdentity, judgementNotes, ownNotes } from './judgement';
import { keyNumbers } from './key';
import { noticeLine, withDoubts } from './notices';
import { provenance } from './provenance';
import { stageTable } from './stages';
import type { ChartGroup, ReportView, Tone, ViewNote } from './model';
import { own } from '../../own';

export function reportView(run: Run): ReportView {
  const scopes = scopesOf(run);
  const stages = scopes.filter((scope) => scope.stage !== undefined);
  const shown = stages.length > 0 ? stages : scopes;
  const notes = notesOf(run);
  const notice = noticeLine(notes);
  const table = withDoubts(stageTable(run, scopes), notes);
  return {
    title: titleOf(run),
    identity: identityOf(run, stages),
    state: stateOf(run),
    notes,
    ...(notice === undefined ? {} : { notice }),
    key: keyNumbers(table, scopes),
    stages: table,
    charts: chartsOf(run, shown),
    provenance: provenance(run),
    files: run.files,
  };
}

/** So many measured stages are a sweep. */
const SWEEP_STAGES = 3;

function chartsOf(run: Run, stages: readonly Scope[]): ChartGroup[] {
  const byStage = [latencyByStage(run, stages), throughputByStage(stages)];
  if (!run.records || run.records.length === 0) return byStage;
  const counting = countingOf(run);
  const requests = [distributions(run, stages), overTime(run, stages)];
  // Of a sweep the load is the question; of one load the requests are.
  const isSweep = stages.filter(({ warmup }) => !warmup).length >= SWEEP_STAGES;
  const first = isSweep ? [...byStage, ...requests] : [...requests, ...byStage];
  return [...first, lengths(stages, counting), errorsOverTime(stages)];
}

/** "chat-8b, 2026-11-29 16:54 UTC": the config and its time; of another tool its file or folder, and its time where it says one. */
export function titleOf(run: Run): string {
  const { manifest } = run;
  if (manifest) return `${manifest.name}, ${moment(manifest.clock.startedAt)}`;
  const name = run.folder.split(/[\\/]/).filter(Boolean).at(-1) ?? run.folder;
  const startedAt = reportOf(run).startedAt;
  return startedAt === undefined ? name : `${name}, ${moment(startedAt)}`;
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
  const counts = endedOf(run);
  const { ended } = run.canonical ?? {};
  if (ended?.complete === false || run.damaged) return { tone: 'bad', words: `${sentence(stateWords(run))}.` };
  if (!counts) {
    if (ended) return { tone: 'good', words: 'Complete.' };
    return { tone: 'neutral', words: 'Whether every planned request ended is not recorded here.' };
  }
  const { planned, ok, failed } = counts;
  if (ok + failed < planned) {
    return { tone: 'bad', words: `Incomplete: ${whole(ok + failed)} of ${whole(planned)} planned requests are in it.` };
  }
  const words = failed === 0 ? 'all ok' : `${whole(ok)} ok, ${whole(failed)} failed`;
  return {
    tone: failed > 0 ? 'caution' : 'good',
    words: `Complete: ${counted(planned, 'planned request')}, ${words}.`,
  };
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
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
  if (run.manifest) for (const note of ownNotes(reportOf(run), run.manifest)) add(note);
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
