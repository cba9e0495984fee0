// The stack record: what served, as `stack.yaml`, a Kubernetes manifest or a plain list of server arguments says it.
import * as z from 'zod';
import { parseDocument } from '../config/yaml/document';
import { redactText } from '../config/secrets';
import type { Problem, Result } from '../problem';

/** Names a stack record may have beside a config or in a report folder, in this order. */
export const STACK_FILES = ['stack.yaml', 'stack.yml', 'server-args.txt'] as const;

const text = z.string().optional();

export const stackSchema = z.object({
  source: z.string().meta({ description: 'File it was read from.' }),
  model: text,
  revision: text,
  quantization: text,
  engine: text.meta({ description: 'vllm, sglang, tgi, ...' }),
  engineVersion: text,
  image: text,
  args: z.array(z.string()).optional().meta({ description: 'The server’s arguments, one argv element each.' }),
  env: z.record(z.string(), z.string()).optional(),
  accelerator: text,
  replicas: z.number().optional(),
  parallelism: text.meta({ description: 'Tensor, pipeline, data, expert: "tensor 2".' }),
  route: text.meta({ description: 'How requests reach the server: direct, port-forward, gateway, in-cluster.' }),
  other: z.record(z.string(), z.string()).optional().meta({ description: 'Free keys.' }),
});
export type StackRecord = z.infer<typeof stackSchema>;

type Tree = Readonly<Record<string, unknown>>;

/** Spellings of one key; case, `_` and `-` do not matter. */
const KEYS: Readonly<Record<string, keyof StackRecord>> = {
  model: 'model',
  modelid: 'model',
  modelname: 'model',
  revision: 'revision',
  modelrevision: 'revision',
  quantization: 'quantization',
  quantisation: 'quantization',
  engine: 'engine',
  server: 'engine',
  engineversion: 'engineVersion',
  version: 'engineVersion',
  image: 'image',
  args: 'args',
  flags: 'args',
  arguments: 'args',
  command: 'args',
  env: 'env',
  environment: 'env',
  accelerator: 'accelerator',
  gpu: 'accelerator',
  hardware: 'accelerator',
  replicas: 'replicas',
  parallelism: 'parallelism',
  route: 'route',
  routing: 'route',
  routingpath: 'route',
};

/**
 * Reads a stack record. Secrets in it are removed. Problems: REP120 (not YAML and no list of arguments), REP121 (no stack in it).
 * @param section of a text that holds several lists under `# name` lines
 */
export function parseStack(source: string, file: string, section?: string): Result<StackRecord> {
  const clean = redactText(source);
  if (looksLikeArguments(clean)) return argumentsText(clean, file, section);
  const document = parseDocument(clean);
  const { value } = document;
  if (!isTree(value)) {
    const [first] = document.problems;
    return refuse('REP120', `${file} is no stack record: ${first?.message ?? 'it has no keys'}`, file);
  }
  const container = containerOf(value);
  const record = container ? { ...container, source: file } : fromKeys(value, file);
  const said = Object.entries(record).filter(([key, entry]) => key !== 'source' && entry !== undefined);
  if (said.length === 0) return refuse('REP121', `${file} says nothing of a stack`, file);
  return { ok: true, value: record, problems: [] };
}

function refuse(code: string, message: string, file: string): Result<never> {
  const remedy =
    'Write keys such as model, engine, image, args, accelerator and replicas, or name a list of server arguments';
  const problem: Problem = { code, severity: 'error', path: [], message, remedy, file };
  return { ok: false, problems: [problem] };
}

function fromKeys(value: Tree, file: string): StackRecord {
  const record: Record<string, unknown> = {};
  const other: Record<string, string> = {};
  for (const [name, entry] of Object.entries(value)) {
    if (entry === null || entry === undefined) continue;
    const key = KEYS[name.toLowerCase().replace(/[_-]/g, '')];
    const read = key === undefined ? undefined : valueOf(key, entry);
    if (key !== undefined && read !== undefined) record[key] = read;
    else other[name] = plain(entry);
  }
  return { source: file, ...record, ...(Object.keys(other).length > 0 ? { other } : {}) };
}

function valueOf(key: keyof StackRecord, entry: unknown): unknown {
  if (key === 'args') return argsOf(entry);
  if (key === 'env') return envOf(entry);
  if (key === 'replicas') return typeof entry === 'number' ? entry : undefined;
  return plain(entry);
}

/** A list is argv as it is; a text is split at blanks; a mapping is flags with values. */
function argsOf(entry: unknown): string[] | undefined {
  if (typeof entry === 'string') return entry.trim().split(/\s+/).map(hideValue);
  if (Array.isArray(entry)) return entry.map((item) => hideValue(plain(item)));
  if (!isTree(entry)) return undefined;
  return Object.entries(entry).map(([name, value]) => {
    const flag = name.startsWith('-') ? name : `--${name}`;
    return hideValue(value === true || value === null ? flag : `${flag}=${plain(value)}`);
  });
}

const SECRET_NAME = /key|token|secret|password|credential/i;

