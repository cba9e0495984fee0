// `isoperf import`: any tool's results in, and out comes what they are, what the numbers mean and what is wrong with them.
import { statSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { formatProblem, type Problem } from '../problem';
import { READABLE_TOOLS, type Opened } from '../report/foreign';
import { judgeReport, violated } from '../report/identities';
import { openReports } from '../report/open';
import type { FolderAccess } from '../report/run';
import { EXIT, UsageError, type CliIo, type Command } from './command';
import { diskFile, diskFolder } from './folder';
import { importListing } from './import-listing';

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
  -h, --help   this text

Exit codes:
  0  every report was read and no identity is violated
  1  a report was read whose numbers contradict each other
  2  unusable: nothing was recognised, or the command line is wrong

Examples:
  isoperf import reports-20261129-174411
  isoperf import results.jsonl --json | jq '.reports[].judgement.identities[] | select(.holds | not)'
`;

async function run(args: readonly string[], io: CliIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: 'boolean' }, all: { type: 'boolean' } },
  });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw new UsageError(`one path is needed, ${positionals.length} given`);
  const opened = await openReports(accessTo(name, io.cwd));
  if (!opened.ok) {
    printProblems(opened.problems, name, io);
    return EXIT.unusable;
  }
  printProblems(opened.value.problems, name, io);
  return report(opened.value, values.json === true, values.all === true, io);
}

/** A file or a folder on the disk, as the readers want it; what is not there is found out when it is listed. */
export function accessTo(name: string, cwd: string): FolderAccess {
  const place = path.resolve(cwd, name);
  return statSync(place, { throwIfNoEntry: false })?.isFile() === true
    ? diskFile(name, place)
    : diskFolder(name, place);
}

export function printProblems(problems: readonly Problem[], name: string, io: CliIo): void {
  for (const problem of problems) {
    const { file, ...rest } = problem;
    // Messages name the file themselves, with its folder.
    const place = file !== undefined && problem.message.includes(file) ? rest : problem;
    io.err(`${formatProblem(place, name)}\n`);
  }
}

function report({ reports, problems }: Opened, json: boolean, all: boolean, io: CliIo): number {
  const judged = reports.map(({ report: found, recordsFile }) => ({
    report: found,
    judgement: judgeReport(found),
    ...(recordsFile === undefined ? {} : { recordsFile }),
  }));
  if (json) {
    io.out(`${JSON.stringify({ format: 'isoperf-import', version: 1, reports: judged, problems }, null, 2)}\n`);
  } else {
    io.out(judged.map((one) => importListing(one.report, one.judgement, { columns: io.columns, all })).join('\n'));
  }
  return judged.some(({ judgement }) => violated(judgement).length > 0) ? EXIT.failed : EXIT.ok;
}

export const importCommand: Command = {
  name: 'import',
  summary: "read anybody's results: what they are, what the numbers mean, what is wrong with them",
  help: HELP,
  run,
};
