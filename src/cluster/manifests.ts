// The serving container of Kubernetes manifests: of several documents, objects and containers the one that serves the model.
import { parseDocument } from '../config/yaml/document';
import { withoutSecretText } from '../config/secret-names';
import type { Problem } from '../problem';
import { commandLine, withoutSecretVariables, type CommandLine } from './argv';
import { engineOf } from './evidence';
import { flagsOf } from './flags';
import { isObject } from '../own';
import { acceleratorsOf } from './accelerators';
import { allOf, knownVariables, plain, variablesOf, wordsIn } from './container';
import { discover } from './discover';
import { itemsOf } from './objects';
import { enginesOf, recordOf } from './record';
import { snapshotOf } from './snapshot';
import type { KubeObject, Target, Workload } from './types';

/** The documents of a text one by one; a list of objects (`kubectl get -o yaml`) gives each of its own. */
export function documentsOf(source: string): { value: unknown; problems: readonly Problem[] }[] {
  const json = jsonOf(source);
  const documents = json === undefined ? yamlDocuments(source) : [{ value: json, problems: [] }];
  return documents.flatMap((document) =>
    isObject(document.value) && Array.isArray(document.value['items'])
      ? itemsOf(document.value).map((value) => ({ value, problems: [] }))
      : [document],
  );
}

