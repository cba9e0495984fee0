// When the stages of inference-perf began: only the Benchmark Reports that it writes beside its own files have the wall clock.
import type { CanonicalReport } from '../canonical';
import { fact } from '../facts';
import type { SourceDocument } from './reader';
import { textAt } from './values';

const KEY = 'run.time.start';
/** A date before the tool is a clock that was never set. */
const FIRST_WALL_CLOCK_MS = Date.UTC(2020, 0);

/** @param partials `inference-perf.partial.stage_N.yaml` */
export function withStarts(report: CanonicalReport, partials: readonly SourceDocument[]): CanonicalReport {
  const starts = partials
    .flatMap(({ file, value }) => {
      const start = textAt(value, 'run', 'time', 'start');
      const stage = /stage_(\d+)/.exec(file)?.[1];
      return start === undefined || !(Date.parse(start) > FIRST_WALL_CLOCK_MS)
        ? []
        : [{ file, value, start, stage: Number(stage) }];
    })
    .sort((a, b) => Date.parse(a.start) - Date.parse(b.start));
  const [first] = starts;
  const last = starts.map(({ file, value }) => ({ file, end: textAt(value, 'run', 'time', 'end') })).at(-1);
  if (!first) return report;
  return {
    ...report,
    files: [...report.files, ...starts.map(({ file }) => file)],
    startedAt: first.start,
    scopes: report.scopes.map((scope) => {
      const own = starts.find(({ stage }) => scope.kind === 'stage' && stage === scope.stage);
      return own ? { ...scope, startedAt: own.start } : scope;
    }),
    said: {
      ...report.said,
      startedAt: fact(first.start, first.file, KEY),
      ...(last?.end === undefined ? {} : { endedAt: fact(last.end, last.file, 'run.time.end') }),
    },
    notRecorded: report.notRecorded.filter((name) => name !== 'wall-clock start'),
  };
}
