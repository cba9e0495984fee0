// A snapshot as a stack record: the serving container's image, flags and variables, and in `other` what stands around it.
import type { StackContainer, StackSnapshot } from './snapshot-schema';
import type { Workload } from './types';

/** Role of the container that requests reach first, where there are several engines. */
const FIRST = ['server', 'leader', 'head', 'decode', 'prefill'];

/** Engine containers, the one that answers first; of a rollout the newest. */
export function enginesOf(snapshot: StackSnapshot): StackContainer[] {
  const rank = ({ role }: StackContainer): number => (FIRST.includes(role) ? FIRST.indexOf(role) : FIRST.length);
  return snapshot.containers.filter(({ engine }) => engine !== undefined).sort((a, b) => rank(a) - rank(b));
}

/** Empty but for `env` where no engine was found. What differs between two pods of one container stands in `other`. */
export function recordOf(snapshot: StackSnapshot): Workload {
  const [server] = enginesOf(snapshot);
  if (!server) return { env: {} };
  const { engine, model, image, digests, args, env } = server;
  const pulled = digests.filter(({ digest }) => !digest.startsWith('config '));
  const [only] = pulled;
  const workload = snapshot.workloads.find((one) => one.role === server.role);
  const devices = snapshot.accelerators
    .filter((one) => one.role === server.role)
    .map(({ resource, perPod, product }) =>
      [`${perPod * (workload?.podsEach ?? 1)} x ${resource}`, product].filter((one) => one !== undefined).join(', '),
    );
  return {
    ...(engine === undefined ? {} : { engine }),
    ...(model === undefined ? {} : { model }),
    ...(image === undefined
      ? {}
      : { image: only && pulled.length === 1 ? `${image.replace(/@.*$/, '')}@${only.digest}` : image }),
    args: [...args],
    env: { ...env },
    ...(devices.length > 0 ? { accelerator: devices.join('; ') } : {}),
    // Without the object that scales them, as many as run.
    replicas: workload?.wanted ?? snapshot.pods.filter((one) => one.role === server.role).length,
    ...(workload?.podsEach === undefined ? {} : { parallelism: `groups of ${workload.podsEach} pods` }),
    other: otherOf(snapshot, server),
  };
}

function otherOf(snapshot: StackSnapshot, server: StackContainer): Record<string, string> {
  const { containers, workloads, accelerators, pods, routing } = snapshot;
  const beside = containers
    .filter((one) => one !== server && one.engine === undefined)
    .map((one): [string, string] => [`${one.role} ${one.name}`, [one.image ?? 'no image', ...one.args].join(' ')]);
  const nodes = [...new Set(pods.filter(({ role }) => role === server.role).map(({ node }) => node))].filter(
    (one) => one !== undefined,
  );
  const said = (key: string, value: string | undefined): [string, string][] =>
    value === undefined ? [] : [[key, value]];
  const own = accelerators.find(({ role }) => role === server.role);
  const local = server.digests.filter(({ digest }) => digest.startsWith('config '));
  return Object.fromEntries([
    ...beside,
    ...said('image config', local.length > 0 ? local.map(({ digest }) => digest.slice(7)).join(', ') : undefined),
    ...said('driver', own?.driver),
    ...said('shared devices', own?.shared),
    ...said('nodes', nodes.length > 0 ? `spread over ${nodes.length}` : undefined),
    ...said('autoscaler', workloads.find(({ role }) => role === server.role)?.autoscaler?.replace(/ \S+,/, ',')),
    ...namelessRouting(routing),
  ]);
}

/** Two deployments of one kind bear two names, which change nothing: `Service`, not `Service vllm-a`. A route's rules name its backends. */
function namelessRouting(routing: StackSnapshot['routing']): [string, string][] {
  const byKind = new Map<string, Set<string>>();
  for (const [object, value] of Object.entries(routing)) {
    const [, kind = '', key] = /^(\S+) [^,]*(?:, (.*))?$/.exec(object) ?? [];
    if (kind === 'HTTPRoute') continue;
    const name = key === undefined ? kind : `policy ${key}`;
    byKind.set(name, (byKind.get(name) ?? new Set()).add(value));
  }
  return [...byKind].map(([name, values]) => [name, [...values].sort().join('; ')]);
}
