// Where did the load come from? Another machine sends with another delay and stamps arrivals with another clock.
import type { ClientHost } from '../../readers/facts';
import type { Evidence } from '../comparison';
import { assumption, confounds, dimension, moved, same, unknown, type SideEvidence } from '../dimension';
import { inFact, inReport, inSetting } from '../evidence';
import { factsOn, type Side } from '../side';

interface Host extends SideEvidence {
  readonly runtime: ClientHost | undefined;
}

/** A machine reports a little less than it has, and not always the same. */
const MEMORY_TOLERANCE = 0.05;

function hostOf(side: Side): Host {
  const known = factsOn(side).clientHost;
  const runtime = known.value;
  const memory = runtime?.memoryBytes;
  const gibibytes = memory === undefined ? undefined : `${(memory / 1024 ** 3).toFixed(1)} GiB`;
  const workers = ['load', 'num_workers'];
  const part = (key: string, value: unknown): Evidence =>
    runtime
      ? inReport(known.at.file, `${known.at.key}.${key}`, value)
      : inFact({ ...known, at: { ...known.at, key: `runtime.${key}` } });
  return {
    runtime,
    summary: runtime
      ? [
          runtime.host,
          runtime.cpus === undefined ? undefined : `${runtime.cpus} x ${runtime.cpuModel ?? runtime.arch ?? ''}`,
          gibibytes,
        ]
          .filter(Boolean)
          .join(', ')
      : 'not recorded',
    evidence: [
      part('host', runtime?.host),
      part('cpus', runtime?.cpus),
      part('cpuModel', runtime?.cpuModel),
      part('memoryBytes', gibibytes),
      part('platform, arch', runtime && pair(runtime.platform, runtime.arch)),
      part('node, undici', runtime && pair(runtime.node, runtime.undici, ', ')),
      part('workers', runtime?.workers),
      inSetting(side, workers),
    ],
  };
}

export const clientHost = dimension<Host>({
  id: 'client-host',
  title: 'Client host',
  question: 'Did the load come from the same machine?',
  tolerance: `The same processors, platform and major version of Node, memory within ${MEMORY_TOLERANCE * 100} %, and the same host name (pods of one workload count as one name).`,
  pitfall: 'CMP006',
  affects: moved(['ttft', 'itl', 'tpot', 'ntpot', 'request_latency', 'schedule_delay', 'request_goodput']),
  remedy: 'Run both sides from the same machine, or from the same kind of pod.',
  evidence: hostOf,
  judge: ({ runtime: a }, { runtime: b }) => {
    if (!a && !b) {
      return assumption(
        'Which machine sent the load is recorded on neither side.',
        'that the load came from the same machine',
      );
    }
    if (!a || !b) return unknown('Which machine sent the load', a !== undefined, b !== undefined);
    const changes: string[] = [];
    const compare = (what: string, left: string | number | undefined, right: string | number | undefined): void => {
      if (left !== undefined && right !== undefined && left !== right)
        changes.push(`${what} ${left} on A, ${right} on B`);
    };
    compare('processors', a.cpus, b.cpus);
    compare('processor', a.cpuModel, b.cpuModel);
    compare('platform', pair(a.platform, a.arch), pair(b.platform, b.arch));
    compare('Node', major(a.node), major(b.node));
    const [x, y] = [a.memoryBytes, b.memoryBytes];
    if (x !== undefined && y !== undefined && Math.abs(x - y) > MEMORY_TOLERANCE * Math.max(x, y)) {
      changes.push(`memory ${(x / 1024 ** 3).toFixed(1)} GiB on A, ${(y / 1024 ** 3).toFixed(1)} GiB on B`);
    }
    if (a.host !== undefined && b.host !== undefined && workload(a.host) !== workload(b.host)) {
      changes.push(`host ${a.host} on A, ${b.host} on B`);
    }
    if (changes.length > 0) {
      return confounds(`The load came from another machine: ${changes.join('; ')}. Its delays are in every latency.`, {
        changes,
      });
    }
    for (const [key, what] of [
      ['host', 'The name of the client’s host'],
      ['cpuModel', 'The client’s processor'],
      ['memoryBytes', 'The client’s memory'],
    ] as const) {
      if ((a[key] === undefined) !== (b[key] === undefined)) {
        return unknown(what, a[key] !== undefined, b[key] !== undefined);
      }
    }
    if (a.host === undefined && a.cpuModel === undefined) {
      return assumption(
        'Neither side records the client’s name or processor, only that platform and number of processors are the same.',
        'that the load came from the same machine',
      );
    }
    const pods =
      a.host !== b.host ? ` Host names differ as pods of one workload do (${a.host ?? ''}, ${b.host ?? ''}).` : '';
    return same(`The same machine, or one like it, sent the load.${pods}${threads(a.workers, b.workers)}`);
  },
});

/** What is sent does not depend on it, and whether time stamps waited is judged by each side's own event loops (client limit). */
function threads(a: number | undefined, b: number | undefined): string {
  return a === undefined || b === undefined || a === b
    ? ''
    : ` Sending threads: ${a} on A, ${b} on B; the requests are the same for any number.`;
}

function pair(left: string | undefined, right: string | undefined, between = ' '): string | undefined {
  const parts = [left, right].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(between);
}

function major(version: string | undefined): string | undefined {
  return version?.replace(/^v/, '').split('.')[0] ?? version;
}

/** Containers and pods get a random name: what a workload's pods share is the name before it. */
function workload(host: string): string {
  if (/^[0-9a-f]{12}$/.test(host)) return 'container';
  return host.replace(/(-[a-z0-9]{8,10})?-[a-z0-9]{5}$/, '');
}
