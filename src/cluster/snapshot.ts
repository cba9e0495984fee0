// The stack behind a target at one moment: containers by role, pods, workloads, devices, nodes, routing. From running pods first.
import { podAccelerators, productOf } from './accelerators';
import { commandLine, withoutSecretVariables } from './argv';
import { allOf, knownVariables, variablesOf, wordsIn } from './container';
import { engineOf } from './evidence';
import { isReady, labelsOf, list, metaOf, number, Objects, part, selects, text, containersOf } from './objects';
import { isOneRelease, pickerParts, poolSelector, routerParts, routingOf } from './routing';
import type { StackContainer, StackPod, StackSnapshot } from './snapshot-schema';
import type { KubeObject, Target } from './types';
import { partsOf, templatesOf, type Part } from './workloads';
import { withoutSecretText } from '../config/secret-names';

export interface Moment {
  /** On the run's clock; negative before its zero. */
  readonly atSeconds: number;
  /** What was sent to: `svc/vllm:80`. */
  readonly target: string;
  readonly clusterVersion?: string;
  /** Kinds that could not be read, each with its reason. */
  readonly missing?: StackSnapshot['missing'];
}

interface RolePart {
  readonly role: string;
  readonly part: Part;
}

/** @param objects everything that was read of the namespace, and nodes where they may be read */
export function snapshotOf(
  objects: readonly KubeObject[],
  target: Pick<Target, 'kind' | 'name' | 'namespace'>,
  { atSeconds, target: spelling, clusterVersion, missing = [] }: Moment,
): StackSnapshot {
  const read = new Objects(objects);
  const members = membersOf(read, target);
  const nodeNames = new Set(
    members.flatMap(({ part: { pods } }) => pods.map((pod) => text(part(pod, 'spec')['nodeName']))),
  );
  return {
    atSeconds,
    namespace: target.namespace,
    target: spelling,
    ...(clusterVersion === undefined ? {} : { clusterVersion }),
    containers: members.flatMap(containersIn),
    workloads: members.map((member) => workloadOf(read, member)),
    pods: members.flatMap((member) => member.part.pods.map((pod) => podFacts(pod, member))),
    accelerators: members.flatMap(({ role, part: { spec } }) =>
      podAccelerators(spec).map(({ resource, count }) => devicesOf(read, role, spec, resource, count)),
    ),
    nodes: read
      .of('Node')
      .filter((node) => nodeNames.has(metaOf(node).name))
      .map((node) => ({ name: metaOf(node).name, facts: nodeFacts(node) })),
    routing: routingOf(
      read,
      members.map((member) => member.part),
    ),
    missing: [...missing],
  };
}

/** The target's own parts, what a Service or a pool takes together with them, the routers and the endpoint picker before them. */
function membersOf(objects: Objects, target: Pick<Target, 'kind' | 'name' | 'namespace'>): RolePart[] {
  const parts = partsOf(objects);
  const own = parts.filter(
    (one) => one.kind === target.kind && one.name === target.name && one.namespace === target.namespace,
  );
  const selectors = [
    ...objects.of('Service').map((service) => ({ service, selector: labelsOf(part(service, 'spec')['selector']) })),
    ...objects.of('InferencePool').map((service) => ({ service, selector: poolSelector(service) })),
  ].filter(
    ({ service, selector }) =>
      metaOf(service).namespace === target.namespace && own.some((one) => selects(selector, one.labels)),
  );
  const together = parts.filter(
    (one) =>
      !own.includes(one) &&
      one.namespace === target.namespace &&
      one.evidence !== undefined &&
      (selectors.some(({ selector }) => selects(selector, one.labels)) ||
        // Workers behind a frontend have no Service of their own.
        (one.evidence.silent === true && own.some((other) => isOneRelease(one, other)))),
  );
  const served = [...own, ...together];
  const before = [
    ...routerParts(objects, own, parts).map((one) => ({ role: 'router', part: one })),
    ...pickerParts(objects, own, parts).map((one) => ({ role: 'endpoint-picker', part: one })),
  ].filter((one) => !served.includes(one.part));
  return [
    ...served.map((one) => ({ role: one.role ?? (one.evidence?.silent === true ? 'worker' : 'server'), part: one })),
    ...before,
  ];
}

function podsOrTemplate({ pods, spec }: Part): readonly KubeObject[] {
  return pods.length > 0 ? pods : [{ spec }];
}

