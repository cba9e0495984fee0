// The ways to a workload's pods: through a Gateway, a router, a Service, or to one pod; each with what a port-forward would reach.
import { portsOf } from './evidence';
import {
  containersOf,
  isAlive,
  isReady,
  labelsOf,
  list,
  metaOf,
  number,
  part,
  selects,
  text,
  type Objects,
} from './objects';
import { poolSelector, routerParts } from './routing';
import type { ForwardPod, KubeObject, NoForward, Route } from './types';
import type { Part } from './workloads';

/** Best first: what users go through before what only an operator sees. */
export function routesOf(objects: Objects, served: Part, parts: readonly Part[]): Route[] {
  const port = served.evidence?.port ?? 8000;
  const services = objects.of('Service').filter((service) => leadsTo(objects, service, served));
  return [
    ...objects.of('HTTPRoute').flatMap((route) => gatewayRoutes(objects, route, served, services)),
    ...routerParts(objects, [served], parts).flatMap((router) =>
      objects
        .of('Service')
        .filter((service) => leadsTo(objects, service, router))
        .flatMap((service) => serviceRoutes(objects, service, undefined, 'router')),
    ),
    ...services.flatMap((service) => serviceRoutes(objects, service, port, 'service')),
    ...served.pods.map((pod) => podRoute(pod, port)),
  ];
}

function forwardRefusal(kind: Route['kind'], pods: readonly ForwardPod[]): Route['noForward'] {
  const ready = pods.filter((pod) => pod.ready).length;
  const refuse = (code: NoForward, words: string): Route['noForward'] => ({ code, words });
  if (pods.length === 0) return refuse('no-selector', 'no pods are known behind it');
  if (ready === 0) return refuse('no-ready-pod', `none of ${pods.length} pods is ready`);
  // A Gateway and a router spread what reaches one of their pods; a Service does not.
  if (ready > 1 && kind === 'service')
    return refuse(
      'several-pods',
      `${ready} ready pods, one would get all requests: run in the cluster, or name one pod`,
    );
  return undefined;
}

function routeTo(route: Omit<Route, 'noForward'>): Route {
  const noForward = forwardRefusal(route.kind, route.pods);
  return { ...route, ...(noForward ? { noForward } : {}) };
}

function podRoute(pod: KubeObject, port: number): Route {
  const { name } = metaOf(pod);
  const ip = text(part(pod, 'status')['podIP']);
  const host = ip?.includes(':') === true ? `[${ip}]` : ip;
  return routeTo({
    kind: 'pod',
    spelling: `pod/${name}:${port}`,
    ...(host === undefined ? {} : { url: `http://${host}:${port}` }),
    pods: [forwardPod(pod, port)],
    trace: [`Pod ${name}`],
  });
}

function forwardPod(pod: KubeObject, port: number): ForwardPod {
  const { name, uid } = metaOf(pod);
  return { name, uid, ready: isReady(pod), port };
}

const BEHIND = new WeakMap<Objects, Map<KubeObject, readonly KubeObject[]>>();

/** By its selector, or, where it has none, by its EndpointSlices. */
function podsBehind(objects: Objects, service: KubeObject): readonly KubeObject[] {
  const all = BEHIND.get(objects) ?? new Map<KubeObject, readonly KubeObject[]>();
  BEHIND.set(objects, all);
  const pods = all.get(service) ?? findPods(objects, service);
  all.set(service, pods);
  return pods;
}

function findPods(objects: Objects, service: KubeObject): readonly KubeObject[] {
  const { namespace, name } = metaOf(service);
  const selector = labelsOf(part(service, 'spec')['selector']);
  const pods = objects.of('Pod').filter((pod) => metaOf(pod).namespace === namespace && isAlive(pod));
  if (Object.keys(selector).length > 0) return pods.filter((pod) => selects(selector, metaOf(pod).labels));
  const named = new Set(
    objects
      .of('EndpointSlice')
      .filter((slice) => metaOf(slice).namespace === namespace)
      .filter((slice) => metaOf(slice).labels['kubernetes.io/service-name'] === name)
      .flatMap((slice) => list(slice['endpoints']))
      .map((endpoint) => text(part(endpoint, 'targetRef')['name'])),
  );
  return pods.filter((pod) => named.has(metaOf(pod).name));
}

function leadsTo(objects: Objects, service: KubeObject, served: Part): boolean {
  if (metaOf(service).namespace !== served.namespace) return false;
  if (served.pods.length === 0) return selects(labelsOf(part(service, 'spec')['selector']), served.labels);
  return podsBehind(objects, service).some((pod) => served.pods.includes(pod));
}

