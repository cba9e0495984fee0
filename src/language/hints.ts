// Inlay hints: what will really happen, beside the line that decides it. The tooltip says how it comes about.
import {
  expectationsOf,
  type Circumstances,
  type Expectations,
  type StageExpectation,
} from '../config/will/expectations';
import type { DistributionExpectation } from '../config/will/expected-lengths';
import type { Realised } from '../config/will/realised';
import type { LoadedConfig, Reading } from '../config/load';
import type { ConfigPath } from '../problem';
import type { Position } from '../config/yaml/lines';
import { readings, type Asked } from './place';

export interface Hint {
  /** End of the line's text, where the hint stands. */
  readonly position: Position;
  readonly label: string;
  /** Markdown, a few lines. */
  readonly tooltip: string;
  /** The key it belongs to, from the config's root. */
  readonly path: ConfigPath;
}

/** Hints of every config of a text. Values that rest on placeholders get none. */
export function hints(text: string, given: Asked = {}): readonly Hint[] {
  return readings(text, given).flatMap((reading) => (reading.loaded ? hintsOf(reading, reading.loaded, given) : []));
}

/** What the hint at a path says, for hover. */
export function expectationAt(loaded: LoadedConfig, path: ConfigPath, given: Circumstances): string | undefined {
  const here = JSON.stringify(path);
  return notesOf(loaded, given).find((note) => JSON.stringify(note.path) === here)?.tooltip;
}

interface Note {
  readonly path: ConfigPath;
  /** Absent: for hover only. */
  readonly label?: string;
  readonly tooltip: string;
}

function hintsOf({ region }: Reading, loaded: LoadedConfig, given: Circumstances): readonly Hint[] {
  if (!region) return [];
  const { document, prefix } = region;
  return notesOf(loaded, given).flatMap((note): readonly Hint[] => {
    const { label } = note;
    if (label === undefined) return [];
    const found = document.locate([...prefix, ...note.path]);
    if (!found) return [];
    const { line } = document.lines.position((found.key ?? found.value).start);
    const content = document.lines.line(line);
    const end = { startLine: line, startColumn: content.trimEnd().length, endLine: line, endColumn: content.length };
    const { startLine, startColumn } = region.toFile(end);
    return [{ ...note, label, position: { line: startLine, column: startColumn } }];
  });
}

function notesOf(loaded: LoadedConfig, given: Circumstances): readonly Note[] {
  const { config, seed, warmupStages } = loaded;
  const found = expectationsOf(config, { ...given, warmupStages, ...(seed === undefined ? {} : { seed }) });
  const notes = [
    loadNote(found),
    typeNote(found, loaded),
    totalsNote(restsOnPlaceholder(['data'], loaded) ? { ...found, input: OPEN, output: OPEN } : found),
    ...found.stages.map((stage) => stageNote(stage, found, given, spacingOf(stage, loaded))),
    ...found.distributions.map(lengthNote),
    dataNote(found),
  ];
  return notes.filter((note) => note !== undefined).filter((note) => !restsOnPlaceholder(note.path, loaded));
}

const OPEN: Expectations['input'] = { perRequest: undefined, totalTokens: undefined, note: 'a value is to be filled' };

/** A stand-in's figures are nobody's: a section with an open value that figures depend on has none. */
function restsOnPlaceholder(path: ConfigPath, { placeholders }: LoadedConfig): boolean {
  return placeholders.some(({ path: open }) => open[0] === path[0] && !NAMES.has(String(open.at(-1))));
}

/** Values that decide nothing that is computed here. */
const NAMES: ReadonlySet<string> = new Set([
  'path',
  'file',
  'corpus_file_path',
  'trace_directory',
  'hf_dataset_path',
  'name',
]);

function lengthNote({ path, realised, distribution }: DistributionExpectation): Note {
  const { type, min, max } = distribution;
  if (type === 'fixed')
    return {
      path,
      label: `always ${figure(realised.mean)}`,
      tooltip: `Always **${figure(realised.mean)}**: min, max and std_dev are not used.`,
    };
  const [mean, spread, ends] = [figure(realised.mean), figure(realised.spread), bounds(realised, min, max)];
  const shares = [
    ...(realised.atMin > 0.0005 ? [`${percent(realised.atMin)} are exactly ${min}`] : []),
    ...(realised.atMax > 0.0005 ? [`${percent(realised.atMax)} exactly ${max}`] : []),
  ];
  return {
    path,
    label: fit(
      `mean ${mean}, spread ${spread}${ends}`,
      `mean ${mean} ± ${spread}${ends}`,
      `mean ${mean}, spread ${spread}`,
    ),
    tooltip: `After clamping and rounding: mean **${mean}**, standard deviation ${spread}${shares.map((share) => `; ${share}`).join('')}.`,
  };
}