/** What `-o json` prints, which may be many megabytes. */
function jsonOf(source: string): unknown {
  if (!/^\s*\{/.test(source)) return undefined;
  try {
    return JSON.parse(source) as unknown;
  } catch {
    return undefined;
  }
}

function yamlDocuments(source: string): { value: unknown; problems: readonly Problem[] }[] {
  return source
    .split(/^---(?:[ \t].*)?$/m)
    .filter((text, i, all) => all.length === 1 || text.trim() !== '')
    .map((text) => parseDocument(text));
}

/** One container of one pod of one object. */
interface Found {
  readonly object: KubeObject;
  readonly pod: KubeObject;
  readonly container: KubeObject;
  /** `leader`, `predictor`, `Deployment vllm`: for the others' sake. */
  readonly name: string;
  readonly score: number;
}

/** The server of all these objects, and in `other` what else they start; undefined when none of them has a container. */
export function workloadOf(objects: readonly KubeObject[]): Workload | undefined {
  const running = discover(objects).filter(({ pods }) => pods.length > 0);
  if (running.length > 0) return runningWorkload(objects, running);
  const found = objects
    .filter((object) => typeof object['kind'] === 'string')
    .flatMap((object) => podsOf(object, 0).flatMap((pod) => containersOf(object, pod)));
  const [first] = found;
  if (!first) return undefined;
  const server = found.reduce((best, next) => (next.score > best.score ? next : best), first);
  return describe(server, found);
}

/** Pods say what runs; a template beside them may be newer. Of several workloads the one with devices, then with most ready. */
function runningWorkload(objects: readonly KubeObject[], running: readonly Target[]): Workload {
  const rank = (target: Target): number => (target.accelerator === undefined ? 0 : 1e6) + (target.replicas.ready ?? 0);
  const target = running.reduce((best, next) => (rank(next) > rank(best) ? next : best));
  const snapshot = snapshotOf(objects, target, { atSeconds: 0, target: `${target.kind} ${target.name}` });
  const record = recordOf(snapshot);
  const others = enginesOf(snapshot)
    .slice(1)
    .map(({ role, name, image, args }): [string, string] => [
      `${role} ${name}`,
      [image ?? 'no image', ...args].join(' '),
    ]);
  return { ...record, other: { ...record.other, ...Object.fromEntries(others) } };
}

/** Every mapping that has containers, wherever a kind of object keeps its pods. */
function podsOf(value: unknown, depth: number): KubeObject[] {
  if (depth > 12) return [];
  if (Array.isArray(value)) return value.flatMap((entry) => podsOf(entry, depth + 1));
  if (!isObject(value)) return [];
  if (Array.isArray(value['containers'])) return [value];
  // KServe's predictor names its container `model`.
  if (isObject(value['model']) && ('modelFormat' in value['model'] || 'args' in value['model']))
    return [{ ...value, containers: [value['model']] }];
  return Object.values(value).flatMap((entry) => podsOf(entry, depth + 1));
}

function containersOf(object: KubeObject, pod: KubeObject): Found[] {
  const metadata = object['metadata'];
  const title = `${plain(object['kind'])} ${isObject(metadata) ? plain(metadata['name'] ?? '') : ''}`.trim();
  return (pod['containers'] as unknown[]).filter(isObject).map((container) => ({
    object,
    pod,
    container,
    name: `${title}, container ${plain(container['name'] ?? '')}`.trim(),
    score: serves(container),
  }));
}

const SIDECAR =
  /istio|envoy|linkerd|vault|fluent|otel|opentelemetry|datadog|promtail|exporter|prometheus|kube-rbac|oauth2?-proxy|cloud-?sql|dapr|nginx|haproxy|sidecar|proxyv2|log-?shipper|gateway|queue-proxy|git-sync|busybox|dcgm/i;
/** How much a container looks like the one that serves the model. */
function serves(container: KubeObject): number {
  const names = [container['name'], container['image']].filter((text) => typeof text === 'string').join(' ');
  const line = [...wordsIn(container['command']), ...wordsIn(container['args'])];
  return (
    (engineOf(container) ? 8 : 0) +
    (acceleratorOf(container) === undefined ? 0 : 4) +
    (flagsOf(line).values.has('model') ? 2 : 0) +
    (line.length === 0 ? 0 : 1) -
    (SIDECAR.test(names) ? 6 : 0)
  );
}

function describe({ object, pod, container }: Found, all: readonly Found[]): Workload {
  const command = commandOf(container);
  const evidence = engineOf(container);
  const everything = allOf(container['envFrom']);
  const selector = isObject(pod['nodeSelector']) ? Object.entries(pod['nodeSelector']) : [];
  const kind = selector.find(([name]) => /accelerator|gpu/i.test(name))?.[1];
  const accelerator = [acceleratorOf(container), kind === undefined ? undefined : plain(kind)]
    .filter((text) => text !== undefined)
    .join(', ');
  const spec = isObject(object['spec']) ? object['spec'] : {};
  const group = isObject(spec['leaderWorkerTemplate']) ? spec['leaderWorkerTemplate']['size'] : undefined;
  const others = all
    .filter((found) => found.container !== container)
    .map((found): [string, string] => [
      // The server's own object may be called anything.
      found.object === object ? `container ${plain(found.container['name'] ?? '')}` : found.name,
      inShort(found.container, found.object, object),
    ]);
  const script = command.beside.map((text, i): [string, string] => [`script, command ${i + 1}`, text]);
  const other = [...others, ...script];
  return {
    ...(evidence ? { engine: evidence.engine } : {}),
    ...(evidence?.model === undefined ? {} : { model: withoutSecretText(evidence.model) }),
    ...(typeof container['image'] === 'string' ? { image: withoutSecretText(container['image']) } : {}),
    ...(command.args.length > 0 ? { args: command.args } : {}),
    // A container's spec is whole: variables it does not list were not set.
    env: {
      ...withoutSecretVariables(variablesOf(container['env'])),
      ...command.env,
      ...(everything === undefined ? {} : { envFrom: everything }),
    },
    ...(typeof spec['replicas'] === 'number' ? { replicas: spec['replicas'] } : {}),
    ...(typeof group === 'number' ? { parallelism: `groups of ${group} pods` } : {}),
    ...(accelerator === '' ? {} : { accelerator }),
    ...(other.length > 0 ? { other: Object.fromEntries(other) } : {}),
  };
}

function commandOf(container: KubeObject): CommandLine {
  return commandLine(
    [...wordsIn(container['command']), ...wordsIn(container['args'])],
    knownVariables(container['env']),
  );
}

/** Another container in one line: enough to see that it changed. */
function inShort(container: KubeObject, owner: KubeObject, server: KubeObject): string {
  const { args } = commandOf(container);
  const spec = isObject(owner['spec']) ? owner['spec'] : {};
  const replicas = owner !== server && typeof spec['replicas'] === 'number' ? [`x ${spec['replicas']}`] : [];
  return [withoutSecretText(plain(container['image'] ?? 'no image')), ...args, ...replicas].join(' ');
}

function acceleratorOf(container: KubeObject): string | undefined {
  const [first] = acceleratorsOf(container);
  return first && `${first.count} x ${first.resource}`;
}
