// What stands before the engines: routers, endpoint pickers, and the facts of Services, Gateways and pools that decide who gets a request.
import { withoutSecretFields, withoutSecretText } from '../config/secret-names';
import { wordsIn } from './container';
import { containersOf, labelsOf, list, metaOf, part, selects, text, type Objects } from './objects';
import type { KubeObject } from './types';
import type { Part } from './workloads';

const ROUTER =
  /vllm[-_]router|vllm_router|production_stack|sglang[-_]router|\blitellm\b|dynamo\.frontend|semantic[-_]router/;
/** Labels that all parts of one release share. */
const RELEASE = ['helm-release-name', 'app.kubernetes.io/instance', 'release', 'nvidia.com/dynamo-namespace'];

/** Routers that say these pods are their backends, in their arguments or by a common release. */
export function routerParts(objects: Objects, served: readonly Part[], parts: readonly Part[]): Part[] {
  return parts.filter((one) => served.some((other) => isRouterFor(objects, one, other)));
}

function isRouterFor(objects: Objects, one: Part, served: Part): boolean {
  if (one === served || one.namespace !== served.namespace) return false;
  const line = containersOf(one.spec)
    .flatMap((container) => [...wordsIn(container['command']), ...wordsIn(container['args'])])
    .join(' ');
  if (!ROUTER.test(line) && one.labels['app.kubernetes.io/component'] !== 'router') return false;
  const services = servicesOf(objects, served).map((service) => metaOf(service).name);
  if (services.some((name) => new RegExp(`//${name.replaceAll('.', '\\.')}[.:/]`).test(line))) return true;
  const [, selector] = /--k8s-label-selector[ =]["']?([^\s"']+)/.exec(line) ?? [];
  if (selector !== undefined) {
    const pairs = selector.split(',').map((pair): [string, string] => [pair.split('=')[0]!, pair.split('=').at(-1)!]);
    return selects(Object.fromEntries(pairs), served.labels);
  }
  return isOneRelease(one, served);
}

export function isOneRelease(one: Part, other: Part): boolean {
  return RELEASE.some((label) => one.labels[label] !== undefined && one.labels[label] === other.labels[label]);
}

function servicesOf(objects: Objects, { namespace, labels }: Part): KubeObject[] {
  return objects
    .of('Service')
    .filter(
      (service) =>
        metaOf(service).namespace === namespace && selects(labelsOf(part(service, 'spec')['selector']), labels),
    );
}

/** `selector.matchLabels` of v1; v1alpha2 has the labels themselves. */
export function poolSelector(pool: KubeObject): Readonly<Record<string, string>> {
  const selector = part(pool, 'spec', 'selector');
  return labelsOf(selector['matchLabels'] ?? selector);
}

function poolsOf(objects: Objects, served: readonly Part[]): KubeObject[] {
  return objects
    .of('InferencePool')
    .filter((pool) =>
      served.some((one) => metaOf(pool).namespace === one.namespace && selects(poolSelector(pool), one.labels)),
    );
}

/** v1 calls it `endpointPickerRef`, v1alpha2 `extensionRef`; both name a Service. */
function pickerOf(pool: KubeObject): KubeObject {
  const spec = part(pool, 'spec');
  return spec['endpointPickerRef'] === undefined ? part(spec, 'extensionRef') : part(spec, 'endpointPickerRef');
}

/** Pods behind the Service that a pool asks where a request shall go. */
export function pickerParts(objects: Objects, served: readonly Part[], parts: readonly Part[]): Part[] {
  const selectors = poolsOf(objects, served).flatMap((pool) => {
    const service = objects.find('Service', metaOf(pool).namespace, text(pickerOf(pool)['name']) ?? '');
    return service ? [labelsOf(part(service, 'spec')['selector'])] : [];
  });
  return parts.filter((one) => selectors.some((selector) => selects(selector, one.labels)));
}

/** By object, in words that are compared letter by letter; an endpoint picker's config is the policy itself and is kept whole. */
export function routingOf(objects: Objects, members: readonly Part[]): Record<string, string> {
  const facts: [string, string][] = [];
  const names = new Set<string>();
  for (const service of objects
    .of('Service')
    .filter((one) => members.some((member) => servicesOf(objects, member).includes(one)))) {
    const spec = part(service, 'spec');
    const { name } = metaOf(service);
    names.add(name);
    const type = spec['clusterIP'] === 'None' ? 'headless' : (text(spec['type']) ?? 'ClusterIP');
    const affinity = text(spec['sessionAffinity']) ?? 'None';
    const policy = text(spec['internalTrafficPolicy']) ?? 'Cluster';
    facts.push([`Service ${name}`, `${type}, affinity ${affinity}, traffic policy ${policy}`]);
  }
  for (const pool of poolsOf(objects, members)) {
    const { name } = metaOf(pool);
    names.add(name);
    const failure = text(pickerOf(pool)['failureMode']) ?? 'FailClose';
    facts.push([`InferencePool ${name}`, `on its picker’s failure ${failure}`]);
  }
  for (const route of objects.of('HTTPRoute')) {
    const spec = part(route, 'spec');
    const rules = list(spec['rules']);
    if (!rules.flatMap((rule) => list(rule['backendRefs'])).some((backend) => names.has(text(backend['name']) ?? '')))
      continue;
    facts.push([`HTTPRoute ${metaOf(route).name}`, JSON.stringify(withoutSecretFields(rules))]);
    for (const parent of list(spec['parentRefs'])) {
      const namespace = text(parent['namespace']) ?? metaOf(route).namespace;
      const gateway = objects.find('Gateway', namespace, text(parent['name']) ?? '');
      if (gateway)
        facts.push([
          `Gateway ${metaOf(gateway).name}`,
          `class ${text(part(gateway, 'spec')['gatewayClassName']) ?? '?'}`,
        ]);
    }
  }
  return Object.fromEntries([...facts, ...configsOf(objects, members)]);
}

/** ConfigMaps that a router or picker mounts. */
function configsOf(objects: Objects, members: readonly Part[]): [string, string][] {
  return members.flatMap((member) => {
    if (member.evidence) return [];
    return list(member.spec['volumes']).flatMap((volume): [string, string][] => {
      const config = objects.find('ConfigMap', member.namespace, text(part(volume, 'configMap')['name']) ?? '');
      return Object.entries(part(config, 'data')).flatMap(([key, value]): [string, string][] =>
        typeof value === 'string' ? [[`ConfigMap ${metaOf(config!).name}, ${key}`, withoutSecretText(value)]] : [],
      );
    });
  });
}
