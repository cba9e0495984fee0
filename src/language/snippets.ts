// Text that completion inserts for a key: its children that must be there, a first stage, a distribution. VS Code's snippet syntax.
import type { ConfigPath } from '../problem';
import { fieldsUnder, type FieldInfo } from '../config/model/fields';
import { own } from '../own';

export interface Place {
  readonly loadType: string | undefined;
  /** Column of the key. */
  readonly indent: number;
  readonly flow: boolean;
}

export interface Snippet {
  readonly label: string;
  readonly detail: string;
  /** Lines without the key's own indentation. */
  readonly lines: readonly string[];
}

const STAGES: Readonly<Record<string, readonly string[]>> = {
  open: ['- rate: ${1:5}', '  duration: ${2:60}'],
  concurrent: ['- num_requests: ${1:320}', '  concurrency_level: ${2:8}'],
  trace_session_replay: ['- concurrent_sessions: ${1:8}'],
};

/** The lines of one stage of a load type. */
export function stageLines(loadType: string | undefined): readonly string[] {
  return own(STAGES, loadType ?? 'open') ?? STAGES['open']!;
}

const LADDERS: Readonly<Record<string, readonly string[]>> = {
  open: [
    '- rate: ${1:5}',
    '  duration: ${2:30} # isoperf: warmup',
    '- rate: ${1:5}',
    '  duration: ${3:120}',
    '- rate: ${4:10}',
    '  duration: ${3:120}',
    '- rate: ${5:20}',
    '  duration: ${3:120}',
  ],
  concurrent: [
    '- num_requests: ${1:80}',
    '  concurrency_level: ${2:8} # isoperf: warmup',
    '- num_requests: ${3:320}',
    '  concurrency_level: ${2:8}',
    '- num_requests: ${4:640}',
    '  concurrency_level: ${5:16}',
  ],
};

/** Warm-up and a ladder of measured stages; undefined for load types that have none. */
export function ladder(loadType: string | undefined): Snippet | undefined {
  const lines = own(
    LADDERS,
    loadType === 'constant' || loadType === 'poisson' || loadType === undefined ? 'open' : loadType,
  );
  if (!lines) return undefined;
  return { label: 'stages: warm-up and a ladder', detail: 'a marked warm-up stage, then rising load', lines };
}

/** Shapes of a distribution, each with every figure it depends on written out. */
export const DISTRIBUTIONS: readonly Snippet[] = [
  { label: 'fixed', detail: 'always the same length', lines: ['type: fixed', 'mean: ${1:128}'] },
  {
    label: 'normal',
    detail: 'bell shape, clamped to min..max',
    lines: ['type: normal', 'mean: ${1:512}', 'std_dev: ${2:128}', 'min: ${3:64}', 'max: ${4:960}'],
  },
  {
    label: 'lognormal',
    detail: 'many short, few long, clamped to min..max',
    lines: ['type: lognormal', 'mean: ${1:512}', 'std_dev: ${2:400}', 'min: ${3:16}', 'max: ${4:4096}'],
  },
  {
    label: 'uniform',
    detail: 'every length from min to max',
    lines: ['type: uniform', 'min: ${1:64}', 'max: ${2:512}'],
  },
];

export function isDistribution(path: ConfigPath): boolean {
  const names = fieldsUnder(path).map((field) => field.name);
  return names.includes('std_dev') && names.includes('min');
}

/** What follows `key:` when a key is chosen. */
export function keySnippet(field: FieldInfo, place: Place): string {
  const name = field.name;
  if (field.types.includes('mapping') && !field.types.some((type) => type === 'whole number' || type === 'text'))
    return mappingSnippet(field, place);
  if (field.types.includes('list')) {
    if (place.flow) return `${name}: [$0]`;
    const isStages = field.path.join('.') === 'load.stages';
    return block(name, isStages ? stageLines(place.loadType) : ['- $0'], place.indent);
  }
  return `${name}: ${scalarSnippet(field)}`;
}

function mappingSnippet(field: FieldInfo, place: Place): string {
  if (place.flow) return `${field.name}: { $0 }`;
  const lines = isDistribution(field.path)
    ? DISTRIBUTIONS[0]!.lines
    : fieldsUnder(field.path, place.loadType)
        .filter((child) => child.required)
        .map((child, index) => `${child.name}: ${scalarSnippet(child, index + 1)}`);
  return block(field.name, lines.length === 0 ? ['$0'] : lines, place.indent);
}

/** `key:` with lines under it, indented by two. */
export function block(name: string, lines: readonly string[], indent: number): string {
  const lead = ' '.repeat(indent + 2);
  return [`${name}:`, ...lines.map((line) => lead + line)].join('\n');
}

const EXAMPLES: Readonly<Record<string, string>> = {
  base_url: 'http://localhost:8000',
  rate: '5',
  duration: '60',
  num_requests: '320',
  concurrency_level: '8',
  concurrent_sessions: '8',
  threshold: '5',
  window_sec: '60',
};

/** A word's list is offered after the insertion; a number stands selected with its default. */
function scalarSnippet(field: FieldInfo, stop = 1): string {
  if (field.enumValues) return field.required ? `\${${stop}|${Object.keys(field.enumValues).join(',')}|}` : '';
  const example = own(EXAMPLES, field.name);
  if (example !== undefined) return `\${${stop}:${example}}`;
  const standard = field.default?.value;
  if (typeof standard === 'number') return `\${${stop}:${standard}}`;
  if (typeof standard === 'boolean') return `\${${stop}|${standard ? 'false,true' : 'true,false'}|}`;
  return `$${stop}`;
}
