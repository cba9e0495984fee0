// Accelerators that a container asks for, by the names under which device plugins offer them.
import { isObject } from '../own';
import type { KubeObject } from './types';

const RESOURCE =
  /^(?:nvidia\.com\/(?:gpu|mig-)|amd\.com\/gpu|google\.com\/tpu|aws\.amazon\.com\/neuron|habana\.ai\/gaudi|gpu\.intel\.com\/|intel\.com\/(?:gpu|gaudi)|huawei\.com\/Ascend|cambricon\.com\/|furiosa\.ai\/|rebellions\.ai\/)|(?:^|\/)(?:v?gpu|tpu|npu)$/i;

export interface Accelerators {
  readonly resource: string;
  readonly count: number;
}

/** Limits, else requests: devices are never shared, so that the two are alike where both stand. */
export function acceleratorsOf(container: KubeObject): Accelerators[] {
  const { resources } = container as { resources?: unknown };
  if (!isObject(resources)) return [];
  const asked = isObject(resources['limits']) ? resources['limits'] : {};
  const least = isObject(resources['requests']) ? resources['requests'] : {};
  return Object.entries({ ...least, ...asked }).flatMap(([resource, value]) => {
    const count = Number(value);
    return RESOURCE.test(resource) && count > 0 ? [{ resource, count }] : [];
  });
}