/** `--api-key=...` keeps its name only. `--max-num-batched-tokens` is no secret: tokens are counted, not hidden. */
function hideValue(argument: string): string {
  const [name = '', ...rest] = argument.split('=');
  return rest.length > 0 && SECRET_NAME.test(name) && !/tokens\b/i.test(name) ? `${name}=<removed>` : argument;
}

function envOf(entry: unknown): Record<string, string> | undefined {
  const pairs: [string, unknown][] = Array.isArray(entry)
    ? entry.flatMap((item: unknown): [string, unknown][] =>
        isTree(item) && typeof item['name'] === 'string' ? [[item['name'], item['value'] ?? '(from elsewhere)']] : [],
      )
    : isTree(entry)
      ? Object.entries(entry)
      : [];
  if (pairs.length === 0) return undefined;
  return Object.fromEntries(pairs.map(([name, value]) => [name, SECRET_NAME.test(name) ? '<removed>' : plain(value)]));
}

/** The first container of a Kubernetes workload. */
function containerOf(value: Tree): Omit<StackRecord, 'source'> | undefined {
  if (typeof value['kind'] !== 'string' || !isTree(value['spec'])) return undefined;
  const spec = value['spec'];
  const template = isTree(spec['template']) ? spec['template'] : undefined;
  const pod = template && isTree(template['spec']) ? template['spec'] : spec;
  const containers: unknown = pod['containers'];
  const first: unknown = Array.isArray(containers) ? containers[0] : undefined;
  if (!isTree(first)) return undefined;
  const limits = isTree(first['resources']) && isTree(first['resources']['limits']) ? first['resources']['limits'] : {};
  const gpu = Object.entries(limits).find(([name]) => /gpu|tpu|neuron|gaudi/i.test(name));
  const selector = isTree(pod['nodeSelector']) ? Object.entries(pod['nodeSelector']) : [];
  const kind = selector.find(([name]) => /accelerator|gpu/i.test(name))?.[1];
  const accelerator = [gpu && `${plain(gpu[1])} x ${gpu[0]}`, kind && plain(kind)].filter(Boolean).join(', ');
  const args = [...(argsOf(first['command'] ?? []) ?? []), ...(argsOf(first['args'] ?? []) ?? [])];
  const env = envOf(first['env']);
  return {
    ...(typeof first['image'] === 'string' ? { image: first['image'] } : {}),
    ...(args.length > 0 ? { args } : {}),
    // A container's spec is whole: variables it does not list were not set.
    env: env ?? {},
    ...(typeof spec['replicas'] === 'number' ? { replicas: spec['replicas'] } : {}),
    ...(accelerator === '' ? {} : { accelerator }),
  };
}

/** Lines of a list of arguments, as grep cuts them out of a manifest: `12:   - "--flag=value"`, `image: x`, `- name: X`. */
const LINE = /^\s*(?:\d+[:-])?\s*(.*?)\s*$/;
const ARGUMENT = /^-\s+(["']?)(.+)\1$/;

function looksLikeArguments(source: string): boolean {
  const lines = source.split(/\r?\n/).map((line) => LINE.exec(line)?.[1] ?? '');
  const flags = lines.filter((line) => /^(?:-\s+)?["']?--?[A-Za-z]/.test(line));
  const keys = lines.filter((line) => /^(?:args|kind|model|engine)\s*:/.test(line));
  return flags.length > 0 && keys.length === 0;
}

function argumentsText(source: string, file: string, section: string | undefined): Result<StackRecord> {
  const lines = sectionOf(source.split(/\r?\n/), section);
  if (!lines) return refuse('REP121', `${file} has no list for '${section ?? ''}'`, file);
  const args: string[] = [];
  const env: Record<string, string> = {};
  let image: string | undefined;
  let name: string | undefined;
  for (const line of lines) {
    const body = LINE.exec(line)?.[1] ?? '';
    const argument = ARGUMENT.exec(body);
    const [, key = '', value = ''] = /^(?:-\s+)?(image|name|value)\s*:\s*["']?(.*?)["']?$/.exec(body) ?? [];
    if (key === 'image') image = value;
    else if (key === 'name') name = value;
    else if (key === 'value' && name !== undefined) {
      env[name] = SECRET_NAME.test(name) ? '<removed>' : value;
      name = undefined;
    } else if (argument && body !== '--') args.push(hideValue(argument[2]!));
    else if (/^--?[A-Za-z]/.test(body)) args.push(...body.split(/\s+/).map(hideValue));
  }
  const record = {
    source: file,
    ...(image === undefined ? {} : { image }),
    ...(args.length > 0 ? { args } : {}),
    // The list is the whole command: variables it does not name were not set.
    env,
  };
  return { ok: true, value: record, problems: [] };
}

/** Lines under `# name` up to the next such line; the whole text where there are no such lines. */
function sectionOf(lines: readonly string[], section: string | undefined): readonly string[] | undefined {
  const heads = lines.flatMap((line, i) => (/^#\s*\S/.test(line) ? [i] : []));
  if (heads.length === 0) return lines;
  if (section === undefined) return heads.length === 1 ? lines : undefined;
  const at = heads.find((i) => lines[i]!.replace(/^#\s*/, '').trim() === section);
  if (at === undefined) return undefined;
  return lines.slice(at + 1, heads.find((i) => i > at) ?? lines.length);
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
