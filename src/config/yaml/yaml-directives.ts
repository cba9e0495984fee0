// Lines before a document that begin with % (`%YAML 1.1`, `%TAG ! ...`), held against PyYAML's rules; the parser's own are laxer.
import type { Problem } from '../../problem';
import type { Lines } from './lines';

/** The first such line that PyYAML stops at (its scan_directive and process_directives); undefined when it takes them all. */
export function directiveProblem(tokens: readonly unknown[], lines: Lines): Problem | undefined {
  let seen = new Set<string>();
  for (const token of tokens) {
    const { type, source = '', offset = 0 } = token as { type?: string; source?: string; offset?: number };
    // Each document has its own.
    if (type === 'document') seen = new Set();
    if (type !== 'directive') continue;
    const found = complaint(source.trimEnd(), seen);
    if (!found) continue;
    const range = lines.range(offset, offset + source.trimEnd().length);
    return { code: 'YML001', severity: 'error', path: [], ...found, range };
  }
  return undefined;
}

type Words = Pick<Problem, 'message' | 'remedy'>;

function complaint(source: string, seen: Set<string>): Words | undefined {
  const name = /^%([\w-]+)(?= |$)/.exec(source)?.[1];
  if (name === undefined)
    return {
      message: 'A line that begins with % must go on with YAML or TAG; inference-perf’s YAML reader stops here.',
      remedy: 'Remove the line.',
    };
  if (name === 'YAML') return versionComplaint(source, seen);
  return name === 'TAG' ? tagComplaint(source, seen) : undefined;
}

function versionComplaint(source: string, seen: Set<string>): Words | undefined {
  const remedy = "Remove the line, or write '%YAML 1.1'.";
  const major = /^%YAML +(\d+)\.\d+(?: |$)/.exec(source)?.[1];
  if (major === undefined) return { message: 'This %YAML line names no version such as 1.1.', remedy };
  if (seen.has('%YAML')) return { message: '%YAML is given twice for one document.', remedy: 'Keep one of them.' };
  seen.add('%YAML');
  if (Number(major) === 1) return undefined;
  return { message: `inference-perf’s YAML reader takes versions 1.x only, and this says ${source}.`, remedy };
}

function tagComplaint(source: string, seen: Set<string>): Words | undefined {
  const handle = /^%TAG +(!(?:[\w-]*!)?) +\S/.exec(source)?.[1];
  const remedy = 'Remove the line; a config needs no tags.';
  if (handle === undefined) return { message: 'This %TAG line names no handle such as !e! with a prefix.', remedy };
  if (seen.has(handle)) return { message: `The tag handle ${handle} is given twice for one document.`, remedy };
  seen.add(handle);
  return undefined;
}
