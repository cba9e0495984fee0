// Accelerators: what a pod asks for under the names of device plugins, and which product that is, as the node or a selector says.
import { containersOf, labelsOf, list, part, text, type Objects } from './objects';
import type { KubeObject } from './types';

const RESOURCE =
  /^(?:nvidia\.com\/(?:gpu|mig-)|amd\.com\/gpu|google\.com\/tpu|aws\.amazon\.com\/neuron|habana\.ai\/gaudi|gpu\.intel\.com\/|intel\.com\/(?:gpu|gaudi)|huawei\.com\/Ascend|cambricon\.com\/|furiosa\.ai\/|rebellions\.ai\/)|(?:^|\/)(?:v?gpu|tpu|npu)$/i;

/** Labels that name the product, the surest first. */
const PRODUCT = [
  'nvidia.com/gpu.product',
  'amd.com/gpu.product-name',
  'cloud.google.com/gke-accelerator',
  'cloud.google.com/gke-tpu-accelerator',
  'gpu.intel.com/product',
  'k8s.amazonaws.com/accelerator',
  'karpenter.k8s.aws/instance-gpu-name',
  'node.kubernetes.io/instance-type',
];

export interface Accelerators {
  readonly resource: string;
  readonly count: number;
}

/** Limits, else requests: devices are never shared, so that the two are alike where both stand. */
export function acceleratorsOf(container: KubeObject): Accelerators[] {
  const asked = { ...part(container, 'resources', 'requests'), ...part(container, 'resources', 'limits') };
  return Object.entries(asked).flatMap(([resource, value]) => {
    const count = Number(value);
    return RESOURCE.test(resource) && count > 0 && Number.isFinite(count) ? [{ resource, count }] : [];
  });
}

/** Of one pod, all its containers together. */
export function podAccelerators(podSpec: KubeObject): Accelerators[] {
  const sums = new Map<string, number>();
  for (const { resource, count } of containersOf(podSpec).flatMap(acceleratorsOf))
    sums.set(resource, (sums.get(resource) ?? 0) + count);
  return [...sums].map(([resource, count]) => ({ resource, count }));
}

export interface Product {
  readonly product?: string;
  readonly from: 'node' | 'selector' | 'unknown';
}

/** The node says it surest; where nodes may not be read, what the pod asked of its node. */
export function productOf(podSpec: KubeObject, objects: Objects): Product {
  const node = objects.of('Node').find((one) => part(one, 'metadata')['name'] === podSpec['nodeName']);
  const onNode = node && productIn(labelsOf(part(node, 'metadata')['labels']));
  if (onNode !== undefined) return { product: onNode, from: 'node' };
  const asked = productIn({ ...affinityOf(podSpec), ...labelsOf(podSpec['nodeSelector']) });
  return asked === undefined ? { from: 'unknown' } : { product: asked, from: 'selector' };
}

function productIn(labels: Readonly<Record<string, string>>): string | undefined {
  return (
    PRODUCT.map((label) => labels[label]).find((value) => value !== undefined) ??
    Object.entries(labels).find(([name]) => /accelerator|gpu[-.](?:product|type|model|name)/i.test(name))?.[1]
  );
}

/** Required terms with one value alone. */
function affinityOf(podSpec: KubeObject): Record<string, string> {
  const required = part(podSpec, 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution');
  const expressions = list(required['nodeSelectorTerms']).flatMap((term) => list(term['matchExpressions']));
  return Object.fromEntries(
    expressions.flatMap((one): [string, string][] => {
      const [key, values] = [text(one['key']), one['values']];
      const only: unknown = Array.isArray(values) && values.length === 1 ? values[0] : undefined;
      return key !== undefined && one['operator'] === 'In' && typeof only === 'string' ? [[key, only]] : [];
    }),
  );
}

/** "8 x nvidia.com/gpu, NVIDIA-H100" for all pods of one replica; a claim by its name; undefined where none is asked for. */
export function deviceWords(podSpec: KubeObject, objects: Objects, podsEach: number): string | undefined {
  const devices = podAccelerators(podSpec).map(({ resource, count }) => `${count * podsEach} x ${resource}`);
  const claims = list(podSpec['resourceClaims']).map((claim) => `resource claim ${text(claim['name']) ?? ''}`);
  if (devices.length + claims.length === 0) return undefined;
  const { product } = productOf(podSpec, objects);
  return [...devices, ...claims, ...(product === undefined ? [] : [product])].join(', ');
}
