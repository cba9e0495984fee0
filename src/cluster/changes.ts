// What changed between two looks at one stack: restarts, pods, digests, flags, replicas, routing; and the warnings of the cluster.
import { withoutSecretText } from '../config/secret-names';
import { flagChangesOf } from './flags';
import { itemsOf, metaOf, part, text } from './objects';
import type { Change, StackContainer, StackPod, StackSnapshot } from './snapshot-schema';
import type { KubeObject } from './types';

/** In an order that does not change: pods first. `atSeconds` is that of the later look: when it was seen. */
export function changesBetween(before: StackSnapshot, after: StackSnapshot): Change[] {
  const { atSeconds } = after;
  const found: Omit<Change, 'atSeconds'>[] = [
    ...podChanges(before.pods, after.pods),
    ...containerChanges(before.containers, after.containers),
    ...workloadChanges(before.workloads, after.workloads),
    ...recordChanges('routing', before.routing, after.routing),
    ...nodeChanges(before.nodes, after.nodes),
  ];
  return found.map((change) => ({ atSeconds, ...change }));
}

type Seen = Omit<Change, 'atSeconds'>;

function podChanges(before: readonly StackPod[], after: readonly StackPod[]): Seen[] {
  const changes: Seen[] = [];
  for (const old of before) {
    if (after.some((one) => one.uid === old.uid)) continue;
    const replaced = after.find((one) => one.name === old.name);
    const words = replaced ? 'replaced by another pod of its name' : 'gone';
    changes.push({ kind: 'pod-gone', object: `Pod ${old.name}`, words });
  }
  for (const now of after) {
    const object = `Pod ${now.name}`;
    const old = before.find((one) => one.uid === now.uid);
    if (!old) {
      changes.push({ kind: 'pod-new', object, words: now.node === undefined ? 'new' : `new, on ${now.node}` });
      continue;
    }
    changes.push(...restarts(object, old, now));
    if (old.ready !== now.ready)
      changes.push({
        kind: now.ready ? 'ready' : 'not-ready',
        object,
        words: now.ready ? 'ready again' : 'no longer ready',
      });
  }
  return changes;
}

function restarts(object: string, old: StackPod, now: StackPod): Seen[] {
  return now.containers.flatMap((container): Seen[] => {
    const earlier = old.containers.find((one) => one.name === container.name);
    if (!earlier) return [];
    const moved =
      earlier.containerId !== undefined &&
      container.containerId !== undefined &&
      earlier.containerId !== container.containerId;
    if (container.restarts <= earlier.restarts && !moved) return [];
    const why = container.lastEnd === undefined ? '' : `: ${container.lastEnd}`;
    return [
      {
        kind: 'restart',
        object,
        words: `container ${container.name} restarted${why}`,
        before: String(earlier.restarts),
        after: String(container.restarts),
      },
    ];
  });
}

/** Of one container of one workload, as all its pods run it. */
function containerChanges(before: readonly StackContainer[], after: readonly StackContainer[]): Seen[] {
  const keyOf = ({ workload, role, name }: StackContainer): string => JSON.stringify([workload, role, name]);
  return [...new Set(after.map(keyOf))].flatMap((key): Seen[] => {
    const [old, now] = [before, after].map((all) => all.filter((one) => keyOf(one) === key)) as [
      StackContainer[],
      StackContainer[],
    ];
    if (old.length === 0 || now.length === 0) return [];
    const object = `${now[0]!.workload}, container ${now[0]!.name}`;
    const changes: Seen[] = [];
    // During a rollout several stand side by side: the newest comes last.
    const [left, right] = [old.at(-1)!, now.at(-1)!];
    if (left.image !== right.image)
      changes.push({ kind: 'image', object, words: 'image changed', ...pair(left.image, right.image) });
    else changes.push(...digestChanges(object, old, now));
    for (const { name, left: value, right: later } of flagChangesOf(left.args, right.args))
      changes.push({ kind: 'flags', object, words: `flag --${name} changed`, ...pair(value, later) });
    changes.push(...recordChanges('environment', left.env, right.env, object));
    return changes;
  });
}

