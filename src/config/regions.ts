// Where in a file the config sits: the whole file, or wrapped by Kubernetes, Helm, llm-d or another tool.
import type { ConfigPath, TextRange } from '../problem';
import { formatPath } from '../problem';
import { parseDocument, type YamlDocument } from './document';
import type { ScalarNode } from './tree';

type RegionKind = 'file' | 'document' | 'workload' | 'helm' | 'configmap' | 'wrapped';

export interface Region {
  readonly kind: RegionKind;
  /** How messages name it, e.g. `workload.sanity_random`; empty for a whole file. */
  readonly name: string;
  /** The YAML the config belongs to: anchors outside the region still count. */
  readonly document: YamlDocument;
  /** From the document's root to the config. */
  readonly prefix: ConfigPath;
  /** Ranges of `document` to ranges of the file. */
  toFile(range: TextRange): TextRange;
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Does a mapping look like an inference-perf config? Two of its sections, or one with keys only it has. */
function isConfigLike(value: unknown): boolean {
  if (!isRecord(value)) return false;
  // Kubernetes objects, scenarios and charts have sections of the same names.
  if ('apiVersion' in value && 'kind' in value) return false;
  const { load, data, server } = value;
  const loadFits = isRecord(load) && (LOAD_KEYS.some((key) => key in load) || typeof load['type'] === 'string');
  const dataFits = isRecord(data) && (typeof data['type'] === 'string' || DATA_KEYS.some((key) => key in data));
  const serverFits = isRecord(server) && ('base_url' in server || 'model_name' in server || 'ignore_eos' in server);
  const others = SECTIONS.filter((name) => name in value && !['load', 'data', 'server'].includes(name)).length;
  const strong = [loadFits, dataFits, serverFits].filter(Boolean).length;
  const only = isRecord(load) && (Array.isArray(load['stages']) || isRecord(load['sweep']));
  return strong >= 2 || (strong === 1 && others >= 1) || only;
}

const WHOLE = (range: TextRange): TextRange => range;

function region(kind: RegionKind, document: YamlDocument, prefix: ConfigPath): Region {
  return { kind, name: formatPath(prefix), document, prefix, toFile: WHOLE };
}

/** Finds the configs in one YAML document. Empty when there is none. */
function regionsOf(document: YamlDocument): readonly Region[] {
  const { value } = document;
  if (isConfigLike(value)) return [region('file', document, [])];
  if (!isRecord(value)) return [];
  if (value['kind'] === 'ConfigMap' && isRecord(value['data'])) return configMapRegions(document, value['data']);
  const found: Region[] = [];
  if (isConfigLike(value['config'])) found.push(region('helm', document, ['config']));
  const workload = value['workload'];
  if (isRecord(workload)) {
    for (const [name, entry] of Object.entries(workload)) {
      if (isConfigLike(entry)) found.push(region('workload', document, ['workload', name]));
    }
  }
  return found;
}

function configMapRegions(document: YamlDocument, data: Readonly<Record<string, unknown>>): readonly Region[] {
  const found: Region[] = [];
  for (const name of Object.keys(data)) {
    const node = document.locate(['data', name])?.value;
    if (node?.kind !== 'scalar') continue;
    const inner = embedded(document, node);
    if (inner && isConfigLike(inner.document.value))
      found.push({ kind: 'configmap', name: `data[${name}]`, prefix: [], ...inner });
  }
  return found;
}

/** The YAML inside a `|` block: its lines without the block's indentation, and the way back to the file. */
function embedded(document: YamlDocument, node: ScalarNode): Pick<Region, 'document' | 'toFile'> | undefined {
  if (node.style !== 'literal') return undefined;
  const first = document.lines.position(node.start).line + 1;
  const lineOf = (index: number): string => document.lines.line(first + index);
  const lead = node.text.split('\n').findIndex((line) => line.trim() !== '');
  if (lead < 0) return undefined;
  const indent = lineOf(lead).length - node.text.split('\n')[lead]!.length;
  if (indent < 0) return undefined;
  const toFile = (range: TextRange): TextRange => ({
    startLine: range.startLine + first,
    startColumn: range.startColumn + indent,
    endLine: range.endLine + first,
    endColumn: range.endColumn + indent,
  });
  return { document: parseDocument(node.text), toFile };
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
  /** The file read as one document, as inference-perf would. */
  readonly whole: YamlDocument;
  readonly regions: readonly Region[];
}

/** Finds the configs of a file. Never throws. */
export function findRegions(text: string): RegionSearch {
  const whole = parseDocument(text);
  const several = whole.problems.some((problem) => problem.code === 'YML004');
  if (!several) return { whole, regions: regionsOf(whole) };
  const regions = splitDocuments(text).flatMap((part) =>
    regionsOf(parseDocument(part.text)).map((found): Region => {
      const shift = (range: TextRange): TextRange => {
        const inner = found.toFile(range);
        return { ...inner, startLine: inner.startLine + part.firstLine, endLine: inner.endLine + part.firstLine };
      };
      return { ...found, kind: found.kind === 'file' ? 'document' : found.kind, toFile: shift };
    }),
  );
  return { whole, regions };
}
