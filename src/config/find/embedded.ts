// YAML inside the texts of another YAML document: block scalars of a ConfigMap, JSON in quotes, heredocs of a shell script.
import type { Problem, TextRange } from '../../problem';
import { parseDocument, type ReadOptions, type YamlDocument } from '../yaml/document';
import { hasBlockLine, isBlockLine, maskTemplate, type Mask } from '../yaml/template';
import { resolveAlias, type ScalarNode, type YamlNode } from '../yaml/tree';

/** A document, read with its template parts masked when it is not YAML without. */
export interface Reading {
  readonly document: YamlDocument;
  readonly blocks: Mask['blocks'];
}

export function readYaml(text: string, options?: ReadOptions): Reading {
  const document = parseDocument(text, options);
  const stuck = (read: YamlDocument): boolean =>
    read.problems.some((problem) => problem.severity === 'error' && /^YML0(?:01|05|11)$/.test(problem.code));
  const continued = continuedBlocks(document);
  const mask = stuck(document) || continued ? maskTemplate(text, stuck(document) ? undefined : continued) : undefined;
  if (!mask) return { document, blocks: [] };
  const masked = parseDocument(mask.text, options);
  return stuck(masked) ? { document, blocks: [] } : { document: withoutBranches(masked, mask), blocks: mask.blocks };
}

/** Keys that branches of a template write once each are not written twice; in one branch they are. */
function withoutBranches(document: YamlDocument, { branches }: Mask): YamlDocument {
  if (branches.length === 0) return document;
  const keyOf = (line: number): string => /^[ \t]*(?:- )?[^:]*:/.exec(document.lines.line(line))?.[0] ?? '';
  const isOfBranch = ({ code, range }: Problem): boolean => {
    if ((code !== 'YML007' && code !== 'YML012') || !range) return false;
    const line = range.startLine;
    const branch = branches.findLast(({ first, last }) => line >= first && line <= last);
    if (!branch) return false;
    for (let other = branch.first; other < line; other += 1) if (keyOf(other) === keyOf(line)) return false;
    return true;
  };
  return { ...document, problems: document.problems.filter((problem) => !isOfBranch(problem)) };
}

/** Lines of a block to fill that YAML takes for the rest of the plain text above them; undefined when there is none. */
function continuedBlocks({ root, lines, text }: YamlDocument): ReadonlySet<number> | undefined {
  if (!root || !hasBlockLine(text)) return undefined;
  const found = new Set<number>();
  const visit = (node: YamlNode): void => {
    if (node.kind === 'map')
      for (const pair of node.pairs) {
        visit(pair.key);
        visit(pair.value);
      }
    else if (node.kind === 'list') node.items.forEach(visit);
    else if (node.kind === 'scalar' && node.style === 'plain') {
      const [first, last] = [lines.position(node.start).line, lines.position(node.end).line];
      // A text that begins with a placeholder is a value to fill.
      if (last > first && !isBlockLine(node.text.split(/\s/, 1)[0]!))
        for (let line = first + 1; line <= last; line += 1) if (isBlockLine(lines.line(line))) found.add(line);
    }
  };
  visit(root);
  return found.size === 0 ? undefined : found;
}

export interface Embedded extends Reading {
  readonly toFile: (range: TextRange) => TextRange;
  /** Lines and columns of the text are not those of the file (it is folded, or has escapes): every place is the whole text. */
  readonly isOpaque?: true;
}

/** The YAML that a scalar's text is, and the way back to the file. */
export function embedded(document: YamlDocument, node: ScalarNode, options?: ReadOptions): Embedded {
  const literal = node.style === 'literal' ? block(document, node, options) : undefined;
  if (literal) return literal;
  const quoted = (node.style === 'single' || node.style === 'double') && node.end - node.start === node.text.length + 2;
  if (!quoted || node.text.includes('\n')) {
    const whole = document.lines.range(node.start, node.end);
    return { ...readYaml(node.text, options), toFile: () => whole, isOpaque: true };
  }
  const { line, column } = document.lines.position(node.start + 1);
  return { ...readYaml(node.text, options), toFile: shifted(line, column) };
}