/** Containers that differ between pods stand one by one, each with how many pods run it. */
function containersIn({ role, part: member }: RolePart): StackContainer[] {
  const kinds = new Map<string, { container: KubeObject; digests: (string | undefined)[] }>();
  for (const pod of podsOrTemplate(member)) {
    for (const container of containersOf(part(pod, 'spec'))) {
      const key = JSON.stringify([
        container['name'],
        container['image'],
        container['command'],
        container['args'],
        container['env'],
      ]);
      const entry = kinds.get(key) ?? { container, digests: [] };
      entry.digests.push(digestOf(pod, container));
      kinds.set(key, entry);
    }
  }
  const template = member.scaled ? templatesOf(member.scaled)[0] : undefined;
  const planned = template && new Set(containersOf(part(template, 'spec')).map((container) => container['name']));
  return [...kinds.values()].map(({ container, digests }) => {
    const evidence = engineOf(container);
    const serves = evidence !== undefined && evidence.container === member.evidence?.container;
    const command = commandLine(
      [...wordsIn(container['command']), ...wordsIn(container['args'])],
      knownVariables(container['env']),
    );
    const everything = allOf(container['envFrom']);
    const resources = { ...part(container, 'resources', 'requests'), ...part(container, 'resources', 'limits') };
    const isAlone = role === 'router' || role === 'endpoint-picker';
    const counted = [...new Set(digests)].filter((digest) => digest !== undefined);
    return {
      role: serves || isAlone ? role : 'sidecar',
      workload: `${member.kind} ${member.name}`,
      name: text(container['name']) ?? '',
      ...(serves ? { engine: evidence.engine } : {}),
      ...(serves && evidence.model !== undefined ? { model: withoutSecretText(evidence.model) } : {}),
      ...(text(container['image']) === undefined ? {} : { image: withoutSecretText(text(container['image'])!) }),
      digests: counted.map((digest) => ({ digest, pods: digests.filter((one) => one === digest).length })),
      args: command.args,
      env: {
        ...withoutSecretVariables(variablesOf(container['env'])),
        ...command.env,
        ...(everything === undefined ? {} : { envFrom: everything }),
      },
      ...(Object.keys(resources).length === 0
        ? {}
        : { resources: Object.fromEntries(Object.entries(resources).map(([name, value]) => [name, String(value)])) }),
      ...(planned && planned.size > 0 && !planned.has(container['name']) ? { injected: true } : {}),
    };
  });
}

function statusOf(pod: KubeObject, name: unknown): KubeObject {
  const status = part(pod, 'status');
  const all = [...list(status['containerStatuses']), ...list(status['initContainerStatuses'])];
  return all.find((one) => one['name'] === name) ?? {};
}

/**
 * The digest that runs. A pulled image's is its manifest's; a locally loaded one has that of its config, which is another number for the
 * same image: the two are never alike.
 */
function digestOf(pod: KubeObject, container: KubeObject): string | undefined {
  const id = text(statusOf(pod, container['name'])['imageID']);
  if (id === undefined) return undefined;
  const [, digest] = /(sha256:[0-9a-f]+)$/.exec(id) ?? [];
  return digest === undefined ? id : id.includes('@') ? digest : `config ${digest}`;
}

function podFacts(pod: KubeObject, { role, part: member }: RolePart): StackPod {
  const { name, uid } = metaOf(pod);
  const [node, qos] = [text(part(pod, 'spec')['nodeName']), text(part(pod, 'status')['qosClass'])];
  return {
    name,
    uid,
    role,
    workload: `${member.kind} ${member.name}`,
    ...(node === undefined ? {} : { node }),
    ready: isReady(pod),
    ...(qos === undefined ? {} : { qos }),
    containers: containersOf(part(pod, 'spec')).map((container) => {
      const status = statusOf(pod, container['name']);
      const [containerId, digest, lastEnd] = [text(status['containerID']), digestOf(pod, container), endOf(status)];
      return {
        name: text(container['name']) ?? '',
        restarts: number(status['restartCount']) ?? 0,
        ...(containerId === undefined ? {} : { containerId }),
        ...(digest === undefined ? {} : { digest }),
        ...(lastEnd === undefined ? {} : { lastEnd }),
      };
    }),
  };
}

/** "OOMKilled (exit 137)". */
function endOf(status: KubeObject): string | undefined {
  const ended = part(status, 'lastState', 'terminated');
  const code = number(ended['exitCode']);
  if (code === undefined) return undefined;
  return `${text(ended['reason']) ?? 'ended'} (exit ${code})`;
}

