// Texts with a cursor: `|` marks the position, as one sees it on the screen.
import type { Position } from '../../../src/language/place';

export function cursor(marked: string): { text: string; position: Position } {
  const offset = marked.indexOf('|');
  if (offset < 0 || marked.indexOf('|', offset + 1) >= 0) throw new Error('exactly one | is needed');
  const before = marked.slice(0, offset).split('\n');
  return {
    text: marked.slice(0, offset) + marked.slice(offset + 1),
    position: { line: before.length - 1, column: before.at(-1)!.length },
  };
}

export const CONFIG = `# isoperf: seed=42
load:
  type: constant
  stages:
    - rate: 5 # isoperf: warmup
      duration: 60
server:
  base_url: http://h:1
`;
