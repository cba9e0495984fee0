// Templates that are not YAML yet: lines and values that a shell, Helm or envsubst will write. Masked, the rest can be read.
// Every mask keeps the text's length, so that positions stay those of the file.

export interface Mask {
  readonly text: string;
  /** Lines that stand for a block of unknown content, e.g. `${load_block}`; control lines such as `{{- end }}` are not among them. */
  readonly blocks: readonly { readonly line: number; readonly text: string }[];
}

const CONTROL = /^\{\{-?\s*(?:if|else|end|range|with|define|block|template|\/\*|\$)/;
const ALONE = /^([ \t]*)(\$\{[^}\n]*\}|\$[A-Za-z_]\w*|\{\{.*\}\}|\{%.*%\}|<[A-Za-z][^<>\n]{0,60}>)[ \t]*\r?$/;
const MAX_LINES = 20_000;
const MAX_BLOCKS = 100;

/** The text with its template parts masked; undefined when there are none. Ask only when the text as it stands is not YAML. */
export function maskTemplate(text: string): Mask | undefined {
  if (!/[$<]|\{[{%]/.test(text)) return undefined;
  const lines = text.split('\n');
  if (lines.length > MAX_LINES) return undefined;
  const blocks: { line: number; text: string }[] = [];
  const masked = lines.map((line, index) => {
    const alone = ALONE.exec(line);
    if (!alone) return maskBraces(line);
    const [, indent = '', mark = ''] = alone;
    if (blocks.length < MAX_BLOCKS && !CONTROL.test(mark) && !mark.startsWith('{%'))
      blocks.push({ line: index, text: mark });
    return `${indent}#${line.slice(indent.length + 1)}`;
  });
  const result = masked.join('\n');
  return result === text ? undefined : { text: result, blocks };
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
