// Pods by the workload they belong to and the part they play in it, with the engine found in them.
import { acceleratorsOf } from './accelerators';
import { engineOf } from './evidence';
import { containersOf, isAlive, isReady, labelsOf, list, metaOf, number, part, text, type Objects } from './objects';
import type { EngineEvidence, KubeObject, Target } from './types';

/** Pods of one workload that play one part; without pods what its template would start. */
export interface Part {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly role?: string;
  readonly evidence?: EngineEvidence;
  readonly replicas: Target['replicas'];
  /** The object that scales it, where it was read: not always the topmost. */
  readonly scaled?: KubeObject;
  readonly pods: readonly KubeObject[];
  /** Labels and spec of its pods. */
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: KubeObject;
}

const SCALED = ['Deployment', 'StatefulSet', 'LeaderWorkerSet', 'DaemonSet', 'ReplicaSet'];

/** Every workload with running pods, then those that have none. */
export function partsOf(objects: Objects): Part[] {
  const groups = new Map<string, KubeObject[]>();
  for (const pod of objects.of('Pod').filter(isAlive)) {
    const { namespace, name } = metaOf(pod);
    const owners = objects.ownersOf(pod);
    const [top, scaled] = [owners.at(-1), scaledOf(objects, pod)];
    const key = [namespace, top?.kind ?? 'Pod', top?.name ?? name, scaled?.name ?? '', roleOf(pod) ?? ''].join('/');
    groups.set(key, [...(groups.get(key) ?? []), pod]);
  }
  const running = [...groups.values()].map((pods) => runningPart(objects, pods));
  const seen = new Set(running.map((one) => one.scaled).filter((object) => object !== undefined));
  const owners = new Set([...seen].flatMap((one) => objects.ownersOf(one).map((owner) => owner.object)));
  const idle = objects.all.filter((object) => !seen.has(object) && !owners.has(object));
  return [...running, ...idle.flatMap((object) => idleParts(objects, object))];
}

function scaledOf(objects: Objects, pod: KubeObject): { kind: string; name: string; object?: KubeObject } | undefined {
  const owners = objects.ownersOf(pod);
  // A LeaderWorkerSet's StatefulSets are its means.
  return (
    owners.find(({ kind }) => kind === 'LeaderWorkerSet') ??
    owners.find(({ kind }) => SCALED.includes(kind) && kind !== 'ReplicaSet') ??
    owners.find(({ kind }) => kind === 'ReplicaSet')
  );
}

/** `prefill` and `decode` by llm-d's label, leaders and workers by their index, heads of Ray. */
export function roleOf(object: { readonly metadata?: unknown }): string | undefined {
  const labels = labelsOf(part(object, 'metadata')['labels']);
  const role = labels['llm-d.ai/role'] ?? labels['ray.io/node-type'] ?? labels['kserve.io/component'];
  const index = labels['leaderworkerset.sigs.k8s.io/worker-index'];
  if (index !== undefined) return index === '0' ? (role ?? 'leader') : 'worker';
  return role === 'both' ? undefined : role;
}

function runningPart(objects: Objects, pods: readonly KubeObject[]): Part {
  const [first] = pods as [KubeObject];
  const { namespace, name, labels } = metaOf(first);
  const top = objects.ownersOf(first).at(-1) ?? { kind: 'Pod', name };
  const { object: scaled } = scaledOf(objects, first) ?? {};
  const spec = part(first, 'spec');
  const role = roleOf(first);
  const evidence = engineIn(spec) ?? rayEvidence(top.kind, 'object' in top ? top.object : undefined, role);
  const counted = replicasOf(scaled);
  const ready = counted.ready ?? pods.filter(isReady).length;
  return {
    kind: top.kind,
    name: top.name,
    namespace,
    ...(role === undefined ? {} : { role }),
    ...(evidence ? { evidence } : {}),
    replicas: { ready, wanted: counted.wanted ?? (top.kind === 'Pod' ? 1 : undefined), podsEach: counted.podsEach },
    ...(scaled ? { scaled } : {}),
    pods,
    labels,
    spec,
  } as Part;
}

