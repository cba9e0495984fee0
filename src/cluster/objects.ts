// Objects of a cluster by kind and name, their owners up to the top, and which labels a selector takes.
import { isObject } from '../own';
import type { KubeObject } from './types';

export interface Meta {
  readonly kind: string;
  /** Group of its apiVersion; empty for the core. */
  readonly group: string;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A pod's owner: an object that was read, or a reference to one that was not. */
export interface Owner {
  readonly kind: string;
  readonly name: string;
  readonly object?: KubeObject;
}

/** A field that is an object, else an empty one. */
export function part(value: unknown, ...path: readonly string[]): KubeObject {
  let at: unknown = value;
  for (const key of path) at = isObject(at) ? at[key] : undefined;
  return isObject(at) ? at : {};
}

export function list(value: unknown): KubeObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Ports, replicas, restarts: all numbers of these objects are counts. */
export function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
}

/** Asked again and again of the same thousands of objects. */
const METAS = new WeakMap<KubeObject, Meta>();

export function metaOf(object: KubeObject): Meta {
  const known = METAS.get(object);
  if (known) return known;
  const meta = readMeta(object);
  METAS.set(object, meta);
  return meta;
}

function readMeta(object: KubeObject): Meta {
  const metadata = part(object, 'metadata');
  const api = text(object['apiVersion']) ?? '';
  return {
    kind: text(object['kind']) ?? '',
    group: api.includes('/') ? api.slice(0, api.indexOf('/')) : '',
    name: text(metadata['name']) ?? '',
    namespace: text(metadata['namespace']) ?? 'default',
    uid: text(metadata['uid']) ?? '',
    labels: labelsOf(metadata['labels']),
  };
}

export function labelsOf(value: unknown): Readonly<Record<string, string>> {
  const pairs = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
}

/** Every label of the selector, with its value; an empty selector takes nothing. */
export function selects(selector: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>>): boolean {
  const pairs = Object.entries(selector);
  return pairs.length > 0 && pairs.every(([name, value]) => Object.hasOwn(labels, name) && labels[name] === value);
}

/** A list's objects (`kind: List`), which in a typed one (`PodList`) need not say their kind again; any other object itself. */
export function itemsOf(object: KubeObject): KubeObject[] {
  if (!Array.isArray(object['items'])) return [object];
  const kind = /^(.+)List$/.exec(text(object['kind']) ?? '')?.[1];
  return list(object['items']).map((item) =>
    item['kind'] === undefined && kind !== undefined ? { kind, apiVersion: object['apiVersion'], ...item } : item,
  );
}

export class Objects {
  readonly all: readonly KubeObject[];
  readonly #named = new Map<string, KubeObject>();
  readonly #kinds = new Map<string, KubeObject[]>();

  /** Lists within (`kind: List`, `PodList`) give each of theirs. */
  constructor(objects: readonly KubeObject[]) {
    this.all = objects.flatMap(itemsOf);
    for (const object of this.all) {
      const { kind, namespace, name } = metaOf(object);
      this.#named.set(`${kind}/${namespace}/${name}`, object);
      const all = this.#kinds.get(kind);
      if (all) all.push(object);
      else this.#kinds.set(kind, [object]);
    }
  }

  of(kind: string): readonly KubeObject[] {
    return this.#kinds.get(kind) ?? [];
  }

  find(kind: string, namespace: string, name: string): KubeObject | undefined {
    return this.#named.get(`${kind}/${namespace}/${name}`);
  }

  /** Owners from the nearest to the topmost. What may not be read ends the chain with its reference. */
  ownersOf(object: KubeObject): Owner[] {
    const chain: Owner[] = [];
    let at: KubeObject | undefined = object;
    while (at !== undefined && chain.length < 10) {
      const { namespace } = metaOf(at);
      const references = list(part(at, 'metadata')['ownerReferences']);
      const reference = references.find((one) => one['controller'] === true) ?? references[0];
      const [kind, name] = [text(reference?.['kind']), text(reference?.['name'])];
      if (kind === undefined || name === undefined) break;
      const next: KubeObject | undefined = this.find(kind, namespace, name);
      chain.push({ kind, name, ...(next ? { object: next } : {}) });
      at = next;
    }
    const { labels, namespace } = metaOf(object);
    const last = chain.at(-1);
    const hash = labels['pod-template-hash'];
    // A ReplicaSet that was not read bears its Deployment's name before the hash.
    if (last?.kind === 'ReplicaSet' && !last.object && hash !== undefined && last.name.endsWith(`-${hash}`))
      chain.push(this.#owner('Deployment', namespace, last.name.slice(0, -hash.length - 1)));
    for (const [label, kind] of NAMED_BY) {
      const name = labels[label];
      if (name !== undefined && !chain.some((owner) => owner.kind === kind))
        chain.push(this.#owner(kind, namespace, name));
    }
    return chain;
  }

  #owner(kind: string, namespace: string, name: string): Owner {
    const object = this.find(kind, namespace, name);
    return { kind, name, ...(object ? { object } : {}) };
  }
}

/** Labels by which a controller names itself on its pods. */
const NAMED_BY: readonly (readonly [string, string])[] = [
  ['leaderworkerset.sigs.k8s.io/name', 'LeaderWorkerSet'],
  ['serving.kserve.io/inferenceservice', 'InferenceService'],
];

export function isReady(pod: KubeObject): boolean {
  const metadata = part(pod, 'metadata');
  const conditions = list(part(pod, 'status')['conditions']);
  return (
    metadata['deletionTimestamp'] === undefined &&
    conditions.some((condition) => condition['type'] === 'Ready' && condition['status'] === 'True')
  );
}

/** Pods that ended or are on their way out serve nothing. */
export function isAlive(pod: KubeObject): boolean {
  const phase = part(pod, 'status')['phase'];
  return part(pod, 'metadata')['deletionTimestamp'] === undefined && phase !== 'Succeeded' && phase !== 'Failed';
}

/** Containers that run beside each other: native sidecars are init containers that always restart. */
export function containersOf(podSpec: KubeObject): KubeObject[] {
  const sidecars = list(podSpec['initContainers']).filter((container) => container['restartPolicy'] === 'Always');
  return [...list(podSpec['containers']), ...sidecars];
}
