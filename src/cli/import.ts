// `isoperf import`: any tool's results in, and out comes what they are, what the numbers mean and what is wrong with them.
import { jsonText } from '../figures';
import type { Problem } from '../problem';
import type { RunFacts } from '../readers/facts';
import { READABLE_TOOLS, type OpenedReport } from '../readers/foreign';
import { judgeReport, violated } from '../audit/identities';
import { openingCautions } from '../audit/opening';
import { openReports } from '../readers/open';
import { completeReport } from '../readers/records/complete';
import type { Requests } from '../readers/records/requests';
import { openRecords } from '../readers/records/open-records';
import { isDisagreement, type JudgedReport } from '../audit/in-one-sentence';
import { EXIT, UsageError, type CliIo, type Command } from './command';
import { parseOptions } from './options';
import { accessTo, printProblems } from './access';
import { importListing } from './import-listing';
import {
  RECOMPUTE_HELP,
  RECOMPUTE_OPTIONS,
  recomputeFor,
  recomputeListing,
  recomputeRequest,
  type RecomputeRequest,
  type RecomputeResult,
} from './import-records';

const HELP = `isoperf import: what is this result, what do its numbers mean, and what is wrong with them?

Usage: isoperf import PATH [options]

PATH is a result file, a report folder, or a folder of several. The tool is recognised by what is in the files, never by
their names: ${READABLE_TOOLS.join(', ')}.

Printed are the tool and its version with the evidence, counts, window and load of every part, every number under one
name per quantity (two tools' "inter token latency" are two quantities), where each was read and in which unit, what had to
be assumed, what is not recorded, and the identities that the numbers violate, each with its tolerance and likely cause.

Options:
  --json       everything as JSON, identities that hold included
  --all        print identities that hold, too
  --no-records do not read per-request files (they are checked against the summary otherwise)
  -h, --help   this text

${RECOMPUTE_HELP}

Exit codes:
  0  every report was read and no identity is violated
  1  a report was read whose numbers contradict each other
  2  unusable: nothing was recognised, no request succeeded, the requests cannot be cut as asked, or the command line is wrong

Examples:
  isoperf import reports-20261129-174411
  isoperf import reports-20261129-174411 --warmup 30s --tokens server --goodput ttft=0.2,tpot=0.05
  isoperf import results.jsonl --json | jq '.reports[].judgement.identities[] | select(.holds | not)'
`;

async function run(args: readonly string[], io: CliIo): Promise<number> {
  const { values, positionals } = parseOptions({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      all: { type: 'boolean' },
      'no-records': { type: 'boolean' },
      ...RECOMPUTE_OPTIONS,
    },
  });
  const request = recomputeRequest(values);
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw new UsageError(`one path is needed, ${positionals.length} given`);
  const opened = await openReports(accessTo(name, io.cwd));
  if (!opened.ok) {
    printProblems(opened.problems, name, io);
    return EXIT.unusable;
  }
  const read: ReadOptions = { request, records: values['no-records'] !== true };
  const judged: Judged[] = [];
  for (const one of opened.value.reports) judged.push(await judge(one, read));
  const problems = [...opened.value.problems, ...judged.flatMap((one) => one.problems)];
  printProblems(problems, name, io);
  if (values.json === true) {
    const reports = judged.map((one) => ({ ...one, problems: undefined }));
    io.out(`${jsonText({ format: 'isoperf-import', version: 1, reports, problems }, 2)}\n`);
  } else io.out(judged.map((one) => listing(one, values.all === true, io.columns)).join('\n'));
  const isRefused = problems.some(({ code }) => code === 'REP128');
  if (request && !isRefused && judged.every((one) => one.recomputed === undefined)) {
    io.err(`isoperf import: warning: nothing was computed again: ${name} has no per-request records\n`);
  }
  const contradicted = problems.some(isDisagreement) || judged.some((one) => violated(one.judgement).length > 0);
  const isEmpty = judged.every(({ report: { scopes } }) => scopes.every(({ counts }) => counts.ok === 0));
  if (isRefused || isEmpty) return EXIT.unusable;
  return contradicted ? EXIT.failed : EXIT.ok;
}

interface ReadOptions {
  readonly request: RecomputeRequest | undefined;
  readonly records: boolean;
}

interface Judged extends JudgedReport {
  readonly facts: RunFacts;
  readonly recordsFile?: string;
  readonly recomputed?: RecomputeResult;
}

async function judge(opened: OpenedReport, { request, records }: ReadOptions): Promise<Judged> {
  const {
    report,
    records: streamed,
    problems,
  } = records ? await completeReport(opened) : { report: opened.report, problems: [] as Problem[], records: undefined };
  const { recordsFile } = opened;
  const chosen =
    request?.basis === 'chunks' && report.tool !== 'aiperf' ? await openRecords(opened, 'chunks') : streamed;
  const again =
    request && chosen && recordsFile !== undefined ? recomputeFor(report, chosen, recordsFile, request) : undefined;
  return {
    report,
    facts: opened.facts,
    judgement: withOpening(judgeReport(report), report, streamed),
    ...(recordsFile === undefined ? {} : { recordsFile }),
    ...(again && 'recomputed' in again ? { recomputed: again } : {}),
    problems: again && !('recomputed' in again) ? [...problems, again] : problems,
  };
}

/** What only the requests show. */
function withOpening(
  judgement: Judged['judgement'],
  report: Judged['report'],
  records: { readonly requests: Requests } | undefined,
): Judged['judgement'] {
  if (!records) return judgement;
  return { ...judgement, cautions: [...openingCautions(report, records.requests), ...judgement.cautions] };
}

function listing(judged: Judged, all: boolean, columns: number): string {
  const { report, recomputed } = judged;
  const text = importListing(judged, { columns, all });
  return recomputed ? `${text}\n${recomputeListing(report, recomputed, Math.max(60, columns))}\n` : text;
}

export const importCommand: Command = {
  name: 'import',
  summary: "read anybody's results: what they are, what the numbers mean, what is wrong with them",
  help: HELP,
  run,
};
