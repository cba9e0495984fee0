// Where in a file the config sits: the whole file, or wrapped by Kubernetes, Helm, llm-d or another tool.
import type { ConfigPath, TextRange } from '../../problem';
import { formatPath } from '../../problem';
import type { ReadOptions, YamlDocument } from '../yaml/document';
import { embedded, heredocs, heredocsIn, longTexts, readYaml, type Embedded, type Reading } from './embedded';
import { remember } from '../yaml/remember';
import type { Mask } from '../yaml/template';
import { isObject } from '../../own';

type RegionKind = 'file' | 'document' | 'workload' | 'helm' | 'configmap' | 'heredoc' | 'wrapped';

export interface Region {
  readonly kind: RegionKind;
  /** How messages name it, e.g. `workload.sanity_random`; empty for a whole file. */
  readonly name: string;
  /** The YAML the config belongs to: anchors outside the region still count. */
  readonly document: YamlDocument;
  /** From the document's root to the config. */
  readonly prefix: ConfigPath;
  /** Lines of `document` that a template fills with a block of unknown content. */
  readonly blocks?: Mask['blocks'];
  /** Ranges of `document` to ranges of the file. */
  readonly toFile: (range: TextRange) => TextRange;
  /** Every place in it is one place of the file: it can be judged there, and not edited. */
  readonly isOpaque?: true;
  /** The document of the file that holds the config, and where in it: as a part, or as a text. */
  readonly around?: Placed & { readonly path: ConfigPath };
}

/** A YAML document of a file. */
export interface Placed {
  readonly document: YamlDocument;
  readonly toFile: (range: TextRange) => TextRange;
}

const SECTIONS = [
  'api',
  'data',
  'load',
  'metrics',
  'report',
  'storage',
  'server',
  'tokenizer',
  'circuit_breakers',
] as const;

const LOAD_KEYS = [
  'stages',
  'sweep',
  'interval',
  'num_workers',
  'base_seed',
  'worker_max_concurrency',
  'request_timeout',
];
const DATA_KEYS = [
  'input_distribution',
  'output_distribution',
  'shared_prefix',
  'conversation_replay',
  'otel_trace_replay',
];

/** How many of the sections that tell a config have keys only it has: load, data, server. */
function strength(value: Readonly<Record<string, unknown>>): number {
  const { load, data, server } = value;
  const loadFits = isObject(load) && (LOAD_KEYS.some((key) => key in load) || typeof load['type'] === 'string');
  const dataFits = isObject(data) && (typeof data['type'] === 'string' || DATA_KEYS.some((key) => key in data));
  const serverFits = isObject(server) && ('base_url' in server || 'model_name' in server || 'ignore_eos' in server);
  return [loadFits, dataFits, serverFits].filter(Boolean).length;
}

/** A Kubernetes object. It is never a config itself; texts in it may be. */
export function isManifest(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && 'apiVersion' in value && 'kind' in value;
}

/** Does a mapping look like an inference-perf config? Two of its sections, or one with keys only it has. */
function isConfigLike(value: unknown): boolean {
  if (!isObject(value)) return false;
  // Kubernetes objects, scenarios and charts have sections of the same names.
  if (isManifest(value)) return false;
  const { load } = value;
  const others = SECTIONS.filter((name) => name in value && !['load', 'data', 'server'].includes(name)).length;
  const strong = strength(value);
  const only = isObject(load) && (Array.isArray(load['stages']) || isObject(load['sweep']));
  return strong >= 2 || (strong === 1 && others >= 1) || only;
}

const WHOLE = (range: TextRange): TextRange => range;

function region(kind: RegionKind, { document, blocks }: Reading, prefix: ConfigPath): Region {
  const around = { document, path: prefix, toFile: WHOLE };
  return { kind, name: formatPath(prefix), document, prefix, blocks, toFile: WHOLE, around };
}

/** Finds the configs in one YAML document. Empty when there is none. */
function regionsOf(reading: Reading, options: ReadOptions): readonly Region[] {
  const { value } = reading.document;
  if (isConfigLike(value)) return [region('file', reading, [])];
  // Patches of manifests are lists of changes, whose values may be texts.
  if (Array.isArray(value)) return textRegions(reading.document, options);
  if (!isObject(value)) return [];
  if (isManifest(value))
    return [...textRegions(reading.document, options), ...encodedRegions(reading.document, options)];
  const found: Region[] = [];
  if (isConfigLike(value['config'])) found.push(region('helm', reading, ['config']));
  const workload = value['workload'];
  if (isObject(workload)) {
    for (const [name, entry] of Object.entries(workload)) {
      if (isConfigLike(entry)) found.push(region('workload', reading, ['workload', name]));
    }
  }
  if (found.length > 0) return found;
  const wrapped = wrappedRegions(reading);
  return wrapped.length > 0 ? wrapped : textRegions(reading.document, options);
}

