// A YAML text read as inference-perf reads it (PyYAML's safe_load): values, positions, comments, problems.
// The only file that imports `yaml`. Its parser gives the tree; typing, tags and merge keys are PyYAML's (scalars.ts, construct.ts).
import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  type CST,
  type Document,
  type ParsedNode,
} from 'yaml';
import type { Problem } from '../../problem';
import { construct, type Complaint } from './construct';
import { likePyYaml } from './lexer';
import { Lines } from './lines';
import { oncePrinted } from './printed';
import { oneSyntaxError, syntaxProblem } from './syntax';
import { scanTokens, type Comment } from './tokens';
import { directiveProblem } from './yaml-directives';
import type { MapNode, Pair, ScalarNode, SolidNode, YamlNode } from './tree';
import { makeDocument, type YamlDocument } from './yaml-document';

export type { Comment } from './tokens';
export type { YamlDocument } from './yaml-document';

/** Real configs are some kB; beyond this a text is not parsed at all. */
const MAX_TEXT = 4_000_000;
const MAX_DEPTH = 100;
/** Line breaks of YAML 1.1 that the parser, which follows 1.2, takes for text. One character each: offsets stay. */
const OTHER_BREAKS = /[\u0085\u2028\u2029]|\r(?!\n)/g;

export interface ReadOptions {
  /** Longest text that is read, in characters. */
  readonly maxText?: number;
  /** Most pieces (words, marks, blanks) the full parser takes: what a text costs goes by them and not by its length. */
  readonly maxPieces?: number;
}

/** Reads one document. Never throws. */
export function parseDocument(text: string, options: ReadOptions = {}): YamlDocument {
  const { maxText = MAX_TEXT, maxPieces = Infinity } = options;
  if (text.length > maxText)
    return failed(text, 'YML002', `The text has more than ${maxText} characters; it is not read as a config.`);
  const lines = new Lines(text);
  try {
    return parse(text, lines, maxPieces);
  } catch (error) {
    // The parser recurses; a text nested past every guard ends here.
    if (!(error instanceof RangeError)) throw error;
    return failed(text, 'YML003', 'The text is nested too deeply to be read.', lines);
  }
}

function failed(text: string, code: string, message: string, lines = new Lines('')): YamlDocument {
  const problem: Problem = { code, severity: 'error', path: [], message, range: lines.range(0, 0) };
  return makeDocument(text, lines, undefined, undefined, [problem], []);
}

function parse(text: string, lines: Lines, maxPieces: number): YamlDocument {
  const tokens = tokenize(text.replace(OTHER_BREAKS, '\n'), maxPieces);
  if (!tokens)
    return failed(text, 'YML002', `The text has more than ${maxPieces} pieces; it is not read as a config.`, lines);
  const scan = scanTokens(tokens, text, lines);
  if (scan.depth > MAX_DEPTH)
    return failed(text, 'YML003', `The text is nested more than ${MAX_DEPTH} levels deep; it is not read.`, lines);
  const { root, problems } = composed(tokens, text, lines, scan.problems);
  if (problems.some((problem) => problem.severity === 'error'))
    return makeDocument(text, lines, root, undefined, oneSyntaxError(problems), scan.comments);
  return valued(text, lines, root, problems, scan.comments);
}

