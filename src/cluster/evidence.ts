// Which engine a container runs, by evidence: what it starts, its image together with flags, variables, ports. Never a name alone.
import { isObject } from '../own';
import { acceleratorsOf } from './accelerators';
import { commandLine } from './argv';
import { knownVariables, plain, wordsIn } from './container';
import { ENGINES, refuted, startOf, type Engine } from './engines';
import { flagsOf } from './flags';
import type { EngineEvidence, KubeObject } from './types';

/** Undefined: nothing shows that this container serves a model. */
export function engineOf(container: KubeObject): EngineEvidence | undefined {
  const variables = knownVariables(container['env']);
  const command = wordsIn(container['command']);
  const { args, env } = commandLine([...command, ...wordsIn(container['args'])], variables);
  const names = [...variables.keys(), ...Object.keys(env)];
  const value = (name: string): string | undefined => env[name] ?? variables.get(name)?.join(' ');
  const image = typeof container['image'] === 'string' ? container['image'] : '';
  const found = byStart(args) ?? byImage(container, { args, names, image, command }) ?? byFlags(args);
  if (!found) return undefined;
  const { engine } = found;
  const flags = flagsOf(args).values;
  const given = (keys: readonly string[] | undefined): string | undefined =>
    keys?.map((key) => flags.get(key)).find((text) => text !== undefined && text !== 'on' && text !== 'off');
  const servedName = given(engine.served)?.split(/\s+/)[0];
  const model =
    given(engine.model) ??
    found.positional ??
    engine.modelEnv?.map(value).find((text) => text !== undefined) ??
    (engine.name === 'nim' ? /(?:^|\/)nim\/([^:@]+)/.exec(image)?.[1] : undefined);
  return {
    engine: engine.name,
    reasons: [...found.reasons, ...corroborated(container, engine, { args, names, image }, found.reasons)],
    container: plain(container['name'] ?? ''),
    ...(model === undefined ? {} : { model }),
    ...(servedName === undefined ? {} : { servedName }),
    ...(engine.silent?.test(args.join(' ')) === true ? { silent: true as const } : {}),
    port: portOf(container, engine, flags, value),
    readyPaths: engine.ready,
  };
}

interface Shown {
  readonly args: readonly string[];
  readonly names: readonly string[];
  readonly image: string;
}

interface Finding {
  readonly engine: Engine;
  readonly reasons: readonly string[];
  /** The model where it stands without a flag: `vllm serve M`. */
  readonly positional?: string;
}

function byStart(args: readonly string[]): Finding | undefined {
  const start = startOf(args);
  if (!start) return undefined;
  const after = args.join(' ').slice(start.at).trim();
  const [first = ''] = after.split(/\s+/);
  const second = first === 'serve' ? (after.split(/\s+/)[1] ?? '') : first;
  const takesOne = /^(?:vllm|tensorrt-llm|lmdeploy|mlc|sglang)$/.test(start.engine.name) && !start.isModule;
  const positional = takesOne && second !== '' && !second.startsWith('-') ? second : undefined;
  return {
    engine: start.engine,
    reasons: [`command \`${start.words}\``],
    ...(positional === undefined ? {} : { positional }),
  };
}

/** An image that starts a server by itself, with one more sign of the same engine. */
function byImage(container: KubeObject, shown: Shown & { readonly command: readonly string[] }): Finding | undefined {
  // A command of its own replaces what the image would start.
  if (shown.command.length > 0 || refuted(shown.args)) return undefined;
  const engine = ENGINES.find(({ image }) => image?.test(shown.image));
  if (!engine) return undefined;
  const reason = `image ${withoutTag(shown.image)} with its own entrypoint`;
  if (corroborated(container, engine, shown, [reason]).length === 0) return undefined;
  const [first] = shown.args;
  const isModel = engine.name === 'vllm' && first !== undefined && /^[\w.-]+\/[\w.-]+$/.test(first);
  return { engine, reasons: [reason], ...(isModel ? { positional: first } : {}) };
}

