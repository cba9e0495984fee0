// YAML inside the texts of another YAML document: block scalars of a ConfigMap, JSON in quotes, heredocs of a shell script.
import type { TextRange } from '../../problem';
import { parseDocument, type ReadOptions, type YamlDocument } from '../yaml/document';
import { maskTemplate, type Mask } from '../yaml/template';
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
  const mask = stuck(document) ? maskTemplate(text) : undefined;
  if (!mask) return { document, blocks: [] };
  const masked = parseDocument(mask.text, options);
  return stuck(masked) ? { document, blocks: [] } : { document: masked, blocks: mask.blocks };
}

export interface Embedded extends Reading {
  readonly toFile: (range: TextRange) => TextRange;
}

/** The YAML that a scalar's text is, and the way back to the file; undefined when lines and columns cannot be followed. */
export function embedded(document: YamlDocument, node: ScalarNode, options?: ReadOptions): Embedded | undefined {
  if (node.style === 'literal') return block(document, node, options);
  const quoted = (node.style === 'single' || node.style === 'double') && node.end - node.start === node.text.length + 2;
  if (!quoted || node.text.includes('\n')) return undefined;
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
