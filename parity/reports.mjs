// `node parity/reports.mjs`: a report of ours through the real inference-perf's --analyze and its own validators, through our reader
// as if it were inference-perf's, and through the requests: the same numbers everywhere, or the difference is named.
// Then the public results of other tools: every number of our readers against a second reading (second-reading.py).
// Skipped with a line where inference-perf cannot be had, or the results are not beside the checkout. Exit code: 0 everything agrees, 1 something does not.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findInferencePerf } from '../bench/lib/inference-perf.mjs';

const root = path.resolve(import.meta.dirname, '..');
const work = mkdtempSync(path.join(os.tmpdir(), 'isoperf-reports-'));
const cli = path.join(work, 'cli.js');
const corpus = path.join(root, '..', 'shared', 'corpus', 'reports');
const say = (text) => process.stdout.write(`${text}\n`);
const failures = [];
const check = (holds, text) => {
  say(`${holds ? 'ok  ' : 'FAIL'} ${text}`);
  if (!holds) failures.push(text);
};

/** What --analyze would draw: the charts' data are caught before matplotlib is asked for. Then the validators of a run's end. */
const PYTHON = `
import importlib.util, json, pathlib, sys, types
if importlib.util.find_spec('matplotlib') is None: sys.modules['matplotlib'] = types.ModuleType('matplotlib')
from inference_perf.analysis import analyze
charts = {}
def catch(charts_to_generate, suptitle, output_path):
    for chart in charts_to_generate:
        charts[chart["title"]] = chart["data"]
analyze._generate_plot = catch
analyze.analyze_reports([sys.argv[1]])
from inference_perf.reportgen.validation import validate_reports
from inference_perf.utils import ReportFile
files = [ReportFile(name=p.stem, contents=json.loads(p.read_text())) for p in pathlib.Path(sys.argv[1]).glob("*_lifecycle_metrics.json")]
print(json.dumps({"charts": charts, "validation": validate_reports(files).get_contents()}))
`;

const CHARTS = {
  'Time to First Token vs. QPS': ['ttft', 'mean', 1000],
  'Norm. Time per Output Token vs. QPS': ['ntpot', 'mean', 1000],
  'Inter-Token Latency vs. QPS': ['token_gap', 'mean', 1000],
  'Input Tokens/sec vs. QPS': ['input_tokens_per_sec', 'value', 1],
  'Output Tokens/sec vs. QPS': ['output_tokens_per_sec', 'value', 1],
  'Total Tokens/sec vs. QPS': ['total_tokens_per_sec', 'value', 1],
};

const same = (a, b) =>
  a !== undefined && b !== undefined && Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));

function isoperf(...args) {
  const run = spawnSync(process.execPath, [cli, ...args], { cwd: root, encoding: 'utf8', maxBuffer: 1e9 });
  if (run.error) throw run.error;
  return run;
}

function report(folder) {
  const run = isoperf('import', folder, '--json');
  const [only] = JSON.parse(run.stdout).reports;
  return { run, ...only };
}

const statistic = (scope, quantity, name) =>
  scope.measures.find((measure) => measure.quantity === quantity)?.stats[name];

function analysed(upstream, ours) {
  const run = spawnSync(upstream.python, ['-c', PYTHON, ours], { encoding: 'utf8', maxBuffer: 1e8 });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout.trim().split('\n').at(-1));
}

/** Every number of every public result, found a second time; the output of the script is the evidence. */
function secondReading(python) {
  if (!existsSync(corpus)) {
    say(`skipped: there are no public results in ${corpus}`);
    return;
  }
  const script = path.join(import.meta.dirname, 'second-reading.py');
  const run = spawnSync(python, [script, cli, corpus], { encoding: 'utf8', maxBuffer: 1e8 });
  say(`${run.stdout}${run.stderr}`.trim());
  check(run.status === 0, 'the public results, read a second time');
}

