// Everything to underline in a text: errors of the config, directives, and pitfalls that apply.
import { configFindings } from '../pitfalls/check';
import { docsAnchor } from '../pitfalls/catalogue';
import { legible, type Problem, type TextRange } from '../problem';
import type { Asked } from './place';

export interface Diagnostic extends Problem {
  readonly range: TextRange;
  /** Page and anchor that explain the code, relative to the extension's folder. */
  readonly docs: string;
}

const START: TextRange = { startLine: 0, startColumn: 0, endLine: 0, endColumn: 0 };

/** Never throws. A problem without a place of its own stands at the beginning of the file. */
export function diagnostics(text: string, { defaultTarget }: Asked = {}): readonly Diagnostic[] {
  return configFindings(text, defaultTarget === undefined ? {} : { defaultTarget }).map((problem) => ({
    ...problem,
    message: legible(problem.message),
    ...(problem.remedy === undefined ? {} : { remedy: legible(problem.remedy) }),
    range: problem.range ?? START,
    docs: docsAnchor(problem.code),
  }));
}
