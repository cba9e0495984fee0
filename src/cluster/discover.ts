// Which workloads of a cluster serve a model, and how each is reached: objects in, targets out.
import { deviceWords } from './accelerators';
import { metaOf, Objects } from './objects';
import { routesOf } from './routes';
import type { KubeObject, Target } from './types';
import { partsOf } from './workloads';

/** Workers of a group and of Ray answer nobody. */
const SILENT = new Set(['worker']);

/**
 * @param objects of any kinds and namespaces, lists or one by one, in any order; kinds that are not there cost only what they would say
 * @returns by namespace and name; a pod's route first where nothing else leads to it
 */
export function discover(objects: readonly KubeObject[]): Target[] {
  const read = new Objects(objects);
  const parts = partsOf(read);
  const targets = parts.flatMap((served): Target[] => {
    const { kind, name, namespace, role, evidence, replicas, pods } = served;
    if (!evidence || evidence.silent === true || (role !== undefined && SILENT.has(role))) return [];
    const accelerator = deviceWords(served.spec, read, replicas.podsEach);
    return [
      {
        kind,
        name,
        namespace,
        ...(role === undefined ? {} : { role }),
        evidence,
        replicas,
        ...(accelerator === undefined ? {} : { accelerator }),
        pods: pods.map((pod) => metaOf(pod).name),
        routes: routesOf(read, served, parts),
      },
    ];
  });
  return targets.sort(
    (a, b) => compare(a.namespace, b.namespace) || compare(a.name, b.name) || compare(a.role, b.role),
  );
}

function compare(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
