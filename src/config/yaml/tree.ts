// A YAML text as a tree of nodes with offsets: what the rest of the product sees of a document's form.

interface NodeBase {
  /** UTF-16 offsets into the text; the end is exclusive and without trailing white space. */
  readonly start: number;
  readonly end: number;
  /** Resolved tag, e.g. `tag:yaml.org,2002:int` or `!secret`; absent when none is written. */
  readonly tag?: string;
  readonly anchor?: string;
}

export interface ScalarNode extends NodeBase {
  readonly kind: 'scalar';
  readonly text: string;
  readonly style: 'plain' | 'single' | 'double' | 'literal' | 'folded';
}

export interface Pair {
  readonly key: YamlNode;
  readonly value: YamlNode;
}

export interface MapNode extends NodeBase {
  readonly kind: 'map';
  readonly flow: boolean;
  readonly pairs: readonly Pair[];
}

interface ListNode extends NodeBase {
  readonly kind: 'list';
  readonly flow: boolean;
  readonly items: readonly YamlNode[];
}

interface AliasNode extends NodeBase {
  readonly kind: 'alias';
  readonly name: string;
  /** The anchored node; for an alias inside its own anchor the value would be endless. */
  readonly target: SolidNode | undefined;
}

/** A node that is written out where it stands. */
export type SolidNode = ScalarNode | MapNode | ListNode;

export type YamlNode = SolidNode | AliasNode;

/** The node an alias stands for; other nodes stand for themselves. */
export function resolveAlias(node: YamlNode): SolidNode | undefined {
  return node.kind === 'alias' ? node.target : node;
}

export function isMergeKey(key: YamlNode): boolean {
  if (key.kind !== 'scalar') return false;
  return key.tag === 'tag:yaml.org,2002:merge' || (key.tag === undefined && key.style === 'plain' && key.text === '<<');
}

/** The pair that decides the key's value: the last of duplicates, else what a merge key brings in. */
function findPair(map: MapNode, key: string): Pair | undefined {
  return findPairWithin(map, key, 0);
}

function findPairWithin(map: MapNode, key: string, depth: number): Pair | undefined {
  for (let index = map.pairs.length - 1; index >= 0; index -= 1) {
    const pair = map.pairs[index]!;
    const name = resolveAlias(pair.key);
    if (name?.kind === 'scalar' && name.text === key && !isMergeKey(pair.key)) return pair;
  }
  if (depth > 20) return undefined;
  for (let index = map.pairs.length - 1; index >= 0; index -= 1) {
    const pair = map.pairs[index]!;
    if (!isMergeKey(pair.key)) continue;
    const source = resolveAlias(pair.value);
    const maps = source?.kind === 'list' ? source.items : source ? [source] : [];
    for (const item of maps) {
      const merged = resolveAlias(item);
      const found = merged?.kind === 'map' ? findPairWithin(merged, key, depth + 1) : undefined;
      if (found) return found;
    }
  }
  return undefined;
}

export interface Located {
  /** Absent for list items and the root. */
  readonly key?: YamlNode;
  readonly value: YamlNode;
}

/** Walks from a node along keys and indexes, through aliases and merge keys. */
export function locate(root: YamlNode, path: readonly (string | number)[]): Located | undefined {
  let current: Located = { value: root };
  for (const step of path) {
    const node = resolveAlias(current.value);
    if (node?.kind === 'map') {
      const pair = findPair(node, String(step));
      if (!pair) return undefined;
      current = { key: pair.key, value: pair.value };
    } else if (node?.kind === 'list' && typeof step === 'number') {
      const item = node.items[step];
      if (!item) return undefined;
      current = { value: item };
    } else return undefined;
  }
  return current;
}

export interface Spot {
  readonly path: readonly (string | number)[];
  readonly part: 'key' | 'value';
  readonly node: YamlNode;
}

/** The innermost key or value at an offset; aliases are not followed. */
export function spotAt(root: YamlNode, offset: number): Spot | undefined {
  const path: (string | number)[] = [];
  let node = root;
  if (offset < node.start || offset > node.end) return undefined;
  for (;;) {
    if (node.kind === 'map') {
      const pair = node.pairs.find((entry) => within(entry.key, offset) || within(entry.value, offset));
      if (!pair) return { path, part: 'value', node };
      path.push(pair.key.kind === 'scalar' ? pair.key.text : '');
      if (within(pair.key, offset)) return { path, part: 'key', node: pair.key };
      node = pair.value;
    } else if (node.kind === 'list') {
      const index = node.items.findIndex((item) => within(item, offset));
      if (index < 0) return { path, part: 'value', node };
      path.push(index);
      node = node.items[index]!;
    } else return { path, part: 'value', node };
  }
}

function within(node: YamlNode, offset: number): boolean {
  return offset >= node.start && offset <= node.end;
}
