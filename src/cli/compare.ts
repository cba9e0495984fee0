// `isoperf compare`: two report folders in, findings, metrics and a verdict out; the exit code says what may be concluded.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ALIGNABLE } from '../comparability/align';
import { compare } from '../comparability/compare';
import type { Comparison } from '../comparability/comparison';
import { openComparison } from '../comparability/saved';
import { INTENDABLE } from '../comparability/intendable';
import { DIMENSIONS } from '../comparability/dimensions';
import { gate, GATE_CONDITIONS, type GateResult } from '../comparability/gate';
import { comparisonMarkdown } from '../views/comparison/markdown';
import { comparisonView } from '../views/comparison/view';
import { parseJson } from '../folder/json';
import type { Run } from '../readers/run';
import { EXIT, overheard, type CliIo, type Command } from './command';
import { openRun } from './compare-input';
import { comparisonAnswer } from './compare-answer';
import { compareArguments, FORMATS, questionText, type CompareArguments } from './compare-options';
import { comparisonTable } from './compare-table';
import { comparisonHtml, pageAssets } from './comparison-html';

const DIMENSION_HELP = DIMENSIONS.map(({ id, question }) => `  ${id.padEnd(18)} ${question}`).join('\n');

const HELP = `isoperf compare: may these two runs' numbers be compared, and if so, what is the difference?

Usage: isoperf compare A B [options]
       isoperf compare A1,A2,A3 B1,B2,B3 [options]
       isoperf compare COMPARISON.yaml [options]
       isoperf compare SAVED.json [options]

A and B are report folders: of 'isoperf run' or inference-perf, or a folder that holds exactly one such folder; A may be
a baseline that was kept. Several folders a side, with commas, are repeats of one configuration: the noise from run to
run is learned from them. COMPARISON.yaml holds the question (a, b, intended, align, cut, interpolate, fail-on,
thresholds; folders relative to it) and is asked again; options given here win over its keys. SAVED.json is a judged
comparison, shown as it was. --save writes either. Differences are B against A; percentages are of A.

Every dimension below is asked of both sides. The answer fits one screen: the verdict, what differs, the key numbers
with their 95 % intervals (block bootstrap within the runs; Student's t over repeats), and the claim the runs support.
--all has the evidence and where it was read, the metrics that each difference moves, remedies, every number and the
notes.

Options:
  --intended DIM[,DIM]   the one change under test: a difference there confounds nothing (may be repeated):
                         ${INTENDABLE.slice(0, 5).join(', ')},
                         ${INTENDABLE.slice(5).join(', ')}
  --align DIM[,DIM]      recompute both sides alike, where their records allow it, and say what each step took away:
                         ${ALIGNABLE.join(', ')}, or all
  --cut CUT              what aligning the warm-up leaves out of the start of both windows: 50 (requests), 30s, or auto
                         (what they declare, and MSER-5); it aligns warmup-window
  --interpolate          show loads that only one side has against the other side's neighbouring loads, in a table of
                         their own: labelled, and never in the verdict, the claim or the gate
  --comparison FILE      the comparison file, wherever it is and whatever it is called
  --stack-a FILE, --stack-b FILE
                         what served (model, engine, image, args, accelerator, replicas), over what run.json or the
                         folder says: a stack.yaml, a Kubernetes manifest, what "kubectl get -o yaml"
                         prints, or a list of server arguments
  --fail-on COND[,COND]  a gate for CI: ${GATE_CONDITIONS.join(', ')};
                         exit code 0 unless one of those named is found, or cannot be told of these runs
  --threshold LIMIT      with --fail-on regression: worse by more than this, and beyond chance, is a regression;
                         ttft.p95=5%, tpot.mean=0.5ms, requests_per_sec=3% (may be repeated). Without it, every
                         worsening beyond what runs of one kind differ by is; of one run a side that is not known,
                         and what shows no such worsening ends with 4. What cannot be judged fails with 3 or 4
  --margin LIMIT         repeats whose difference lies inside are equivalent: ttft.p95=5% (may be repeated); two
                         one-sided tests. An inconclusive number says how many further runs a side would settle it
  --all                  everything: evidence, remedies, every metric at every load, notes and pitfalls
  --format FORMAT        ${FORMATS.join(', ')} (default: table; for --out, by the file's ending .json or .md)
  --json                 the same as --format json
  --html FILE            also write the view as one file that opens in any browser without a network
  --out FILE             write there instead of to standard output
  --save FILE            also save it: as .yaml the question, to be asked again; as .json what was judged
  -h, --help             this text

Dimensions:
${DIMENSION_HELP}

Exit codes:
  0  comparable: nothing differs but what was intended; or, with --fail-on, nothing of it was found
  3  confounded: something else differs, and moves the metrics it names
  4  undetermined: something was not recorded, so it may differ (with --fail-on confounded, too)
  5  with --fail-on: a regression or a difference was found
  2  unusable: a folder is missing, empty, foreign or damaged, or the command line is wrong
  1  the result could not be written

Examples:
  isoperf compare reports-A reports-B
  isoperf compare reports-A reports-B --intended server --align token-source,warmup-window
  isoperf compare A1,A2,A3 B1,B2,B3 --format markdown --out comparison.md
  isoperf compare reports-A reports-B --html comparison.html
  isoperf compare baseline reports-B --fail-on confounded,regression --threshold ttft.p95=5%
  isoperf compare reports-A reports-B --json | jq '.findings[] | select(.state == "confounds") | .dimension'
`;

