// The stack card of a report: what served, role by role, the way to it, and what changed during the run.
import { enginesOf } from '../../cluster/record';
import type { KubernetesFacts, RouteFacts } from '../../cluster/snapshot-schema';
import { changeWords } from '../../cluster/words';
import { counted, rounded } from '../../figures';
import type { StackRecord } from '../../folder/stack';
import type { Run } from '../../readers/run';
import type { Fact, ReportView } from './model';

/** Empty where no stack was recorded: a card of nothing says nothing. */
export function stackGroups(run: Run): ReportView['provenance'] {
  const stack = run.manifest?.stack ?? run.stack;
  const route = run.manifest?.route;
  const cluster = stack?.kubernetes;
  const facts = [
    ...(stack ? recordFacts(stack) : []),
    ...(route ? routeFacts(route) : []),
    ...(cluster ? clusterFacts(cluster) : []),
  ];
  if (facts.length === 0) return [];
  return [
    { title: 'Stack', facts },
    ...(cluster ? [{ title: 'Changes during the run', facts: changeFacts(cluster) }] : []),
  ];
}

function fact(label: string, value: string | undefined, note?: string): Fact[] {
  return value === undefined || value === '' ? [] : [{ label, value, ...(note === undefined ? {} : { note }) }];
}

function recordFacts(stack: StackRecord): Fact[] {
  const { source, engine, engineVersion, image, model, args, env, accelerator, replicas, parallelism, other } = stack;
  const served = [engine, engineVersion].filter((part) => part !== undefined).join(' ');
  return [
    ...fact('Engine', served, `from ${source}`),
    ...fact('Image', image),
    ...fact('Model served', model),
    ...fact('Arguments', args?.map((word) => (/\s/.test(word) ? `'${word}'` : word)).join(' ')),
    ...fact('Environment', pairs(env)),
    ...fact('Accelerator', accelerator),
    ...fact('Replicas', replicas === undefined ? undefined : String(replicas)),
    ...fact('Parallelism', parallelism),
    ...(stack.route === undefined ? [] : fact('Route', stack.route)),
    ...fact('Beside it', pairs(other)),
  ];
}

function pairs(record: Readonly<Record<string, string>> | undefined): string | undefined {
  return (
    record &&
    Object.entries(record)
      .map(([name, value]) => `${name}=${value}`)
      .join(', ')
  );
}

function routeFacts({
  kind,
  target,
  pod,
  client,
  rttMilliseconds: rtt,
  setUpMilliseconds: setUp,
  losses = [],
}: RouteFacts): Fact[] {
  const to = [target, pod === undefined ? undefined : `pod ${pod}`].filter((part) => part !== undefined).join(', ');
  const times = (name: string, one: { p50: number; p99: number } | undefined): Fact[] =>
    fact(name, one && `${rounded(one.p50)} ms (p50), ${rounded(one.p99)} ms (p99)`, 'small requests before the run');
  return [
    ...fact('Way to it', `${kind}${to === '' ? '' : `: ${to}`}`, client),
    ...times('Round trip', rtt),
    ...times('New connection', setUp),
    ...losses.flatMap(({ fromSeconds, toSeconds, reason }) =>
      fact(
        'Route lost',
        `${rounded(fromSeconds)} s to ${toSeconds === undefined ? 'the end' : `${rounded(toSeconds)} s`}: ${reason}`,
      ),
    ),
  ];
}

function clusterFacts({ start }: KubernetesFacts): Fact[] {
  const roles = enginesOf(start).flatMap(({ role, workload, image, digests, args }) => {
    const running = digests.map(({ digest, pods }) => `${digest} in ${counted(pods, 'pod')}`).join(', ');
    return fact(`Role ${role}`, [workload, image, running].filter((part) => part).join(', '), args.join(' '));
  });
  const scale = start.workloads.flatMap(({ kind, name, wanted, ready, autoscaler, rollout }) => {
    const replicas = wanted === undefined ? undefined : `${ready ?? 'unknown'} of ${wanted} ready`;
    return fact(`${kind} ${name}`, [replicas, autoscaler, rollout].filter((part) => part !== undefined).join(', '));
  });
  const nodes = start.nodes.flatMap(({ name, facts }) => fact(`Node ${name}`, pairs(facts)));
  const missing = start.missing.flatMap(({ what, reason }) => fact('Not known', `${what}: ${reason}`));
  return [...(roles.length > 1 ? roles : []), ...scale, ...nodes, ...fact('Cluster', start.clusterVersion), ...missing];
}

function changeFacts({ changes, end }: KubernetesFacts): Fact[] {
  if (changes.length === 0)
    return fact('None', end ? 'nothing changed between start and end' : 'none was seen, and the end was not recorded');
  return changes.map((change) => ({ label: `${rounded(change.atSeconds)} s`, value: changeWords(change) }));
}
