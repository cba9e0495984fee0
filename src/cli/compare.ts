// `isoperf compare`: two report folders in, findings, metrics and a verdict out; the exit code says what may be concluded.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { compare, DIMENSIONS } from '../comparability/compare';
import type { Comparison, DimensionId } from '../comparability/comparison';
import { comparisonMarkdown } from '../comparability/markdown';
import { openRun } from './compare-input';
import { EXIT, UsageError, type CliIo, type Command } from './command';
import { comparisonTable } from './compare-table';

const FORMATS = ['table', 'json', 'markdown'] as const;
type Format = (typeof FORMATS)[number];

const DIMENSION_HELP = DIMENSIONS.map(({ id, question }) => `  ${id.padEnd(16)} ${question}`).join('\n');

const HELP = `isoperf compare: may these two runs' numbers be compared, and if so, what is the difference?

Usage: isoperf compare A B [options]

A and B are report folders: of 'isoperf run', or a folder that holds exactly one such folder. Differences are B
against A; percentages are of A.

Every dimension below is asked of both sides, with the evidence and where it was read. What differs is named first,
with the metrics it moves and the remedy; then every metric with its difference, a 95 % interval (block bootstrap within
the runs) and a verdict of its own; then the conclusion, and the claim the runs support, if they support one.

Options:
  --intended DIM[,DIM]   the one change under test: a difference there confounds nothing (may be repeated)
  --stack-a FILE, --stack-b FILE
                         what served (model, engine, image, args, accelerator, replicas), over what run.json or the
                         folder says: a stack.yaml, a Kubernetes manifest or a list of server arguments
  --format FORMAT        ${FORMATS.join(', ')} (default: table; for --out, by the file's ending .json or .md)
  --json                 the same as --format json
  --out FILE             write there instead of to standard output
  -h, --help             this text

Dimensions:
${DIMENSION_HELP}

Exit codes:
  0  comparable: nothing differs but what was intended
  3  confounded: something else differs, and moves the metrics it names
  4  undetermined: something was not recorded, so it may differ
  2  unusable: a folder is missing, empty, foreign or damaged, or the command line is wrong
  1  the result could not be written

Examples:
  isoperf compare reports-A reports-B
  isoperf compare reports-A reports-B --intended output-length --format markdown --out comparison.md
  isoperf compare reports-A reports-B --json | jq '.findings[] | select(.state == "confounds") | .dimension'
`;

async function run(args: readonly string[], io: CliIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      intended: { type: 'string', multiple: true },
      format: { type: 'string' },
      json: { type: 'boolean' },
      out: { type: 'string' },
      'stack-a': { type: 'string' },
      'stack-b': { type: 'string' },
    },
  });
  const [nameA, nameB, ...more] = positionals;
  if (nameA === undefined || nameB === undefined || more.length > 0) {
    throw new UsageError(`two report folders are needed, ${positionals.length} given`);
  }
  const format = formatOf(values.format, values.json === true, values.out);
  const intended = intendedOf(values.intended ?? []);
  const a = await openRun(nameA, values['stack-a'], io);
  const b = await openRun(nameB, values['stack-b'], io);
  if (!a || !b) return EXIT.unusable;
  const comparison = compare(a, b, { intended });
  const text = render(comparison, format, values.out === undefined ? io.columns : 100);
  if (values.out === undefined) io.out(text);
  else if (!write(values.out, text, io)) return EXIT.failed;
  else io.out(`${comparison.verdict.sentence}\nWritten to ${values.out}\n`);
  return comparison.verdict.exitCode;
}

function formatOf(asked: string | undefined, json: boolean, out: string | undefined): Format {
  if (json && asked !== undefined && asked !== 'json')
    throw new UsageError(`--json and --format ${asked} exclude each other`);
  if (json) return 'json';
  if (asked === undefined) {
    if (out?.endsWith('.json')) return 'json';
    return out?.endsWith('.md') ? 'markdown' : 'table';
  }
  const format = FORMATS.find((name) => name === asked);
  if (!format) throw new UsageError(`--format ${asked} is unknown: it is one of ${FORMATS.join(', ')}`);
  return format;
}

function intendedOf(asked: readonly string[]): DimensionId[] {
  const names = asked.flatMap((list) => list.split(',').map((name) => name.trim())).filter((name) => name !== '');
  return [...new Set(names)].map((name) => {
    const known = DIMENSIONS.find((dimension) => dimension.id === name);
    if (!known) {
      const all = DIMENSIONS.map(({ id }) => id).join(', ');
      throw new UsageError(`--intended ${name} is no dimension: it is one of ${all}`);
    }
    return known.id;
  });
}

function render(comparison: Comparison, format: Format, columns: number): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(comparison, null, 2)}\n`;
    case 'markdown':
      return comparisonMarkdown(comparison);
    case 'table':
      return comparisonTable(comparison, columns);
  }
}

function write(file: string, text: string, io: CliIo): boolean {
  try {
    writeFileSync(path.resolve(io.cwd, file), text);
    return true;
  } catch (error) {
    io.err(`isoperf compare: error: ${file} could not be written: ${(error as Error).message}\n`);
    return false;
  }
}

export const compareCommand: Command = {
  name: 'compare',
  summary: 'may the numbers of two runs be compared, and what is the difference?',
  help: HELP,
  run,
};