async function run(args: readonly string[], io: CliIo): Promise<number> {
  const asked = compareArguments(args, io.cwd);
  const { io: listening, said } = overheard(io);
  const found = asked.b.length === 0 ? savedComparison(asked.a[0]!, listening) : await judged(asked, listening);
  if (!found) {
    // A script that asked for JSON gets the refusal as JSON, too.
    if (asked.format === 'json') io.out(`${JSON.stringify({ state: 'refused', reasons: said }, null, 2)}\n`);
    return EXIT.unusable;
  }
  const { comparison, runs } = found;
  if (asked.html !== undefined && runs && !writeHtml(asked.html, comparison, runs, io)) return EXIT.failed;
  if (asked.save !== undefined) {
    const isQuestion = /\.ya?ml$/.test(asked.save);
    const kept = isQuestion ? questionText(asked, io.cwd) : jsonOf(comparison);
    if (!write(asked.save, kept, io)) return EXIT.failed;
  }
  const isShown = asked.out === undefined;
  const text = render(comparison, asked, isShown ? io.columns : 100, isShown && io.isColoured === true);
  if (asked.out === undefined) io.out(text);
  else if (!write(asked.out, text, io)) return EXIT.failed;
  else io.out(`${comparison.verdict.sentence}\nWritten to ${asked.out}\n`);
  if (!asked.failOn) return comparison.verdict.exitCode;
  const result = gate(comparison, asked.failOn, asked.thresholds);
  io.err(gateText(result));
  return result.exitCode;
}

function gateText({ passed, reasons }: GateResult): string {
  const head = passed ? 'Gate passed' : 'Gate failed';
  return reasons.length === 1
    ? `${head}: ${reasons[0]!}\n`
    : `${head}:\n${reasons.map((reason) => `  - ${reason}\n`).join('')}`;
}

interface Found {
  readonly comparison: Comparison;
  /** The first run of each side; a saved comparison has none. */
  readonly runs?: readonly [Run, Run];
}

async function judged(asked: CompareArguments, io: CliIo): Promise<Found | undefined> {
  const a = await openAll(asked.a, asked.stackA, io);
  const b = await openAll(asked.b, asked.stackB, io);
  if (!a || !b) return undefined;
  const [[runA, ...repeatsA], [runB, ...repeatsB]] = [a, b];
  const { intended, align, cut, interpolate } = asked;
  const { margins } = asked;
  const options = { intended, align, ...(cut ? { cut } : {}), interpolate, repeatsA, repeatsB, margins };
  return { comparison: compare(runA!, runB!, options), runs: [runA!, runB!] };
}

async function openAll(names: readonly string[], stack: string | undefined, io: CliIo): Promise<Run[] | undefined> {
  const runs: Run[] = [];
  let whole = true;
  for (const name of names) {
    const opened = await openRun(name, stack, io);
    if (opened) runs.push(opened);
    else whole = false;
  }
  const twice = repeatedOnce(names, runs, io.cwd);
  if (twice !== undefined) {
    io.err(`isoperf compare: error: ${twice} is the same run as another of its side: a run is no repeat of itself\n`);
    return undefined;
  }
  return whole ? runs : undefined;
}

/** The first that is there already, as a folder or as a copy of one. */
function repeatedOnce(names: readonly string[], runs: readonly Run[], cwd: string): string | undefined {
  const places = names.map((name) => path.resolve(cwd, name));
  const ids = runs.map(({ manifest }) => manifest?.id);
  const copied = ids.findIndex((id, i) => id !== undefined && ids.indexOf(id) < i);
  const again = places.findIndex((place, i) => places.indexOf(place) < i);
  return again >= 0 ? names[again] : copied >= 0 ? runs[copied]!.folder : undefined;
}

function savedComparison(file: string, io: CliIo): Found | undefined {
  let text: string;
  try {
    text = readFileSync(path.resolve(io.cwd, file), 'utf8');
  } catch (error) {
    io.err(`${file}: error: the saved comparison cannot be read: ${(error as Error).message}\n`);
    return undefined;
  }
  const parsed = parseJson(text, file);
  const opened = parsed.ok ? openComparison(parsed.value) : (parsed.problems[0]?.message ?? 'it is not JSON');
  if (typeof opened !== 'string') return { comparison: opened };
  io.err(
    `${file}: error: this is no comparison that 'isoperf compare --save' wrote (${opened}). Name two report folders.\n`,
  );
  return undefined;
}

function render(comparison: Comparison, asked: CompareArguments, columns: number, isColoured: boolean): string {
  switch (asked.format) {
    case 'json':
      return jsonOf(comparison);
    case 'markdown':
      return comparisonMarkdown(comparison);
    case 'table':
      return asked.all
        ? comparisonTable(comparison, columns, isColoured)
        : comparisonAnswer(comparison, columns, isColoured);
  }
}

/** The view as a file of its own. */
function writeHtml(file: string, comparison: Comparison, [a, b]: readonly [Run, Run], io: CliIo): boolean {
  const assets = pageAssets();
  if (assets) return write(file, comparisonHtml(comparisonView(comparison, a, b), assets), io);
  io.err(
    'isoperf compare: error: the view is not beside this command (webview.js, style.css): build it with node esbuild.mjs\n',
  );
  return false;
}

function jsonOf(comparison: Comparison): string {
  return `${JSON.stringify(comparison, null, 2)}\n`;
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