/** A digest of a config and one of a manifest say nothing against each other. */
function digestChanges(object: string, old: readonly StackContainer[], now: readonly StackContainer[]): Seen[] {
  const all = (containers: readonly StackContainer[]): string[] =>
    [...new Set(containers.flatMap(({ digests }) => digests.map(({ digest }) => digest)))].sort();
  const [left, right] = [all(old), all(now)];
  const form = (digests: readonly string[]): string =>
    [...new Set(digests.map((digest) => digest.startsWith('config ')))].join();
  if (left.length === 0 || right.length === 0 || left.join() === right.join() || form(left) !== form(right)) return [];
  return [
    {
      kind: 'image',
      object,
      words: 'the digest behind the same image changed',
      ...pair(left.join(', '), right.join(', ')),
    },
  ];
}

function workloadChanges(before: StackSnapshot['workloads'], after: StackSnapshot['workloads']): Seen[] {
  return after.flatMap((now): Seen[] => {
    const old = before.find((one) => one.kind === now.kind && one.name === now.name && one.role === now.role);
    if (!old) return [];
    const object = `${now.kind} ${now.name}`;
    const changes: Seen[] = [];
    if (old.wanted !== now.wanted)
      changes.push({ kind: 'scaled', object, words: 'replicas wanted changed', ...pair(old.wanted, now.wanted) });
    if (old.autoscaler !== now.autoscaler)
      changes.push({
        kind: 'autoscaler',
        object,
        words: 'autoscaler changed',
        ...pair(old.autoscaler, now.autoscaler),
      });
    if (now.rollout !== undefined && old.rollout !== now.rollout)
      changes.push({ kind: 'template', object, words: now.rollout });
    return changes;
  });
}

function recordChanges(
  kind: 'routing' | 'environment' | 'node',
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
  object?: string,
): Seen[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => before[name] !== after[name])
    .map((name) => ({
      kind,
      object: object ?? name,
      words: object === undefined ? 'changed' : `${name} changed`,
      ...pair(before[name], after[name]),
    }));
}

function nodeChanges(before: StackSnapshot['nodes'], after: StackSnapshot['nodes']): Seen[] {
  return after.flatMap((now) => {
    const old = before.find((one) => one.name === now.name);
    return old ? recordChanges('node', old.facts, now.facts, `Node ${now.name}`) : [];
  });
}

function pair(
  before: string | number | undefined,
  after: string | number | undefined,
): Pick<Change, 'before' | 'after'> {
  return {
    ...(before === undefined ? {} : { before: String(before) }),
    ...(after === undefined ? {} : { after: String(after) }),
  };
}

/**
 * Warnings of the cluster about these pods and workloads. Events are best-effort: that there is none proves nothing.
 * @param zero wall-clock milliseconds of the run's zero
 */
export function warningsOf(objects: readonly KubeObject[], snapshot: StackSnapshot, zero: number): Change[] {
  const names = new Set([
    ...snapshot.pods.map(({ name }) => `Pod ${name}`),
    ...snapshot.workloads.map(({ kind, name }) => `${kind} ${name}`),
  ]);
  return objects
    .flatMap(itemsOf)
    .filter(
      (object) =>
        object['kind'] === 'Event' && object['type'] === 'Warning' && metaOf(object).namespace === snapshot.namespace,
    )
    .flatMap((event): Change[] => {
      const about = part(event, 'involvedObject');
      const object = `${text(about['kind']) ?? ''} ${text(about['name']) ?? ''}`;
      const time = Date.parse(
        text(part(event, 'series')['lastObservedTime']) ??
          text(event['lastTimestamp']) ??
          text(event['eventTime']) ??
          '',
      );
      if (!names.has(object) || Number.isNaN(time)) return [];
      const words = [text(event['reason']), text(event['message'])].filter((one) => one !== undefined).join(': ');
      return [{ atSeconds: (time - zero) / 1000, kind: 'event', object, words: withoutSecretText(words) }];
    })
    .sort((a, b) => a.atSeconds - b.atSeconds);
}