/** A start script under any name: two flags that are the engine's own show it. */
function byFlags(args: readonly string[]): Finding | undefined {
  if (refuted(args)) return undefined;
  const given = flagsOf(args).values;
  const ranked = ENGINES.map((engine) => ({ engine, own: engine.flags.filter((flag) => given.has(flag)) }))
    .filter(({ own }) => own.length >= 2)
    .sort((a, b) => b.own.length - a.own.length);
  const [best, next] = ranked;
  if (!best || best.own.length === next?.own.length) return undefined;
  return { engine: best.engine, reasons: [flagWords(best.own)] };
}

function flagWords(own: readonly string[]): string {
  return `flags ${own
    .slice(0, 3)
    .map((flag) => `--${flag}`)
    .join(', ')}`;
}

/** Signs beside the one it was found by. */
function corroborated(container: KubeObject, engine: Engine, shown: Shown, said: readonly string[]): string[] {
  const given = flagsOf(shown.args).values;
  const own = [...new Set([...engine.flags, ...engine.model])].filter((flag) => given.has(flag));
  const env = shown.names.filter((name) => engine.env?.test(name));
  const probe = probePaths(container).find((path) => engine.ready.includes(path));
  const port = portsOf(container).find(({ number }) => number === engine.port);
  const gpus = acceleratorsOf(container);
  const reasons = [
    engine.image?.test(shown.image) === true ? `image ${withoutTag(shown.image)}` : undefined,
    own.length > 0 && !said.some((one) => one.startsWith('flags ')) ? flagWords(own) : undefined,
    env.length > 0 ? `environment ${env.slice(0, 2).join(', ')}` : undefined,
    probe === undefined ? undefined : `probe ${probe}`,
    port ? `port ${port.number}` : undefined,
    gpus.length > 0 ? `${gpus[0]!.count} x ${gpus[0]!.resource}` : undefined,
  ];
  return reasons.filter((reason) => reason !== undefined && !said.some((one) => one.startsWith(reason))) as string[];
}

function withoutTag(image: string): string {
  const at = image.indexOf('@');
  const bare = at < 0 ? image : image.slice(0, at);
  const colon = bare.indexOf(':', bare.lastIndexOf('/') + 1);
  return colon < 0 ? bare : bare.slice(0, colon);
}

interface Port {
  readonly name: string | undefined;
  readonly number: number;
}

export function portsOf(container: KubeObject): Port[] {
  if (!Array.isArray(container['ports'])) return [];
  return container['ports'].flatMap((port: unknown): Port[] =>
    isObject(port) && typeof port['containerPort'] === 'number'
      ? [{ name: typeof port['name'] === 'string' ? port['name'] : undefined, number: port['containerPort'] }]
      : [],
  );
}

function portOf(
  container: KubeObject,
  engine: Engine,
  flags: ReadonlyMap<string, string>,
  value: (name: string) => string | undefined,
): number {
  const said = [
    ...['port', 'server-port', 'http-port', 'p'].map((flag) => flags.get(flag)),
    ...(engine.portEnv ?? []).map((name) => value(name)?.replace(/^.*:/, '')),
  ].find((text) => text !== undefined && /^\d+$/.test(text));
  if (said !== undefined) return Number(said);
  const ports = portsOf(container);
  const best =
    ports.find(({ number }) => number === engine.port) ??
    ports.find(({ name }) => name !== undefined && /^(?:http|openai|api|serve|web)/.test(name)) ??
    (ports.length === 1 ? ports[0] : undefined);
  return best?.number ?? engine.port;
}

function probePaths(container: KubeObject): string[] {
  return ['readinessProbe', 'livenessProbe', 'startupProbe'].flatMap((key) => {
    const probe = container[key];
    const get = isObject(probe) ? probe['httpGet'] : undefined;
    return isObject(get) && typeof get['path'] === 'string' ? [get['path']] : [];
  });
}
