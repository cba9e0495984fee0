// Templates that are not YAML yet: lines and values that a shell, Helm or envsubst will write. Masked, the rest can be read.
// Every mask keeps the text's length, so that positions stay those of the file.

export interface Mask {
  readonly text: string;
  /** Lines that stand for a block of unknown content, e.g. `${load_block}`; control lines such as `{{- end }}` are not among them. */
  readonly blocks: readonly { readonly line: number; readonly text: string }[];
  /** Lines between two control lines that may be left out by the template, inner ones after the outer ones they stand in. */
  readonly branches: readonly { readonly first: number; readonly last: number }[];
}

const CONTROL = /^\{\{-?\s*(?:if|else|end|range|with|define|block|template|\/\*|\$)/;
const BEGINS = /^\{[{%][-+]?\s*(?:if|range|with|for|unless|block)\b/;
/** What stands in one is written where it is named, not here. */
const DEFINES = /^\{[{%][-+]?\s*(?:define|macro)\b/;
const ELSE = /^\{[{%][-+]?\s*(?:else|elif)\b/;
const ENDS = /^\{[{%][-+]?\s*end(?:if|for|unless|block|macro)?\b/;
/** Comments of Helm and Jinja, and actions on lines of their own, that go over several lines. */
const LONG =
  /\{\{-?\s*\/\*[\s\S]{0,5000}?\*\/\s*-?\}\}|\{#[\s\S]{0,5000}?#\}|^[ \t]*\{\{[^{}\n]*\n[^{}]{0,2000}\}\}[ \t]*$/gm;
const ALONE =
  /^([ \t]*)(\$\{[^}\n]*\}|\$\([A-Za-z_]\w*\)|\$[A-Za-z_]\w*|\{\{.*\}\}|\{%.*%\}|<[A-Za-z][^<>\n]{0,60}>|__[A-Z][A-Z0-9_]*__|@[A-Z][A-Z0-9_]*@)[ \t]*\r?$/;
const MAX_LINES = 20_000;
const MAX_BLOCKS = 100;

export function isBlockLine(line: string): boolean {
  return ALONE.test(line);
}

/** Cheap: might any line be one? */
export function hasBlockLine(text: string): boolean {
  return /^[ \t]*[$<@_{]/m.test(text);
}

/**
 * The text with its template parts masked; undefined when there are none. `only`: the lines to mask in a text that is YAML as it
 * stands. Of a condition the first branch is read, since the others would write its keys again.
 */
export function maskTemplate(text: string, only?: ReadonlySet<number>): Mask | undefined {
  if (!only && !/[$<@_]|\{[{%]/.test(text)) return undefined;
  const lines = withoutLong(text).split('\n');
  if (lines.length > MAX_LINES) return undefined;
  const blocks: { line: number; text: string }[] = [];
  const branches: { first: number; last: number }[] = [];
  const open: { branch: { first: number; last: number } | undefined; isElse: boolean }[] = [];
  const follow = (mark: string, line: number): void => {
    const isElse = ELSE.test(mark);
    if (isElse || ENDS.test(mark)) {
      const top = open.pop();
      if (top?.branch) top.branch.last = line - 1;
      if (isElse) open.push({ branch: undefined, isElse });
    } else if (DEFINES.test(mark)) open.push({ branch: undefined, isElse: true });
    else if (BEGINS.test(mark)) {
      const branch = { first: line + 1, last: lines.length - 1 };
      branches.push(branch);
      open.push({ branch, isElse });
    }
  };
  const masked = lines.map((line, index) => {
    if (only && !only.has(index)) return line;
    const alone = ALONE.exec(line);
    if (alone) follow(alone[2]!, index);
    // The first branch speaks for all.
    if (open.some(({ isElse }) => isElse)) return line.replace(/^([ \t]*)\S/, '$1#');
    if (!alone) return maskBraces(line);
    const [, indent = '', mark = ''] = alone;
    if (blocks.length < MAX_BLOCKS && !CONTROL.test(mark) && !mark.startsWith('{%'))
      blocks.push({ line: index, text: mark });
    return `${indent}#${line.slice(indent.length + 1)}`;
  });
  const result = masked.join('\n');
  return result === text ? undefined : { text: result, blocks, branches };
}

/** What goes over several lines is white space; one line at a time says the rest. */
function withoutLong(text: string): string {
  return text.replace(LONG, (part) => (part.includes('\n') ? part.replace(/[^\n]/g, ' ') : part));
}

/** `{{ x }}:{{ y }}` begins a mapping for YAML; `${ x }}` does not, and is a placeholder all the same. */
function maskBraces(line: string): string {
  return line.includes('{{') && !line.trimStart().startsWith('#')
    ? line.replace(/\{\{(?=[^{}\n]*\}\})/g, '${').replace(/\$\{([^{}\n]*)\}\}/g, '${$1} ')
    : line;
}

/** A placeholder as the file has it: masking turned the braces of Helm and Jinja into `${ x }`. */
export function unmasked(name: string): string {
  return /^\$\{[\s-]/.test(name) ? `{{${name.slice(2, -1)}}}` : name;
}