/** Templates of a workload that has no pods, or of a file that lists none. */
function idleParts(objects: Objects, object: KubeObject): Part[] {
  const { kind, name, namespace } = metaOf(object);
  const counted = replicasOf(object);
  const top = objects.ownersOf(object).at(-1) ?? { kind, name };
  return templatesOf(object).flatMap((template): Part[] => {
    const spec = part(template, 'spec');
    const evidence = engineIn(spec);
    if (!evidence) return [];
    const role = roleOf(template);
    return [
      {
        kind: top.kind,
        name: top.name,
        namespace,
        ...(role === undefined ? {} : { role }),
        evidence,
        replicas: counted,
        scaled: object,
        pods: [],
        labels: labelsOf(part(template, 'metadata')['labels']),
        spec,
      },
    ];
  });
}

/** Pod templates by where a kind keeps them; only a LeaderWorkerSet's leader serves. */
export function templatesOf(object: KubeObject): KubeObject[] {
  const spec = part(object, 'spec');
  switch (object['kind']) {
    case 'Deployment':
    case 'StatefulSet':
    case 'DaemonSet':
      return [part(spec, 'template')];
    case 'LeaderWorkerSet': {
      const group = part(spec, 'leaderWorkerTemplate');
      return [group['leaderTemplate'] === undefined ? part(group, 'workerTemplate') : part(group, 'leaderTemplate')];
    }
    case 'InferenceService': {
      const predictor = part(spec, 'predictor');
      const { model } = predictor as { model?: unknown };
      const containers = model === undefined ? list(predictor['containers']) : [part(predictor, 'model')];
      return [{ metadata: part(object, 'metadata'), spec: { ...predictor, containers } }];
    }
    default:
      return [];
  }
}

/** The container that serves, whichever stands first: with accelerators before one without. */
export function engineIn(podSpec: KubeObject): EngineEvidence | undefined {
  const found = containersOf(podSpec).flatMap((container) => {
    const evidence = engineOf(container);
    return evidence ? [{ evidence, hasDevices: acceleratorsOf(container).length > 0 }] : [];
  });
  return (found.find(({ hasDevices }) => hasDevices) ?? found[0])?.evidence;
}

/** Ray's pods start Ray alone: what they serve stands in the RayService. */
function rayEvidence(
  kind: string,
  object: KubeObject | undefined,
  role: string | undefined,
): EngineEvidence | undefined {
  const config = text(part(object, 'spec')['serveConfigV2']);
  if (kind !== 'RayService' || config === undefined || role !== 'head') return undefined;
  const [, application] = /import_path:\s*["']?([\w.:-]+)/.exec(config) ?? [];
  const [, model] = /model_id:\s*["']?([^\s"']+)/.exec(config) ?? [];
  return {
    engine: 'ray-serve',
    reasons: [`RayService’s serveConfigV2${application === undefined ? '' : ` (${application})`}`],
    container: 'ray-head',
    ...(model === undefined ? {} : { model }),
    port: 8000,
    readyPaths: ['/-/healthz', '/v1/models'],
  };
}

/** Wanted is one where a workload does not say it; pods of a group are a LeaderWorkerSet's size. */
export function replicasOf(object: KubeObject | undefined): Target['replicas'] {
  if (!object) return { podsEach: 1 };
  const [spec, status] = [part(object, 'spec'), part(object, 'status')];
  const podsEach = number(part(spec, 'leaderWorkerTemplate')['size']) ?? 1;
  const isDaemon = object['kind'] === 'DaemonSet';
  const wanted = isDaemon ? number(status['desiredNumberScheduled']) : (number(spec['replicas']) ?? 1);
  const known = Object.keys(status).length > 0;
  const ready = number(status[isDaemon ? 'numberReady' : 'readyReplicas']) ?? (known ? 0 : undefined);
  const isScaled = SCALED.includes(String(object['kind']));
  return {
    ...(isScaled && ready !== undefined ? { ready } : {}),
    ...(isScaled && wanted !== undefined ? { wanted } : {}),
    podsEach,
  };
}