/** The tree of the tokens, and all that is wrong with them. */
function composed(
  tokens: readonly CST.Token[],
  text: string,
  lines: Lines,
  found: readonly Problem[],
): { readonly root: YamlNode | undefined; readonly problems: readonly Problem[] } {
  const composer = new Composer({
    version: '1.1',
    schema: 'failsafe',
    resolveKnownTags: false,
    merge: false,
    uniqueKeys: false,
    strict: true,
    prettyErrors: false,
    keepSourceTokens: true,
  });
  const documents = [...composer.compose(tokens, true, text.length)] as Document.Parsed[];
  const problems: Problem[] = [...found];
  // PyYAML does not ask for a space between a closing quote or bracket and a comment.
  const errors = documents
    .flatMap((document) => document.errors)
    // eslint-disable-next-line house/no-decision-on-prose -- the library gives this fault the code of others
    .filter((error) => !error.message.startsWith('Comments must be separated'));
  // What follows the first error is noise (oneSyntaxError), and there may be one for every line.
  const worst = errors.reduce<(typeof errors)[number] | undefined>(
    (least, error) => (least && least.pos[0] <= error.pos[0] ? least : error),
    undefined,
  );
  if (worst) problems.push(syntaxProblem(worst, text, lines));
  const directive = directiveProblem(tokens, lines);
  if (directive) problems.push(directive);
  const [first, second] = documents;
  if (second) problems.push(secondDocument(second, lines));
  const tree = new TreeBuilder(text, lines, problems);
  return { root: first?.contents ? tree.build(first.contents) : undefined, problems };
}

/** The document of a tree without mistakes. */
function valued(
  text: string,
  lines: Lines,
  root: YamlNode | undefined,
  problems: readonly Problem[],
  comments: readonly Comment[],
): YamlDocument {
  const built = root ? construct(root, text) : { value: null, complaints: [], more: 0 };
  const complaints = oncePrinted(built.complaints.map((complaint) => fromComplaint(complaint, lines)));
  return { ...makeDocument(text, lines, root, built.value, [...problems, ...complaints], comments), more: built.more };
}

const PyYamlLexer = likePyYaml(Lexer);

function tokenize(source: string, maxPieces: number): CST.Token[] | undefined {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let pieces = 0;
  for (const lexeme of new PyYamlLexer().lex(source)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    pieces += 1;
    if (pieces > maxPieces) return undefined;
  }
  tokens.push(...parser.end());
  return tokens;
}

function fromComplaint(complaint: Complaint, lines: Lines): Problem {
  const { code, severity, node, message, remedy, reason } = complaint;
  const problem: Problem = { code, severity, path: [], message, range: lines.range(node.start, node.end) };
  return {
    ...problem,
    ...(reason === undefined ? {} : { reason }),
    ...(remedy === undefined ? {} : { remedy }),
  };
}

function secondDocument(document: Document.Parsed, lines: Lines): Problem {
  const start = document.range[0];
  return {
    code: 'YML004',
    severity: 'error',
    path: [],
    message:
      'The file holds more than one YAML document (or a line of `---` or `...` with text after it), and inference-perf reads only one.',
    remedy: 'Keep one document per file.',
    range: lines.range(start, start),
  };
}

const STYLES = {
  PLAIN: 'plain',
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'literal',
  BLOCK_FOLDED: 'folded',
} as const;

interface SourcePair {
  readonly key: ParsedNode | null;
  readonly value: ParsedNode | null;
  readonly srcToken?: { readonly start: readonly { readonly type: string }[] };
}

/** The parser counts the line break and comments after a block to it. */
function lastEnd(nodes: readonly YamlNode[], otherwise: number): number {
  return nodes.length === 0 ? otherwise : Math.max(...nodes.slice(-2).map((node) => node.end));
}

function marks(tag: string | undefined, anchor: string | undefined): { tag?: string; anchor?: string } {
  return { ...(tag === undefined ? {} : { tag }), ...(anchor === undefined ? {} : { anchor }) };
}

/** Turns the parser's nodes into ours, resolving aliases in the order of the text (a later anchor replaces an earlier one). */
class TreeBuilder {
  private readonly anchors = new Map<string, { node: SolidNode | undefined }>();
  constructor(
    private readonly text: string,
    private readonly lines: Lines,
    private readonly problems: Problem[],
  ) {}