/** Its ports that lead to the engine's, else to where HTTP is spoken: a sidecar may stand before the engine. */
function serviceRoutes(
  objects: Objects,
  service: KubeObject,
  enginePort: number | undefined,
  kind: 'service' | 'router',
): Route[] {
  const { name, namespace } = metaOf(service);
  const spec = part(service, 'spec');
  const pods = podsBehind(objects, service);
  const ports = list(spec['ports']).flatMap((port) => {
    const own = number(port['port']);
    return own === undefined || (port['protocol'] !== undefined && port['protocol'] !== 'TCP')
      ? []
      : [{ port, own, pod: podPort(port, own, pods[0]) }];
  });
  const direct = ports.filter((one) => one.pod === enginePort);
  const spoken = ports.filter(({ port }) => !/metric|grpc|kv|nixl|dash|gcs|client/.test(text(port['name']) ?? ''));
  return (direct.length > 0 ? direct : spoken).map(({ port, own, pod }) => {
    // Without a virtual address nothing translates ports.
    const outer = spec['clusterIP'] === 'None' ? pod : own;
    return routeTo({
      kind,
      spelling: `svc/${name}:${own}`,
      url: `${schemeOf(port, own)}://${name}.${namespace}.svc:${outer}`,
      pods: pods.map((one) => forwardPod(one, podPort(port, own, one))),
      trace: [`Service ${name}`],
    });
  });
}

function schemeOf(port: KubeObject, own: number): 'http' | 'https' {
  const named = text(port['appProtocol']) ?? text(port['name']) ?? '';
  return /^https/.test(named) || own === 443 ? 'https' : 'http';
}

/** `targetPort` is a number, the name of a container's port, or the Service's own port. */
function podPort(port: KubeObject, own: number, pod: KubeObject | undefined): number {
  const target = port['targetPort'];
  if (typeof target === 'number') return target;
  const name = text(target);
  if (name === undefined) return own;
  if (/^\d+$/.test(name)) return Number(name);
  const ports = containersOf(part(pod, 'spec')).flatMap(portsOf);
  return ports.find((one) => one.name === name)?.number ?? own;
}

/** HTTPRoute -> Service or InferencePool of these pods; one route a Gateway that it is attached to. */
function gatewayRoutes(objects: Objects, route: KubeObject, served: Part, services: readonly KubeObject[]): Route[] {
  const { name, namespace } = metaOf(route);
  const spec = part(route, 'spec');
  for (const rule of list(spec['rules'])) {
    for (const backend of list(rule['backendRefs'])) {
      const target = backendOf(objects, backend, namespace, served, services);
      if (target === undefined) continue;
      const match = list(rule['matches']).map((one) => part(one, 'path'));
      const prefix = match.map((path) => text(path['value'])).find((value) => value !== undefined);
      return list(spec['parentRefs'])
        .filter((parent) => (text(parent['kind']) ?? 'Gateway') === 'Gateway')
        .flatMap((parent) => throughGateway(objects, parent, namespace, spec, prefix, [`HTTPRoute ${name}`, target]));
    }
  }
  return [];
}

function backendOf(
  objects: Objects,
  backend: KubeObject,
  namespace: string,
  served: Part,
  services: readonly KubeObject[],
): string | undefined {
  const [kind, name] = [text(backend['kind']) ?? 'Service', text(backend['name'])];
  const where = text(backend['namespace']) ?? namespace;
  if (name === undefined || where !== served.namespace) return undefined;
  if (kind === 'Service')
    return services.some((service) => metaOf(service).name === name) ? `Service ${name}` : undefined;
  if (kind !== 'InferencePool') return undefined;
  const pool = objects.find('InferencePool', where, name);
  return pool && selects(poolSelector(pool), served.labels) ? `InferencePool ${name}` : undefined;
}

function throughGateway(
  objects: Objects,
  parent: KubeObject,
  routeNamespace: string,
  route: KubeObject,
  prefix: string | undefined,
  trace: readonly string[],
): Route[] {
  const [name, namespace] = [text(parent['name']) ?? '', text(parent['namespace']) ?? routeNamespace];
  const gateway = objects.find('Gateway', namespace, name);
  const listeners = list(part(gateway, 'spec')['listeners']).filter(
    (listener) =>
      (parent['sectionName'] === undefined || listener['name'] === parent['sectionName']) &&
      (parent['port'] === undefined || listener['port'] === parent['port']) &&
      /^HTTPS?$/.test(text(listener['protocol']) ?? 'HTTP'),
  );
  const plane = objects.of('Service').find((service) => {
    const { labels, namespace: at } = metaOf(service);
    return at === namespace && labels['gateway.networking.k8s.io/gateway-name'] === name;
  });
  return listeners.map((listener) => {
    const port = number(listener['port']) ?? 80;
    const scheme = listener['protocol'] === 'HTTPS' ? 'https' : 'http';
    const address = text(list(part(gateway, 'status')['addresses'])[0]?.['value']);
    const authority = plane ? `${metaOf(plane).name}.${namespace}.svc` : address;
    const hosts = [
      ...(Array.isArray(route['hostnames']) ? (route['hostnames'] as unknown[]) : []),
      listener['hostname'],
    ];
    const host = hosts.map(text).find((one) => one !== undefined && !one.startsWith('*'));
    const inner = list(part(plane, 'spec')['ports']).find((one) => one['port'] === port);
    const pods = plane ? podsBehind(objects, plane) : [];
    return routeTo({
      kind: 'gateway',
      spelling: `gateway/${name}:${port}`,
      ...(authority === undefined ? {} : { url: `${scheme}://${authority}:${port}` }),
      ...(host === undefined ? {} : { host }),
      ...(prefix === undefined || prefix === '/' ? {} : { pathPrefix: prefix.replace(/\/$/, '') }),
      pods: pods.map((pod) => forwardPod(pod, inner ? podPort(inner, port, pod) : port)),
      trace: [`Gateway ${name}`, ...trace],
    });
  });
}
