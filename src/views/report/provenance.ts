// Where the numbers of a run come from: tool, endpoint, load, workload, counters, window, client; "not recorded" where it is so.
import { mediaWords } from '../../metrics/media';
import type { Distribution, RunManifest, TokenSource } from '../../folder/manifest';
import { QUANTITIES } from '../../metrics/quantities';
import { counted, duration, moment, percent, significant, span, whole } from '../../figures';
import { countingOf } from '../../readers/scopes';
import type { Run } from '../../readers/run';
import { foreignProvenance } from './judgement';
import { stackGroups } from './stack';
import type { Fact, ReportView } from './model';

const MISSING = 'not recorded';

export function provenance(run: Run): ReportView['provenance'] {
  const manifest = run.manifest;
  if (!manifest && run.canonical) return foreignProvenance(run.canonical);
  if (!manifest) {
    return [
      {
        title: 'Tool',
        facts: [
          { label: 'Written by', value: run.tool.version ? `${run.tool.name} ${run.tool.version}` : run.tool.name },
          { label: 'run.json', value: 'not in this folder: only what the tool itself recorded is known' },
        ],
      },
    ];
  }
  return [
    { title: 'Run', facts: runFacts(manifest) },
    { title: 'Endpoint', facts: endpointFacts(manifest) },
    ...stackGroups(run),
    { title: 'Workload', facts: workloadFacts(manifest) },
    { title: 'Counting', facts: countingFacts(run, manifest) },
    { title: 'Client', facts: clientFacts(manifest) },
  ];
}

function runFacts({ tool, id, clock, config, runtime }: RunManifest): Fact[] {
  return [
    { label: 'Written by', value: `${tool.name} ${tool.version}` },
    { label: 'Id', value: id },
    { label: 'Started', value: moment(clock.startedAt) },
    { label: 'Ran for', value: clock.durationSeconds === undefined ? MISSING : span(clock.durationSeconds) },
    {
      label: 'Config',
      value: config.file,
      note: `sha256 ${config.sha256.slice(0, 12)}, rules of inference-perf ${config.target}`,
    },
    { label: 'Overrides', value: config.overrides.length === 0 ? 'none' : config.overrides.join(', ') },
    {
      label: 'Directives',
      value:
        config.directives.length === 0
          ? 'none'
          : config.directives.map(({ name, value }) => (value === undefined ? name : `${name}=${value}`)).join(', '),
    },
    { label: 'Generated on', value: machine(runtime) },
  ];
}

function machine(runtime: RunManifest['runtime']): string {
  const cpu = runtime.cpuModel === undefined ? '' : ` (${runtime.cpuModel.trim()})`;
  const host = runtime.host === undefined ? '' : `${runtime.host}, `;
  return `${host}${runtime.platform} ${runtime.arch}, ${counted(runtime.cpus, 'core')}${cpu}, Node ${runtime.node}`;
}

function endpointFacts({ endpoint }: RunManifest): Fact[] {
  const kinds = { config: "the config's own", override: 'chosen for this run', simulator: 'the embedded simulator' };
  return [
    { label: 'URL', value: `${endpoint.baseUrl}${endpoint.route}`, note: kinds[endpoint.kind] },
    { label: 'Model', value: endpoint.model, note: endpoint.modelSource },
    {
      label: 'API',
      value: `${endpoint.apiType}, ${endpoint.streaming ? 'streaming' : 'not streaming'}, ${endpoint.serverType}`,
    },
    { label: 'Server says', value: endpoint.server?.version ?? MISSING, ...noted(endpoint.server?.models?.join(', ')) },
    { label: 'End of sequence', value: endpoint.ignoreEos ? 'ignore_eos was asked for' : 'honoured' },
    { label: 'Request timeout', value: duration(endpoint.requestTimeoutSeconds) },
    {
      label: 'Network',
      value: `${endpoint.tls ? (endpoint.tlsChecks === 'off' ? 'TLS, certificate not checked' : 'TLS') : 'no TLS'}, ${endpoint.proxy === undefined ? 'no proxy' : `proxy ${endpoint.proxy}`}`,
    },
  ];
}

