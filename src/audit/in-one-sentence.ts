// One report in one sentence: every export and listing says the same, and none of them denies what another finding says.
import type { Problem } from '../problem';
import type { CanonicalReport } from '../readers/canonical';
import { violated } from './identities';
import type { Judgement } from './identity';
import { own } from '../own';

/** A report as it is exported: its numbers, what they say of each other, and what its own files say against them. */
export interface JudgedReport {
  readonly report: CanonicalReport;
  readonly judgement: Judgement;
  /** Of reading its files, the requests' among them. */
  readonly problems: readonly Problem[];
}

const AGAINST: Readonly<Record<string, string>> = {
  REP126: 'the summary is not what its own requests give',
  REP132: 'some of its requests cannot be',
  REP133: 'a file is not what the run wrote',
  REP134: 'its records are not of its run',
};

/** What the requests of a report say against it, or against themselves. */
export function isDisagreement({ code }: Problem): boolean {
  return Object.hasOwn(AGAINST, code);
}

/** In small letters and without a full stop; `bad`: something contradicts something, or nothing was measured. */
export function reportVerdict({ report, judgement, problems }: JudgedReport): {
  readonly words: string;
  readonly bad: boolean;
} {
  if (report.scopes.length === 0) return { words: 'nothing was measured: there is no run in it', bad: true };
  const broken = violated(judgement).length;
  const found = [
    ...(report.scopes.every(({ counts }) => counts.ok === 0) ? ['no request succeeded'] : []),
    ...(broken > 0 ? [`${broken} ${broken === 1 ? 'identity is' : 'identities are'} violated`] : []),
    ...new Set(problems.flatMap(({ code }) => (Object.hasOwn(AGAINST, code) ? [own(AGAINST, code)!] : []))),
  ];
  if (found.length > 0) return { words: found.join('; '), bad: true };
  const none = judgement.identities.length === 0 ? 'no identity could be checked' : 'no identity is violated';
  return { words: none, bad: false };
}

/** The same as a sentence, with how much could be checked. */
export function verdictSentence(judged: JudgedReport): string {
  const { words } = reportVerdict(judged);
  const checked = judged.judgement.identities.length;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${checked === 0 ? '' : ` (${checked} could be checked)`}.`;
}
