// PyYAML's view of continuation lines, given to the `yaml` package's lexer.
// YAML asks that quoted text and flow collections inside a block are indented on every line; PyYAML does not look.
// So `stages: [` may be closed, and continued, at column 0. The lexer has no option for it, only these fields (yaml 2.9.1).

interface LexerFields {
  readonly buffer: string;
  readonly pos: number;
  readonly flowLevel: number;
  indentNext: number;
  continueScalar(offset: number): number;
}

/** Makes a fresh lexer ignore indentation inside quotes and flow collections. Unknown lexers are left as they are. */
export function readLikePyYaml<T extends object>(lexer: T): T {
  const fields = lexer as unknown as LexerFields;
  if (typeof fields.indentNext !== 'number' || typeof fields.continueScalar !== 'function') return lexer;
  const asBuilt = fields.continueScalar.bind(lexer);
  let block = fields.indentNext;
  let quoted = false;
  Object.defineProperty(lexer, 'indentNext', {
    get: () => (quoted || fields.flowLevel > 0 ? 0 : block),
    set: (value: number) => {
      block = value;
    },
  });
  fields.continueScalar = (offset) => {
    quoted = /["']/.test(fields.buffer[fields.pos] ?? '');
    const result = asBuilt(offset);
    quoted = false;
    return result;
  };
  return lexer;
}
