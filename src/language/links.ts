// Links in a config: addresses, files it names, and the docs of the pitfalls its directives accept.
import { directivesOf, regionSpan } from '../config/yaml/comments';
import type { YamlNode } from '../config/yaml/tree';
import { docsAnchor, pitfallByCode } from '../pitfalls/catalogue';
import type { ConfigPath, TextRange } from '../problem';
import { placed, readings, type Asked } from './place';

const MAX_DEPTH = 8;

export interface Link {
  readonly range: TextRange;
  readonly kind: 'url' | 'file' | 'pitfall';
  /** A URL; a path as written, relative to the config's folder or absolute; a page and anchor of the docs. */
  readonly target: string;
  readonly tooltip: string;
}

const FILES: readonly string[] = [
  'load.trace.file',
  'data.trace.file',
  'data.path',
  'data.corpus_file_path',
  'data.otel_trace_replay.trace_directory',
  'data.otel_trace_replay.trace_files',
  'data.weka_trace_replay.trace_directory',
  'data.weka_trace_replay.trace_files',
  'server.cert_path',
  'server.key_path',
  'tokenizer.pretrained_model_name_or_path',
  'storage.local_storage.path',
];

/** Addresses, files that the config names, and the codes its directives disable. */
export function links(text: string, given: Asked = {}): readonly Link[] {
  return readings(text, given).flatMap((reading): readonly Link[] => {
    const { region } = reading;
    if (!region) return [];
    const body = region.document.locate(region.prefix);
    const found: Link[] = [];
    const visit = (node: YamlNode, path: ConfigPath): void => {
      if (path.length > MAX_DEPTH) return;
      if (node.kind === 'map')
        for (const pair of node.pairs) visit(pair.value, [...path, pair.key.kind === 'scalar' ? pair.key.text : '']);
      else if (node.kind === 'list') node.items.forEach((item) => visit(item, path));
      else if (node.kind === 'scalar') {
        const link = linkOf(node.text, path.join('.'));
        if (link) found.push({ ...link, range: placed(reading, node) });
      }
    };
    if (body && body.value.kind !== 'alias') visit(body.value, []);
    const { suppressions } = directivesOf(region, regionSpan(region));
    const lines = suppressions.length === 0 ? [] : text.split(/\r\n|\n|\r/);
    const codes = suppressions.flatMap((entry) => codeLinks(lines[entry.range.startLine] ?? '', entry.range));
    return [...found, ...codes];
  });
}

function linkOf(text: string, path: string): Omit<Link, 'range'> | undefined {
  if (/\$\{|\$[A-Za-z]|\{\{|REPLACE_ENV_|<[a-z]/i.test(text) || text.includes('\n')) return undefined;
  if (/^https?:\/\/[^\s@]+$/.test(text)) return { kind: 'url', target: text, tooltip: 'Open the address' };
  if (!FILES.includes(path) || text === '') return undefined;
  // A tokenizer is a name on the hub unless it looks like a path.
  if (path.startsWith('tokenizer') && !/^[./~]/.test(text)) return undefined;
  if (path === 'storage.local_storage.path' && text.includes('{timestamp}')) return undefined;
  return { kind: 'file', target: text, tooltip: 'Open the file' };
}

function codeLinks(line: string, range: TextRange): readonly Link[] {
  return [...line.matchAll(/\bCMP\d{3}\b/gi)].flatMap((match): readonly Link[] => {
    const code = match[0].toUpperCase();
    const entry = pitfallByCode(code);
    if (!entry || match.index < range.startColumn || line.slice(range.startColumn, match.index).includes('because'))
      return [];
    const place = {
      startLine: range.startLine,
      endLine: range.startLine,
      startColumn: match.index,
      endColumn: match.index + 6,
    };
    return [{ kind: 'pitfall', target: docsAnchor(code), tooltip: entry.title, range: place }];
  });
}