function workloadFacts({ workload, stages, lengths }: RunManifest): Fact[] {
  const laws = [...new Set(stages.map((stage) => stage.arrivalLaw))].join(', ');
  return [
    { label: 'Data', value: workload.dataType, note: counted(workload.distinctPrompts, 'distinct prompt') },
    ...(workload.media && workload.media.bytesPerRequest > 0
      ? [{ label: 'Media', value: mediaWords(workload.media) }]
      : []),
    { label: 'Arrivals', value: laws === '' ? MISSING : laws },
    {
      label: 'Seed',
      value: workload.seed === undefined ? MISSING : String(workload.seed),
      ...noted(workload.seedSource),
    },
    { label: 'Fingerprint', value: workload.fingerprint.slice(0, 16), note: 'hash of the whole request stream' },
    { label: 'Prompts', value: workload.promptsHash.slice(0, 16), note: 'hash of the prompts alone' },
    { label: QUANTITIES.prompt_tokens.label, value: lengthWords(lengths?.prompt, workload.askedPromptTokens) },
    { label: QUANTITIES.output_tokens.label, value: lengthWords(lengths?.output, workload.maxTokens) },
    { label: 'Finish reasons', value: reasons(lengths?.finishReasons) },
  ];
}

function lengthWords(realised: Distribution | undefined, asked: Distribution | undefined): string {
  const words = (part: Distribution): string =>
    `${significant(part.mean)} ± ${significant(part.stdDev)}, ${whole(part.min)} to ${whole(part.max)}`;
  const parts = [
    ...(asked ? [`asked ${words(asked)}`] : []),
    realised ? `realised ${words(realised)}` : 'realised: not recorded',
  ];
  return parts.join('; ');
}

function reasons(counts: Readonly<Record<string, number>> | undefined): string {
  const entries = Object.entries(counts ?? {});
  return entries.length === 0 ? MISSING : entries.map(([reason, count]) => `${reason} ${whole(count)}`).join(', ');
}

function countingFacts(run: Run, { tokens, window }: RunManifest): Fact[] {
  const itl = countingOf(run).itl;
  const warm =
    window.warmupStages.length === 0
      ? 'no warm-up was excluded'
      : `warm-up excluded: ${window.warmupStages.length === 1 ? 'stage' : 'stages'} ${window.warmupStages.join(', ')}, ${counted(window.warmupRequests, 'request')}`;
  return [
    { label: 'Input tokens', ...source(tokens?.input) },
    { label: 'Output tokens', ...source(tokens?.output) },
    {
      label: QUANTITIES.token_gap.label,
      value: itl === 'tokens' ? 'gaps between tokens' : 'gaps between chunks as they arrived',
    },
    { label: 'Window', value: warm, ...noted(window.note) },
    { label: 'Percentiles', value: 'linear interpolation between closest ranks, over answered requests' },
  ];
}

function source(counter: TokenSource | undefined): Pick<Fact, 'value' | 'note'> {
  if (!counter) return { value: MISSING };
  const words = {
    'server-usage': 'server (usage)',
    'client-tokenizer': "client's tokenizer",
    'server-tokenizer': "server's own tokenizer, asked after the run",
    mixed: "server where it counted, client's tokenizer elsewhere",
    'not-counted': 'not counted',
  };
  const parts = [
    ...(counter.reason === undefined ? [] : [counter.reason]),
    ...(counter.tokenizer === undefined
      ? []
      : [`${counter.tokenizer.source}, sha256 ${counter.tokenizer.sha256.slice(0, 12)}`]),
  ];
  return { value: words[counter.source], ...noted(parts.join('; ')) };
}

function clientFacts({ health, runtime }: RunManifest): Fact[] {
  const threads =
    runtime.workers === undefined
      ? []
      : [{ label: 'Sending threads', value: whole(runtime.workers), ...noted(runtime.workersReason) }];
  if (health.length === 0) return [...threads, { label: 'Health', value: MISSING }];
  const stages = health.map((stage) => {
    const busiest = stage.workers ? `busiest of ${counted(stage.workers.length, 'thread')} ` : 'event loop ';
    const parts = [
      ...(stage.scheduleDelay ? [`schedule delay p95 ${duration(stage.scheduleDelay.p95)}`] : []),
      ...(stage.eventLoopUse === undefined ? [] : [`${busiest}${percent(stage.eventLoopUse)} busy`]),
      ...(stage.cpuUse === undefined ? [] : [`${significant(stage.cpuUse)} cores`]),
      ...(stage.maxInFlight === undefined
        ? []
        : [
            `${whole(stage.maxInFlight)} in flight at most${stage.inFlightCap === undefined ? '' : ` of ${whole(stage.inFlightCap)}`}`,
          ]),
    ];
    return { label: `Stage ${stage.stage}`, value: stage.verdict, ...noted([...stage.reasons, ...parts].join('; ')) };
  });
  return [...threads, ...stages];
}

function noted(note: string | undefined): { readonly note?: string } {
  return note === undefined || note === '' ? {} : { note };
}
