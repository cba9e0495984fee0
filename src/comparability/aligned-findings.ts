// Findings after alignment: what it removed, what it left, what it could remove, and which file it would need.
import { rounded } from '../figures';
import { ALIGNABLE, align, type Aligned, type Alignable, type AlignmentStep } from './align';
import type { Finding } from './comparison';
import { examine } from './dimensions';
import { successesOf, type Side } from './side';
import { suggestedCut, timeSeriesOf } from './warmup-detection';

/** The start of a window, over the rest of it, that is still a cold start after a cut. */
const STILL_COLD = 1.5;

export function alignedFindings(start: Aligned, final: Aligned, steps: readonly AlignmentStep[]): Finding[] {
  const before = examine(start);
  const applied = steps.filter((step) => step.ok);
  const cut = applied.length === 0 ? before : examine(final);
  // What alignment itself left out is not missing: completeness is of what was recorded.
  const after = cut.map((finding, i) => (finding.dimension === 'completeness' ? before[i]! : finding));
  return before.map((finding, i): Finding => {
    const step = steps.find(({ dimension }) => dimension === finding.dimension);
    const differs = finding.state === 'confounds' || finding.state === 'unknown';
    if (!step) return differs ? { ...after[i]!, ...alignableOf(start, after[i]!) } : after[i]!;
    if (!differs) return step.ok ? withoutStale(finding, step) : finding;
    if (!step.ok) return { ...finding, alignable: { possible: false, words: step.words } };
    return removed(finding, step, final, after[i]!);
  });
}

/** Alike already, and cut all the same: that the first requests are in the numbers is no longer so. */
function withoutStale(finding: Finding, { words, cut }: Extract<AlignmentStep, { ok: true }>): Finding {
  if (finding.dimension !== 'warmup-window' || cut !== true) return finding;
  const { note, ...rest } = finding;
  return note === undefined ? finding : { ...rest, message: `${finding.message} Aligned: ${words}.` };
}

function removed(finding: Finding, step: AlignmentStep, final: Aligned, after: Finding): Finding {
  if (finding.dimension !== 'warmup-window') {
    return { ...finding, state: 'aligned', message: `${finding.message} Aligned: ${step.words}.` };
  }
  if (after.state === 'confounds' && after.stages && !after.stages.includes(0)) {
    return { ...after, message: `${after.message} A cut of the opening stage does not remove that.` };
  }
  const left = [final.a, final.b].map(remainder);
  const words = left.every((ratio) => ratio !== undefined)
    ? ` What remains: the first tenth of the window has ${ratioWords(left[0]!)} times the median of the rest on A, ${ratioWords(left[1]!)} on B.`
    : '';
  const cold = left.map((ratio) => (ratio ?? 1) >= STILL_COLD);
  const message = `${finding.message} Aligned: ${step.words}.${words}`;
  return cold[0] === cold[1]
    ? { ...finding, state: 'aligned', message }
    : { ...finding, message: `${message} One side still starts cold, so the difference is not removed.` };
}

function remainder({ stages }: Side): number | undefined {
  const [opening] = stages;
  const successes = opening && successesOf([opening]);
  const cut = successes && suggestedCut(timeSeriesOf(successes));
  return cut && cut.requests === 0 ? cut.ratioAfter : cut?.ratioBefore;
}

function ratioWords(ratio: number): string {
  return rounded(ratio, 3);
}

function isAlignable(dimension: string): dimension is Alignable {
  return (ALIGNABLE as readonly string[]).includes(dimension);
}

/** Tried for what differs and was not asked for: the switch that would remove it, or the file that is missing. */
function alignableOf(start: Aligned, { dimension, state }: Finding): Pick<Finding, 'alignable'> {
  if (state === 'same' || state === 'follows' || !isAlignable(dimension)) return {};
  const [step] = align(start, [dimension]);
  return step ? { alignable: { possible: step.ok, words: step.words } } : {};
}

export function alignmentNotes(steps: readonly AlignmentStep[], findings: readonly Finding[]): string[] {
  return steps.map(({ dimension, ok, words }) => {
    const title = findings.find((finding) => finding.dimension === dimension)?.title.toLowerCase() ?? dimension;
    return `${ok ? 'Aligned' : 'Not aligned'}: ${title}: ${words}.`;
  });
}