function block(document: YamlDocument, node: ScalarNode, options?: ReadOptions): Embedded | undefined {
  const toFile = blockPlace(document, node);
  return toFile && { ...readYaml(node.text, options), toFile };
}

/** From places in a block scalar's text to the document's. */
function blockPlace(document: YamlDocument, node: ScalarNode): Embedded['toFile'] | undefined {
  const first = document.lines.position(node.start).line + 1;
  const lines = node.text.split('\n');
  const lead = lines.findIndex((line) => line.trim() !== '');
  if (lead < 0) return undefined;
  const indent = document.lines.line(first + lead).length - lines[lead]!.length;
  return indent < 0 ? undefined : shifted(first, indent);
}

function shifted(lines: number, columns: number): (range: TextRange) => TextRange {
  return (range) => ({
    startLine: range.startLine + lines,
    startColumn: range.startColumn + columns,
    endLine: range.endLine + lines,
    endColumn: range.endColumn + columns,
  });
}

export interface Heredoc extends Embedded {
  /** Name of the file it is written to, when the command says. */
  readonly name: string | undefined;
}

const HEREDOC = /<<(-?)[ \t]*(?:'([\w.-]+)'|"([\w.-]+)"|([\w.-]+))/;
const TARGET = />[ \t]*["']?([^\s"'<>|;&]+)/;
const MAX_HEREDOCS = 20;
const MAX_TEXTS = 50;

/** Here-documents in a script that stands in a block scalar (`args:` of a Job). */
export function heredocs(document: YamlDocument, node: ScalarNode, options?: ReadOptions): readonly Heredoc[] {
  if (node.style !== 'literal' || !node.text.includes('<<')) return [];
  const outer = blockPlace(document, node);
  if (!outer) return [];
  return heredocsIn(node.text, options).map((found) => ({ ...found, toFile: (range) => outer(found.toFile(range)) }));
}

/** Here-documents of a script: what stands between `<<EOF` and the line `EOF`. */
export function heredocsIn(script: string, options?: ReadOptions): readonly Heredoc[] {
  const found: Heredoc[] = [];
  const lines = script.split('\n');
  let tried = 0;
  for (let index = 0; index < lines.length && tried < MAX_HEREDOCS; index += 1) {
    const start = HEREDOC.exec(lines[index]!);
    if (!start) continue;
    tried += 1;
    const word = start[2] ?? start[3] ?? start[4]!;
    const end = lines.findIndex((line, at) => at > index && line.trim() === word);
    if (end < 0) continue;
    const body = lines.slice(index + 1, end);
    // The body keeps its indentation: YAML does not mind, and columns stay those of the script.
    found.push({
      ...readYaml(`${body.join('\n')}\n`, options),
      name: TARGET.exec(lines[index]!.replace(HEREDOC, ''))?.[1],
      toFile: shifted(index + 1, 0),
    });
    index = end;
  }
  return found;
}

const MAX_SCALARS = 5000;

/** The scalars of a document that could hold another one, with their paths; aliases are not followed. */
export function longTexts(
  root: YamlNode,
): readonly { readonly path: readonly (string | number)[]; readonly node: ScalarNode }[] {
  const found: { path: readonly (string | number)[]; node: ScalarNode }[] = [];
  let seen = 0;
  const visit = (node: YamlNode, path: readonly (string | number)[]): void => {
    seen += 1;
    if (seen > MAX_SCALARS || found.length >= MAX_TEXTS) return;
    if (node.kind === 'map')
      for (const pair of node.pairs) {
        const key = resolveAlias(pair.key);
        if (key?.kind === 'scalar') visit(pair.value, [...path, key.text]);
      }
    else if (node.kind === 'list') node.items.forEach((item, index) => visit(item, [...path, index]));
    else if (node.kind === 'scalar' && node.text.length > 20 && /load["']?[ \t]*:/.test(node.text))
      found.push({ path, node });
  };
  visit(root, []);
  return found;
}