function workloadOf(objects: Objects, { role, part: member }: RolePart): StackSnapshot['workloads'][number] {
  const scaled = member.scaled ? metaOf(member.scaled) : { kind: member.kind, name: member.name };
  const { wanted, ready, podsEach } = member.replicas;
  const autoscaler = autoscalerOf(objects, scaled.kind, scaled.name, member.namespace);
  const rollout = rolloutOf(member);
  return {
    kind: scaled.kind,
    name: scaled.name,
    role,
    ...(wanted === undefined ? {} : { wanted }),
    ...(ready === undefined ? {} : { ready }),
    ...(podsEach > 1 ? { podsEach } : {}),
    ...(autoscaler === undefined ? {} : { autoscaler }),
    ...(rollout === undefined ? {} : { rollout }),
  };
}

function autoscalerOf(objects: Objects, kind: string, name: string, namespace: string): string | undefined {
  const found = ['HorizontalPodAutoscaler', 'ScaledObject', 'VariantAutoscaling']
    .flatMap((one) => objects.of(one))
    .find((one) => {
      const reference = part(one, 'spec', 'scaleTargetRef');
      const isKind = (text(reference['kind']) ?? 'Deployment') === kind;
      return metaOf(one).namespace === namespace && isKind && reference['name'] === name;
    });
  if (!found) return undefined;
  const spec = part(found, 'spec');
  const least = number(spec['minReplicas']) ?? number(spec['minReplicaCount']);
  const most = number(spec['maxReplicas']) ?? number(spec['maxReplicaCount']);
  return `${metaOf(found).kind} ${metaOf(found).name}, ${least ?? '?'} to ${most ?? '?'}`;
}

function rolloutOf({ pods, scaled }: Part): string | undefined {
  const hashes = new Set(
    pods.map((pod) => metaOf(pod).labels['pod-template-hash'] ?? metaOf(pod).labels['controller-revision-hash']),
  );
  if (hashes.size > 1) return `pods of ${hashes.size} templates run`;
  const [wanted, seen] = [
    number(part(scaled, 'metadata')['generation']),
    number(part(scaled, 'status')['observedGeneration']),
  ];
  return wanted !== undefined && seen !== undefined && seen < wanted
    ? 'the newest template is not rolled out yet'
    : undefined;
}

function devicesOf(
  objects: Objects,
  role: string,
  spec: KubeObject,
  resource: string,
  perPod: number,
): StackSnapshot['accelerators'][number] {
  const { product, from } = productOf(spec, objects);
  const node = objects.of('Node').find((one) => metaOf(one).name === spec['nodeName']);
  const labels = node ? metaOf(node).labels : {};
  const older = ['major', 'minor', 'rev']
    .map((one) => labels[`nvidia.com/cuda.driver.${one}`])
    .filter((one) => one !== undefined);
  const driver = labels['nvidia.com/cuda.driver-version.full'] ?? (older.length > 0 ? older.join('.') : undefined);
  const copies = Number(labels['nvidia.com/gpu.replicas'] ?? 1);
  const mig = labels['nvidia.com/mig.strategy'];
  const shared = [
    copies > 1 || resource.endsWith('.shared') ? `time slicing, ${copies} to a device` : undefined,
    mig !== undefined && mig !== 'none' ? `MIG ${mig}` : undefined,
  ].filter((one) => one !== undefined);
  return {
    role,
    resource,
    perPod,
    ...(product === undefined ? {} : { product }),
    ...(driver === undefined ? {} : { driver }),
    ...(shared.length > 0 ? { shared: shared.join(', ') } : {}),
    from,
  };
}

const NODE_LABELS =
  /^(?:nvidia\.com\/(?:gpu\.(?:product|memory|count|family)|cuda\.|mig\.strategy)|amd\.com\/gpu\.|cloud\.google\.com\/gke-|node\.kubernetes\.io\/instance-type$|topology\.kubernetes\.io\/zone$)/;

/** Labels of device plugins and clouds, and what the node says of its software. Annotations never: they repeat secrets in clear. */
function nodeFacts(node: KubeObject): Record<string, string> {
  const info = part(node, 'status', 'nodeInfo');
  const said = ['kubeletVersion', 'osImage', 'kernelVersion', 'containerRuntimeVersion', 'architecture'];
  return Object.fromEntries([
    ...Object.entries(metaOf(node).labels).filter(([name]) => NODE_LABELS.test(name)),
    ...said.flatMap((key): [string, string][] => (text(info[key]) === undefined ? [] : [[key, text(info[key])!]])),
  ]);
}