  build(node: ParsedNode): YamlNode {
    if (isAlias(node)) return this.alias(node.source, node.range[0], node.range[1]);
    const slot = { node: undefined as SolidNode | undefined };
    if (node.anchor !== undefined) this.anchor(node.anchor, slot, node);
    const [start, end] = node.range;
    // Most nodes have neither: two spreads less for each of them is felt at every keystroke.
    const { tag, anchor } = node;
    const base = tag === undefined && anchor === undefined ? { start, end } : { start, end, ...marks(tag, anchor) };
    let built: SolidNode;
    if (isScalar(node)) {
      const style = STYLES[node.type as keyof typeof STYLES];
      built = {
        ...base,
        kind: 'scalar',
        text: this.scalarText(node.value, style, base.end),
        style,
      } satisfies ScalarNode;
    } else if (isSeq(node)) {
      const flow = node.flow === true;
      const items = node.items.map((item) => this.item(item, node));
      built = { ...base, end: flow ? base.end : lastEnd(items, base.end), kind: 'list', flow, items };
    } else if (isMap(node)) {
      const flow = node.flow === true;
      const pairs = node.items.map((pair) => this.pair(pair, node));
      const last = pairs.at(-1);
      built = {
        ...base,
        end: flow || !last ? base.end : lastEnd([last.key, last.value], base.end),
        kind: 'map',
        flow,
        pairs,
      };
    } else throw new TypeError('unknown kind of YAML node');
    slot.node = built;
    return built;
  }

  private anchor(name: string, slot: { node: SolidNode | undefined }, node: ParsedNode): void {
    if (this.anchors.has(name))
      this.reject(
        `The anchor &${name} is defined twice, which inference-perf's YAML reader rejects.`,
        'Give the second one another name.',
        node.range[0],
        node.range[0],
      );
    if (!/^[\w-]+$/.test(name))
      this.reject(
        `The anchor &${name} has characters other than letters, digits, - and _.`,
        'Rename it.',
        node.range[0],
        node.range[0],
      );
    this.anchors.set(name, slot);
  }

  private reject(message: string, remedy: string, start: number, end: number): void {
    const range = this.lines.range(start, end);
    this.problems.push({ code: 'YML001', severity: 'error', path: [], message, remedy, range });
  }

  private scalarText(value: unknown, style: ScalarNode['style'], end: number): string {
    const text = typeof value === 'string' ? value : '';
    // A block scalar that ends with the file has no last line break to keep, says PyYAML.
    const cut = (style === 'literal' || style === 'folded') && end >= this.text.length && !/[\r\n]$/.test(this.text);
    return cut && text.endsWith('\n') ? text.slice(0, -1) : text;
  }

  private item(item: unknown, parent: ParsedNode): YamlNode {
    // `[a: b]` is a list of one-pair mappings.
    if (item !== null && typeof item === 'object' && 'key' in item) {
      const pair = this.pair(item as SourcePair, parent);
      return { kind: 'map', flow: true, start: pair.key.start, end: pair.value.end, pairs: [pair] } satisfies MapNode;
    }
    return this.build(item as ParsedNode);
  }

  private pair(pair: SourcePair, parent: ParsedNode): Pair {
    const key = pair.key ? this.build(pair.key) : this.empty(parent.range[0]);
    const explicit = pair.srcToken?.start.some((token) => token.type === 'explicit-key-ind') === true;
    if (key.kind === 'scalar' && key.start === key.end && key.style === 'plain' && !explicit && key.tag === undefined)
      this.reject('A value stands here without a key.', 'Write the key before the colon.', key.start, key.end);
    return { key, value: pair.value ? this.build(pair.value) : this.empty(key.end) };
  }

  private empty(offset: number): ScalarNode {
    return { kind: 'scalar', text: '', style: 'plain', start: offset, end: offset };
  }

  private alias(name: string, start: number, end: number): YamlNode {
    const slot = this.anchors.get(name);
    if (!slot)
      this.reject(
        `The alias *${name} points to no anchor (&${name}) above it.`,
        'Define the anchor first; put text that begins with * in quotes.',
        start,
        end,
      );
    // A slot without a node yet belongs to an anchor that is still open: an endless value.
    return { kind: 'alias', name, target: slot?.node, start, end };
  }
}
