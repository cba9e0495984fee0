// The requests of an opened report whichever tool wrote them; and whether they agree with the report's own summary.
import type { Problem } from '../../problem';
import { measureOf, type CanonicalReport, type Definition, type Measure, type QuantityId } from '../canonical';
import { counted, significant, whole } from '../../figures';
import type { OpenedReport } from '../foreign';
import { parseJson } from '../../folder/json';
import { readRecords } from '../../folder/read-records';
import { hasArrays } from '../readers/vllm';
import { guidellmColumns, keptBenchmark } from './guidellm';
import { streamInferencePerf, type StampBasis } from './inference-perf';
import { sglangColumns, streamAiperf, vllmColumns } from './others';
import { recompute, type RecomputeDefinition } from './recompute';
import { ownRequests, type Requests } from './requests';

export interface OpenedRequests {
  readonly requests: Requests;
  readonly problems: readonly Problem[];
}

/** Undefined when the report has no per-request file. What cannot be in a request is left out of it, and is a problem. */
export async function openRecords(
  opened: Omit<OpenedReport, 'facts'>,
  basis: StampBasis = 'tokens',
): Promise<OpenedRequests | undefined> {
  const streamed = await readRequests(opened, basis);
  const { impossible = 0, length = 0 } = streamed?.requests ?? {};
  if (!streamed || impossible === 0) return streamed;
  const file = opened.recordsFile!;
  const problem: Problem = {
    code: 'REP132',
    severity: 'warning',
    path: [],
    message: `${file}: in ${whole(impossible)} of ${counted(length, 'request')} an answer comes before it was asked for, a token before the one before it, or a count is below 0: these are left out`,
    file,
    remedy: 'Look whether the clock was set during the run, or the file was edited',
  };
  return { ...streamed, problems: [...streamed.problems, problem] };
}

async function readRequests(
  { report, folder, recordsFile }: Omit<OpenedReport, 'facts'>,
  basis: StampBasis,
): Promise<OpenedRequests | undefined> {
  if (recordsFile === undefined) return undefined;
  switch (report.tool) {
    case 'isoperf': {
      const read = await readRecords(folder, recordsFile);
      return read && { requests: ownRequests(read.records, basis), problems: read.problems };
    }
    case 'inference-perf':
      return streamInferencePerf(
        folder.readBytes?.(recordsFile) ?? textPieces(folder, recordsFile),
        recordsFile,
        basis,
      );
    case 'aiperf':
      return streamAiperf(
        folder.readLines?.(recordsFile) ?? textLines(folder, recordsFile),
        recordsFile,
        report.said?.outputCounter?.value?.source === 'server-usage',
      );
    case 'vllm bench serve':
    case 'sglang bench_serving': {
      const value = await wholeValue(folder, recordsFile);
      const columnsOf = report.tool === 'vllm bench serve' ? vllmColumns : sglangColumns;
      return hasArrays(value) ? { requests: columnsOf(value), problems: [] } : undefined;
    }
    case 'guidellm': {
      const kept = keptBenchmark(await wholeValue(folder, recordsFile));
      return kept && { requests: guidellmColumns(kept), problems: [] };
    }
    default:
      return undefined;
  }
}

/** Of a file that is one JSON value, or one line of JSON. */
async function wholeValue(folder: OpenedReport['folder'], file: string): Promise<unknown> {
  const text = await folder.readText(file);
  const parsed = text === undefined ? undefined : parseJson(text, file);
  return parsed?.ok === true ? parsed.value : undefined;
}

async function* textPieces(folder: OpenedReport['folder'], file: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode((await folder.readText(file)) ?? '');
}

async function* textLines(folder: OpenedReport['folder'], file: string): AsyncGenerator<string> {
  yield* ((await folder.readText(file)) ?? '').split(/\r?\n/);
}

/** The definition under which a tool's summary was made from its requests. */
export function ownDefinition(report: CanonicalReport): RecomputeDefinition {
  const scope = report.scopes.find(({ kind }) => kind === 'summary') ?? report.scopes[0];
  const found = scope?.measures.find(({ quantity }) => quantity === 'tpot' || quantity === 'output_tokens');
  const by = ofRequests(found?.definition.tokens);
  const input = ofRequests(scope && measureOf(scope, 'prompt_tokens')?.definition.tokens);
  const gap = scope?.measures.some(({ quantity }) => quantity === 'token_gap') === true ? 'token_gap' : 'chunk_gap';
  return {
    tokens:
      by === 'server' || by === 'client' ? by : !scope && report.tool === 'aiperf' ? 'client' : 'server-else-client',
    ...(input === 'server' || input === 'client' || input === 'server-else-client' ? { inputTokens: input } : {}),
    gap,
    failures: 'leave-out',
    flavour: report.tool === 'inference-perf' ? 'inference-perf' : 'own',
    percentiles: [50, 90, 95, 99],
  };
}

