// The stack record: what served, as `stack.yaml`, a Kubernetes manifest or a plain list of server arguments says it.
import * as z from 'zod';
import { kubernetesFactsSchema } from '../cluster/snapshot-schema';
import { withoutSecretFields, withoutSecretText } from '../config/secret-names';
import type { Problem, Result } from '../problem';
import { commandLine, withoutSecretArguments, withoutSecretVariables } from '../cluster/argv';
import { plain, variablesOf } from '../cluster/container';
import { documentsOf, workloadOf } from '../cluster/manifests';
import { shellWords } from '../cluster/shell';
import { isObject } from '../own';

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
  kubernetes: kubernetesFactsSchema
    .optional()
    .meta({ description: 'What the cluster said at the run’s start and end.' }),
});
export type StackRecord = z.infer<typeof stackSchema>;

/** Spellings of one key; case, `_` and `-` do not matter. */
const KEYS: ReadonlyMap<string, keyof StackRecord> = new Map(
  Object.entries({
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
  } as const),
);

/**
 * Reads a stack record. Secrets in it are removed. Problems: REP120 (not YAML and no list of arguments), REP121 (no stack in it).
 * @param section of a text that holds several lists under `# name` lines
 */
export function parseStack(source: string, file: string, section?: string): Result<StackRecord> {
  if (looksLikeArguments(source)) return argumentsText(source, file, section);
  const documents = documentsOf(source);
  const values = documents.map(({ value }) => value).filter(isObject);
  if (values.length === 0) {
    const problem = documents.flatMap(({ problems }) => problems)[0];
    const why = problem ? withoutSecretText(problem.message) : 'it has no keys';
    return refuse('REP120', `${file} is no stack record: ${why}`, file);
  }
  const workload = workloadOf(values);
  const own = values.find((value) => typeof value['kind'] !== 'string');
  const record = workload ? { source: file, ...workload } : own ? fromKeys(own, file) : { source: file };
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

function fromKeys(value: Readonly<Record<string, unknown>>, file: string): StackRecord {
  const record: Record<string, unknown> = {};
  const other: [string, string][] = [];
  for (const [name, entry] of Object.entries(value)) {
    if (entry === null || entry === undefined) continue;
    const key = KEYS.get(name.toLowerCase().replace(/[_-]/g, ''));
    const read = key === undefined ? undefined : valueOf(key, entry);
    if (key !== undefined && read !== undefined) record[key] = read;
    else other.push([name, plain(withoutSecretFields(entry, name))]);
  }
  return { source: file, ...record, ...(other.length > 0 ? { other: Object.fromEntries(other) } : {}) };
}

function valueOf(key: keyof StackRecord, entry: unknown): unknown {
  if (key === 'args') return argsOf(entry);
  if (key === 'env') return envOf(entry);
  if (key === 'replicas') return typeof entry === 'number' ? entry : undefined;
  return plain(withoutSecretFields(entry));
}

/** A list is argv as it is; a text is cut as a shell would; a mapping is flags with values. */
function argsOf(entry: unknown): string[] | undefined {
  if (typeof entry === 'string') return commandLine(shellWords(entry) ?? entry.trim().split(/\s+/)).args;
  if (Array.isArray(entry)) return commandLine(entry.map(plain)).args;
  if (!isObject(entry)) return undefined;
  const flags = Object.entries(entry).map(([name, value]) => {
    const flag = name.startsWith('-') ? name : `--${name}`;
    return value === true || value === null ? flag : `${flag}=${plain(value)}`;
  });
  return withoutSecretArguments(flags);
}

function envOf(entry: unknown): Record<string, string> | undefined {
  const pairs = isObject(entry)
    ? Object.entries(entry).map(([name, value]) => [name, plain(value)] as const)
    : variablesOf(entry);
  return pairs.length === 0 ? undefined : withoutSecretVariables(pairs);
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
  const env: [string, string][] = [];
  let image: string | undefined;
  let name: string | undefined;
  for (const line of lines) {
    const body = LINE.exec(line)?.[1] ?? '';
    const argument = ARGUMENT.exec(body);
    const [, key = '', value = ''] = /^(?:-\s+)?(image|name|value)\s*:\s*["']?(.*?)["']?$/.exec(body) ?? [];
    if (key === 'image') image = value;
    else if (key === 'name') name = value;
    else if (key === 'value' && name !== undefined) {
      env.push([name, value]);
      name = undefined;
    } else if (argument && body !== '--') args.push(argument[2]!);
    else if (/^--?[A-Za-z]/.test(body)) args.push(...(shellWords(body) ?? body.split(/\s+/)));
  }
  const record = {
    source: file,
    ...(image === undefined ? {} : { image: withoutSecretText(image) }),
    ...(args.length > 0 ? { args: withoutSecretArguments(args) } : {}),
    // The list is the whole command: variables it does not name were not set.
    env: withoutSecretVariables(env),
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