function bounds(realised: Realised, min: number, max: number): string {
  const parts: string[] = [];
  if (realised.atMin >= 0.02 && min < max) parts.push(`${percent(realised.atMin)} at ${min}`);
  if (realised.atMax >= 0.02 && min < max) parts.push(`${percent(realised.atMax)} at ${max}`);
  return parts.length === 0 ? '' : `, ${parts.join(', ')}`;
}

/** What fits: VS Code cuts the hints of a line at 43 characters. */
function fit(...candidates: readonly string[]): string {
  return candidates.find((text) => text.length <= MAX_LABEL) ?? candidates.at(-1)!;
}

const MAX_LABEL = 43;

/** Limits of the client, at `load:`. */
function loadNote({ workers, inFlightCap, timeout, threads }: Expectations): Note {
  const isCounted = inFlightCap !== undefined && Number.isFinite(inFlightCap);
  const cpus = workers.written || workers.count === undefined ? '' : ` (${workers.count} CPUs)`;
  const limit = `timeout ${figure(timeout.seconds)} s`;
  const several = threads && threads.count > 1 ? [`, ${threads.count} threads`, ''] : [''];
  const atMost = isCounted ? [`at most ${inFlightCap} in flight${cpus}, `, `≤ ${inFlightCap} in flight${cpus}, `] : [];
  // Whose CPUs is left out before the threads are, and the cap last.
  const short = isCounted ? [`≤ ${inFlightCap} in flight, `] : [];
  const label = fit(
    ...several.flatMap((words) => [...atMost, ...(words === '' ? [] : short)].map((cap) => `${cap}${limit}${words}`)),
    ...several.map((words) => `${limit}${words}`),
  );
  const tooltip = [
    workers.written
      ? `Workers: ${workers.count}, as written.`
      : `Workers: not written, so the number of CPUs${workers.count === undefined ? '' : ` (**${workers.count}** on this machine)`}. In a pod it is the node’s, not the pod’s limit.`,
    isCounted
      ? `At most **${inFlightCap}** requests in flight; above that the client queues, and latency starts when it sends.`
      : '',
    `A request is given up after **${timeout.seconds} s**${timeout.written ? '.' : ': request_timeout is not written, and the HTTP library stops there.'}`,
    threads && threads.count > 1 ? `IsoPerf sends it with **${threads.count} threads** here (${threads.reason}).` : '',
  ];
  return { path: ['load'], label, tooltip: tooltip.filter((line) => line !== '').join('  \n') };
}

function typeNote({ arrivals: law, seeds }: Expectations, { directives }: LoadedConfig): Note {
  const directive = directives.find(({ name, path }) => name === 'arrivals' && path.length === 0)?.value;
  // Only IsoPerf follows the directive; inference-perf keeps to the load type.
  const arrivals = directive === undefined ? law : `${directive} in IsoPerf; in inference-perf ${law}`;
  const seed = /^arrivals: (the clock|-?\d+)/.exec(seeds[0] ?? '')?.[1];
  const words =
    directive === undefined
      ? (SHORT_LAWS.find(([start]) => law.startsWith(start))?.[1] ?? law)
      : `${directive} in IsoPerf`;
  const label = seed === undefined ? fit(words) : fit(`${words}; seed: ${seed}`, words);
  return {
    path: ['load', 'type'],
    label,
    tooltip: [`Arrivals: ${arrivals}.`, ...seeds.map((line) => `Seed of ${line}.`)].join('  \n'),
  };
}

const SHORT_LAWS = [
  ['exponential gaps', 'bursty: exponential gaps'],
  ['each second', 'Poisson counts per second'],
  ['the times of', 'times of load.trace'],
  ['closed loop', 'closed loop: one ends, the next starts'],
  ['sessions', 'sessions, event after event'],
] as const;

function totalsNote(found: Expectations): Note | undefined {
  if (found.totalRequests === undefined || found.stages.length === 0) return undefined;
  const { input, output } = found;
  const count = whole(found.totalRequests);
  const time = found.durationSeconds === undefined ? '' : `, ${duration(found.durationSeconds)}`;
  const inOut = [
    ...(input.totalTokens === undefined ? [] : [`${short(input.totalTokens)} in`]),
    ...(output.totalTokens === undefined ? [] : [`${short(output.totalTokens)} out`]),
  ].map((part) => `, ${part}`);
  const label = fit(
    `${count} requests${time}${inOut.join('')}${inOut.length > 0 ? ' tokens' : ''}`,
    `${count} requests${time}${inOut.join('')}`,
    `${count} req${time}${inOut.join('')}`,
    `${count} requests${time}`,
  );
  const tooltip = [
    `**${whole(found.totalRequests)}** requests in ${found.stages.length} stage${found.stages.length === 1 ? '' : 's'}.`,
    ...(found.durationSeconds === undefined
      ? []
      : [
          `Scheduled time ${duration(found.durationSeconds)}, with the second before each stage and the pause after it; answers still under way come on top.`,
        ]),
    tokens('Input', input),
    tokens('Output (asked for)', output),
    ...(found.repeats === undefined ? [] : [`What comes again: ${found.repeats}.`]),
  ];
  return { path: ['load', 'stages'], label, tooltip: tooltip.join('  \n') };
}