/** Requests keep what the server's own tokenizer counted where they keep the client's count. */
function ofRequests(by: Definition['tokens']): Definition['tokens'] {
  return by === 'server-tokenizer' ? 'client' : by;
}

const COMPARED = ['ttft', 'tpot', 'token_gap', 'chunk_gap', 'ntpot', 'e2e', 'prompt_tokens', 'output_tokens'] as const;
const TOLERANCE = 1e-9;

/** Where the report's summary is not what its own requests give, statistic by statistic. */
export function checkAgainstSummary(report: CanonicalReport, { requests }: OpenedRequests, file: string): Problem[] {
  const scope = report.scopes.find(({ kind }) => kind === 'summary' || kind === 'run');
  if (!scope) return [];
  const again = recompute(requests, ownDefinition(report), file);
  const differences: string[] = [];
  const compare = (name: string, said: number | undefined, found: number | undefined, tolerance: number): void => {
    if (said === undefined || found === undefined) return;
    if (Math.abs(said - found) > tolerance * Math.max(Math.abs(said), Math.abs(found))) {
      const [left, right] = apart(said, found);
      differences.push(`${name} is ${left} in the summary, ${right} from the requests`);
    }
  };
  const { total } = scope.counts;
  // Our own summary leaves warm-ups out, its records do not: they are compared stage by stage elsewhere.
  if (total !== undefined && total !== again.counts.total) {
    if (report.tool === 'isoperf') return [];
    return [mismatch(`${file} has ${whole(again.counts.total ?? 0)} requests, the summary ${whole(total)}`, file)];
  }
  for (const id of COMPARED) {
    const said = measureOf(scope, id);
    if (!said || endsElsewhere(report, id)) continue;
    const one = again.measures.find(({ quantity }) => quantity === id);
    if (isOtherCount(requests, said, one)) continue;
    const found = one?.stats;
    for (const statistic of comparableStatistics(said.definition)) {
      compare(`${id} ${statistic}`, said.stats[statistic], found?.[statistic], toleranceOf(report, id));
    }
  }
  return differences.length === 0 ? [] : [mismatch(differences.slice(0, 6).join('; '), file)];
}

/** Of a tool that keeps one number per request: its summary may be of another count, as SGLang's input total is of the data set. */
function isOtherCount({ oneCount }: Requests, said: Measure, again: Measure | undefined): boolean {
  const [x, y] = [said.definition.tokens, again?.definition.tokens];
  return (oneCount.input ?? oneCount.output) !== undefined && x !== undefined && y !== undefined && x !== y;
}

/** Means over tokens and percentiles by rank are other statistics than those that are computed here. */
function comparableStatistics({ weighting, percentiles }: Definition): readonly string[] {
  return [
    ...(weighting === 'tokens' ? [] : ['mean']),
    'min',
    ...(percentiles === undefined || percentiles === 'linear' ? ['p50', 'p90', 'p99'] : []),
    'max',
  ];
}

/** vLLM looks at the clock twice for a first token, once for its TTFT and once for the gap after it: microseconds fall between. */
function toleranceOf({ tool }: CanonicalReport, id: QuantityId): number {
  return tool === 'vllm bench serve' && (id === 'e2e' || id === 'tpot') ? 1e-4 : TOLERANCE;
}

/** SGLang's latencies go on to the end of the stream, and its arrays end with the last chunk; GuideLLM's NTPOT is the other way round. */
function endsElsewhere({ tool }: CanonicalReport, id: QuantityId): boolean {
  if (tool === 'guidellm') return id === 'ntpot';
  return tool === 'sglang bench_serving' && (id === 'e2e' || id === 'tpot' || id === 'ntpot');
}

/** With as many digits as it takes to see the difference. */
function apart(a: number, b: number): readonly [string, string] {
  for (let digits = 3; digits < 15; digits++) {
    const [left, right] = [a.toPrecision(digits), b.toPrecision(digits)];
    if (left !== right) return digits === 3 ? [significant(a), significant(b)] : [left, right];
  }
  return [String(a), String(b)];
}

function mismatch(what: string, file: string): Problem {
  return {
    code: 'REP126',
    severity: 'warning',
    path: [],
    message: `the summary is not what its requests give: ${what}`,
    file,
  };
}