try {
  execFileSync(process.execPath, ['esbuild.mjs', 'cli', `--outdir=${work}`], { cwd: root });
  const upstream = findInferencePerf(work);
  if ('skip' in upstream) say(`skipped: ${upstream.skip}`);
  else {
    say(`inference-perf ${upstream.version}`);
    const config = path.join(work, 'config.yaml');
    writeFileSync(
      config,
      `# isoperf: seed=3
load: { type: constant, num_workers: 1, worker_max_concurrency: 256, stages: [{ rate: 10, duration: 4 }, { rate: 20, duration: 4 }] }
api: { type: completion, streaming: true }
server: { type: vllm, model_name: sim-model, base_url: "http://127.0.0.1:1", ignore_eos: true }
tokenizer: { pretrained_model_name_or_path: ${path.join(root, 'samples', 'tokenizer')} }
data: { type: random, input_distribution: { type: normal, min: 16, max: 64, mean: 40, std_dev: 10 }, output_distribution: { type: normal, min: 4, max: 40, mean: 20, std_dev: 8 } }
report: { request_lifecycle: { per_request: true } }
`,
    );
    const ours = path.join(work, 'ours');
    const ran = isoperf('run', config, '--simulator=--ttft-ms 30 --tpot-ms 8', '--out', ours);
    if (ran.status !== 0) throw new Error(ran.stderr);
    const mine = report(ours);
    const broken = mine.judgement.identities.filter(({ holds }) => !holds);
    check(
      broken.length === 0,
      `our own report violates no identity${broken.map(({ message }) => `; ${message}`).join('')}`,
    );

    const theirs = analysed(upstream, ours);
    const findings = [theirs.validation.global, ...Object.values(theirs.validation.reports)].flatMap(
      ({ errors }) => errors,
    );
    check(
      findings.length === 0,
      `its validators find no error in our files${findings.map(({ message }) => `; ${message}`).join('')}`,
    );
    for (const [title, [quantity, name, factor]] of Object.entries(CHARTS)) {
      const drawn = theirs.charts[title] ?? [];
      const stages = mine.report.scopes.filter(({ kind }) => kind === 'stage');
      const equal = stages.filter((scope, i) => same(drawn[i]?.[1], statistic(scope, quantity, name) * factor)).length;
      check(
        drawn.length === stages.length && equal === stages.length,
        `--analyze, ${title}: ${equal} of ${stages.length} stages equal`,
      );
    }

    // The same files without ours beside them: read as any inference-perf folder is.
    const bare = path.join(work, 'bare');
    mkdirSync(bare);
    for (const file of readdirSync(ours).filter((name) => /_lifecycle_metrics\.json$|^config\.yaml$/.test(name))) {
      cpSync(path.join(ours, file), path.join(bare, file));
    }
    const read = report(bare);
    check(read.report.tool === 'inference-perf', `read as ${read.report.tool}, ${read.report.versionClass.name}`);
    for (const scope of mine.report.scopes) {
      const other = read.report.scopes.find(({ id }) => id === scope.id);
      const quantities = ['ttft', 'tpot', 'token_gap', 'ntpot', 'e2e', 'schedule_delay', 'requests_per_sec'];
      const different = quantities.filter(
        (quantity) =>
          !same(
            statistic(scope, quantity, 'mean') ?? statistic(scope, quantity, 'value'),
            other && (statistic(other, quantity, 'mean') ?? statistic(other, quantity, 'value')),
          ),
      );
      check(
        different.length === 0,
        `${scope.id}: both readers see the same numbers${different.length > 0 ? `, but not ${different.join(', ')}` : ''}`,
      );
    }
    const mismatch = read.run.stderr.split('\n').find((line) => line.includes('REP126'));
    check(
      mismatch === undefined,
      `its per-request file gives its summary to nine digits${mismatch === undefined ? '' : `: ${mismatch}`}`,
    );
  }
  secondReading('skip' in upstream ? 'python3' : upstream.python);
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exitCode = failures.length > 0 ? 1 : 0;