function tokens(name: string, { perRequest, totalTokens, note }: Expectations['input']): string {
  const each = perRequest ? `${figure(perRequest.mean)} tokens a request` : 'not known beforehand';
  const total =
    totalTokens === undefined ? '' : `, **${totalTokens < 10_000 ? '' : 'about '}${short(totalTokens)}** in all`;
  return `${name}: ${each}${total}${note === undefined ? '' : ` (${note})`}.`;
}

/** The arrivals directive of one stage; it wins over the document's. Only an open loop has gaps to space. */
function spacingOf({ index, rateRps }: StageExpectation, { directives }: LoadedConfig): string | undefined {
  if (rateRps === undefined) return undefined;
  return directives.find(({ name, path }) => name === 'arrivals' && path[2] === index)?.value;
}

function stageNote(
  stage: StageExpectation,
  found: Expectations,
  given: Circumstances,
  spacing: string | undefined,
): Note | undefined {
  const { requests, openUpToSeconds: open } = stage;
  if (requests === undefined) return undefined;
  const safe = stage.safePercentile === undefined ? 'too few for percentiles' : `p${stage.safePercentile} safe`;
  const again = (stage.sendsPerPrompt ?? 0) > 1 ? `, each prompt ${figure(stage.sendsPerPrompt!)}x` : '';
  const limit = open === undefined ? '' : `, open to ${figure(open)} s`;
  const words = spacing === undefined ? '' : `, ${spacing}`;
  const head = `${whole(requests)} requests${words}, ${stage.warmup ? 'warm-up' : safe}`;
  const label = again === '' ? fit(head + limit, head) : fit(head + again, whole(requests) + ' requests' + again);
  const need = stage.inFlightNeed;
  const tooltip = [
    `**${whole(requests)}** requests${stage.product !== undefined && stage.product !== requests ? `: the whole part of rate x duration, ${figure(stage.product)}` : ''}.`,
    stage.warmup
      ? 'A warm-up: sent and recorded, kept out of the measured window.'
      : `Percentiles: ${stage.safePercentile === undefined ? 'none has enough requests' : `p${stage.safePercentile} is the highest with enough requests`} for a 95 % bound.`,
    ...(stage.rateRps !== undefined && need !== undefined
      ? [
          `If a request takes ${given.assumedLatencySeconds ?? 10} s, ${figure(need)} are in flight${found.inFlightCap === undefined ? '' : `, of ${found.inFlightCap} places`}.`,
        ]
      : []),
    ...(open === undefined
      ? []
      : [`Above ${figure(open)} s a request the client queues, and the loop is no longer open.`]),
    ...(spacing === undefined
      ? []
      : [`Arrivals of this stage: ${spacing} in IsoPerf; inference-perf keeps to the load type.`]),
    ...(stage.rateRps !== undefined && found.stages.length > 1
      ? ['It ends with its last answer, and only then the next stage begins.']
      : []),
    ...(again === '' ? [] : [`Each prompt is sent ${figure(stage.sendsPerPrompt!)} times word for word.`]),
  ];
  return { path: ['load', 'stages', stage.index], label, tooltip: tooltip.join('  \n') };
}

/** At `data.type`: lengths that the data type decides by itself, and what repeats. */
function dataNote({ output, input, repeats, stages }: Expectations): Note | undefined {
  if (output.note === undefined && input.note === undefined && repeats === undefined) return undefined;
  const tooltip = [tokens('Input', input), tokens('Output (asked for)', output)];
  if (repeats !== undefined) tooltip.push(`What comes again: ${repeats}.`);
  const note = { path: ['data', 'type'], tooltip: tooltip.join('  \n') };
  if (output.note?.startsWith('capped') === true)
    return { ...note, label: `${output.perRequest?.mean ?? 0} output tokens a request` };
  if (output.note !== undefined) return { ...note, label: fit(`output ${output.note}`, 'output as the data has it') };
  const most = Math.max(0, ...stages.map((stage) => stage.sendsPerPrompt ?? 0));
  if (most > 1) return { ...note, label: `each prompt up to ${Math.ceil(most)}x in a stage` };
  const isList = stages.some((stage) => stage.sendsPerPrompt !== undefined);
  return isList && repeats !== undefined ? { ...note, label: 'every stage sends the same prompts again' } : note;
}

/** Three significant digits. */
function figure(value: number): string {
  return value >= 1000 ? whole(Math.round(value)) : String(Number(value.toPrecision(3)));
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function short(value: number): string {
  if (value < 10_000) return whole(value);
  return value < 1e6 ? `${Number((value / 1e3).toPrecision(3))}k` : `${Number((value / 1e6).toPrecision(3))}M`;
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`;
}

function duration(seconds: number): string {
  if (seconds < 120) return `${figure(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = Math.round(seconds - 60 * minutes);
  if (minutes < 120) return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
