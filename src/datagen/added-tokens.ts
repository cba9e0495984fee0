// The added tokens of a `tokenizer.json` inside a text: found leftmost and longest before anything else is done with it.

export interface AddedToken {
  readonly id: number;
  readonly lstrip: boolean;
  readonly rstrip: boolean;
}

interface Node {
  readonly next: Map<number, Node>;
  word?: string;
}

/** Splits texts at the words of a list, which stay as parts of their own. */
export class WordSplitter {
  private readonly root: Node = { next: new Map() };
  /** By UTF-16 unit: some word begins with it. */
  private readonly begins = new Uint8Array(65_536);

  constructor(words: Iterable<string>) {
    for (const word of words) {
      if (word === '') continue;
      this.begins[word.charCodeAt(0)] = 1;
      let node = this.root;
      for (let at = 0; at < word.length; at++) {
        const unit = word.charCodeAt(at);
        let next = node.next.get(unit);
        if (next === undefined) node.next.set(unit, (next = { next: new Map() }));
        node = next;
      }
      node.word = word;
    }
  }

  split(text: string): string[] {
    const parts: string[] = [];
    let from = 0;
    for (let at = 0; at < text.length;) {
      const word = this.begins[text.charCodeAt(at)] === 1 ? this.longestAt(text, at) : undefined;
      if (word === undefined) {
        at++;
        continue;
      }
      if (at > from) parts.push(text.slice(from, at));
      parts.push(word);
      at += word.length;
      from = at;
    }
    if (from === 0 && text.length > 0) return [text];
    if (from < text.length) parts.push(text.slice(from));
    return parts;
  }

  private longestAt(text: string, from: number): string | undefined {
    let found: string | undefined;
    let node = this.root.next.get(text.charCodeAt(from));
    for (let at = from + 1; node !== undefined; at++) {
      if (node.word !== undefined) found = node.word;
      node = at < text.length ? node.next.get(text.charCodeAt(at)) : undefined;
    }
    return found;
  }
}

/** Spaces beside a token that takes them in, as the library takes them off, in place. */
export function stripBeside(parts: string[], tokens: ReadonlyMap<string, AddedToken>): void {
  for (let at = 0; at < parts.length; at++) {
    const token = tokens.get(parts[at]!);
    if (!token) continue;
    if (token.lstrip && at > 0) parts[at - 1] = parts[at - 1]!.trimEnd();
    if (token.rstrip && at + 1 < parts.length) parts[at + 1] = parts[at + 1]!.trimStart();
  }
}