const MAX_DEPTH = 5;
const MAX_VISITED = 2000;

/** Of one that a mistake or two have damaged the sections' names are left. */
const MANY_SECTIONS = 4;

function isWrapped(value: Readonly<Record<string, unknown>>): boolean {
  if (!isConfigLike(value)) return false;
  const strong = strength(value);
  return strong >= 2 || (strong === 1 && SECTIONS.filter((name) => name in value).length >= MANY_SECTIONS);
}

/** Configs under keys of any name: only what has two sections of its own counts, because many files have a `load` or `data`. */
function wrappedRegions(reading: Reading): readonly Region[] {
  const found: Region[] = [];
  let visited = 0;
  const visit = (value: unknown, path: ConfigPath): void => {
    visited += 1;
    if (visited > MAX_VISITED || found.length >= MAX_REGIONS || path.length > MAX_DEPTH) return;
    if (Array.isArray(value)) value.forEach((item, index) => visit(item, [...path, index]));
    if (!isObject(value)) return;
    if (path.length > 0 && isWrapped(value)) found.push(region('wrapped', reading, path));
    else for (const [key, entry] of Object.entries(value)) visit(entry, [...path, key]);
  };
  visit(reading.document.value, []);
  return found;
}

/** Configs in texts: the data of a ConfigMap, a heredoc in a Job's script. */
function textRegions(document: YamlDocument, options: ReadOptions, depth = 0): readonly Region[] {
  if (!document.root) return [];
  return longTexts(document.root).flatMap(({ path, node }): readonly Region[] => {
    const inData = path.length === 2 && (path[0] === 'data' || path[0] === 'stringData');
    const name = inData ? `${String(path[0])}[${String(path[1])}]` : formatPath(path);
    const whole = embedded(document, node, options);
    const around = { document, path, toFile: WHOLE };
    if (isConfigLike(whole.document.value)) return [{ ...inText('configmap', name, whole), around }];
    const inner = depth === 0 ? innerRegions(whole, name, options) : [];
    if (inner.length > 0) return inner;
    return heredocs(document, node, options)
      .filter((each) => isConfigLike(each.document.value))
      .map((each) => ({ ...inText('heredoc', each.name ?? name, each), around }));
  });
}

/** A text may be a manifest or a patch itself, with the config in a text of it: kustomize has such. */
function innerRegions(outer: Embedded, name: string, options: ReadOptions): readonly Region[] {
  const { value } = outer.document;
  if (!isManifest(value) && !Array.isArray(value)) return [];
  return textRegions(outer.document, options, 1).map(({ kind, document, prefix, blocks = [], ...found }) => ({
    kind,
    document,
    prefix,
    blocks,
    name: `${name}.${found.name}`,
    toFile: (range) => outer.toFile(found.toFile(range)),
    ...(outer.isOpaque === true || found.isOpaque === true ? { isOpaque: true } : {}),
  }));
}

/** Configs in base64: the data of a Secret, the binaryData of a ConfigMap, alone or in a List. */
function encodedRegions(document: YamlDocument, options: ReadOptions): readonly Region[] {
  const objects: (readonly [Readonly<Record<string, unknown>>, ConfigPath])[] = [];
  const { value } = document;
  if (isObject(value)) {
    objects.push([value, []]);
    if (Array.isArray(value['items']))
      value['items'].forEach((item: unknown, index) => isObject(item) && objects.push([item, ['items', index]]));
  }
  return objects.flatMap(([object, path]) =>
    (object['kind'] === 'Secret' ? ['data', 'binaryData'] : ['binaryData']).flatMap((section) => {
      const texts = object[section];
      if (!isObject(texts)) return [];
      return Object.entries(texts).flatMap(([key, encoded]): readonly Region[] => {
        const text = typeof encoded === 'string' ? decoded(encoded) : undefined;
        const reading = text === undefined ? undefined : readYaml(text, options);
        const range = document.range([...path, section, key], 'value');
        if (!reading || !range || !isConfigLike(reading.document.value)) return [];
        const name = path.length === 0 ? `${section}[${key}]` : `${formatPath(path)}.${section}[${key}]`;
        return [inText('configmap', name, { ...reading, toFile: () => range, isOpaque: true })];
      });
    }),
  );
}

