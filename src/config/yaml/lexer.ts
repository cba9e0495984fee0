// PyYAML's view of continuation lines, given to the `yaml` package's lexer.
// YAML asks that quoted text and flow collections inside a block are indented on every line; PyYAML does not look.
// So `stages: [` may be closed, and continued, at column 0. The lexer has no option for it, only these fields (yaml 2.9.1).

interface Standard {
  readonly buffer: string;
  readonly pos: number;
  readonly flowLevel: number;
  continueScalar(offset: number): number;
}

/**
 * A class of lexers that ignore indentation inside quotes and flow collections. An unknown class is left as it is.
 * The field is an accessor of the class, not of each lexer: engines are quick with objects of one shape only.
 */
export function likePyYaml<T extends object>(Lexer: new () => T): new () => T {
  const fields = new Lexer() as unknown as Standard & { readonly indentNext?: unknown };
  if (typeof fields.indentNext !== 'number' || typeof fields.continueScalar !== 'function') return Lexer;
  const Base = Lexer as unknown as new () => Standard;
  class PyYamlLexer extends Base {
    // Set by the inherited constructor already, so they must not be fields of this class.
    declare private block: number;
    declare private quoted: boolean | undefined;
    get indentNext(): number {
      return this.quoted === true || this.flowLevel > 0 ? 0 : this.block;
    }
    set indentNext(value: number) {
      this.block = value;
    }
    override continueScalar(offset: number): number {
      const first = this.buffer[this.pos];
      this.quoted = first === '"' || first === "'";
      const result = super.continueScalar(offset);
      this.quoted = false;
      return result;
    }
  }
  return PyYamlLexer as unknown as new () => T;
}