/** Longest base64 that is decoded, in characters. */
const MAX_ENCODED = 100_000;

function decoded(base64: string): string | undefined {
  const packed = base64.replace(/\s/g, '');
  if (packed.length > MAX_ENCODED || packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]{20,}={0,2}$/.test(packed))
    return undefined;
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function inText(kind: RegionKind, name: string, { document, blocks, toFile, isOpaque }: Embedded): Region {
  return { kind, name, document, blocks, prefix: [], toFile, ...(isOpaque ? { isOpaque } : {}) };
}

/** A file's YAML documents, each with its first line. A file of one document is left as it is. */
function splitDocuments(text: string): readonly { readonly text: string; readonly firstLine: number }[] {
  const parts: { text: string; firstLine: number }[] = [];
  const lines = text.split('\n');
  let start = 0;
  const push = (end: number): void => {
    const part = lines.slice(start, end).join('\n');
    if (
      part
        .replace(/^---.*$/m, '')
        .replace(/^\s*#.*$/gm, '')
        .trim() !== ''
    )
      parts.push({ text: part, firstLine: start });
  };
  lines.forEach((line, index) => {
    if (index > 0 && /^---(\s|$)/.test(line)) {
      push(index);
      start = index;
    }
  });
  push(lines.length);
  return parts;
}

export interface RegionSearch {
  /** The file read as one document, as inference-perf would; with template parts masked when it is no YAML without. */
  readonly whole: YamlDocument;
  /** Lines of `whole` that a template fills. */
  readonly blocks: Mask['blocks'];
  readonly regions: readonly Region[];
  /** The file's YAML documents, in order. */
  readonly documents: readonly Placed[];
}

/** Longest text that is read while somebody types: some thousand lines, more than any config has. */
const MAX_EDITED = 50_000;
/** About two thousand lines: a config of a thousand has about seven thousand pieces. */
const MAX_PIECES = 14_000;
const EDITED: ReadOptions = { maxText: MAX_EDITED, maxPieces: MAX_PIECES };

/** Finds the configs of a file. Never throws. */
export const findRegions = remember(2, search, (maxText?: number) => String(maxText));

function search(text: string, maxText?: number): RegionSearch {
  const options = maxText === undefined ? EDITED : { maxText };
  const whole = readYaml(text, options);
  const { document } = whole;
  if (!document.problems.some((problem) => problem.code === 'YML004')) {
    const regions = regionsOf(whole, options);
    const script = regions.length === 0 && document.problems.some((problem) => problem.severity === 'error');
    return {
      whole: document,
      blocks: whole.blocks,
      regions: distinct(script ? scriptRegions(text, options) : regions),
      documents: [{ document, toFile: WHOLE }],
    };
  }
  const parts = splitDocuments(text)
    .slice(0, MAX_DOCUMENTS)
    .map((part) => ({ ...part, reading: readYaml(part.text, options) }));
  const documents = parts.map(({ reading, firstLine }): Placed => ({
    document: reading.document,
    toFile: (range) => ({ ...range, startLine: range.startLine + firstLine, endLine: range.endLine + firstLine }),
  }));
  const regions = parts.flatMap(({ reading }, index) =>
    regionsOf(reading, options).map((found): Region => {
      const shift = documents[index]!.toFile;
      return {
        ...found,
        kind: found.kind === 'file' ? 'document' : found.kind,
        toFile: (range) => shift(found.toFile(range)),
        ...(found.around ? { around: { ...found.around, toFile: shift } } : {}),
      };
    }),
  );
  return { whole: document, blocks: [], regions: distinct(regions), documents };
}

/** A shell script or Markdown with heredocs is no YAML; the configs in it are. */
function scriptRegions(text: string, options: ReadOptions): readonly Region[] {
  return heredocsIn(text, options)
    .filter((each) => isConfigLike(each.document.value))
    .map((each) => inText('heredoc', each.name ?? 'heredoc', each));
}

const MAX_DOCUMENTS = 50;
const MAX_REGIONS = 20;

/** Names are how a region is asked for: a second one of the same name gets a number. */
function distinct(regions: readonly Region[]): readonly Region[] {
  const seen = new Map<string, number>();
  return regions.slice(0, MAX_REGIONS).map((each) => {
    const count = (seen.get(each.name) ?? 0) + 1;
    seen.set(each.name, count);
    const name = each.name === '' && regions.length > 1 ? 'document' : each.name;
    return { ...each, name: count === 1 ? name : `${name} (${count})` };
  });
}
