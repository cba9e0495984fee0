// How many cores this process may use: the machine's, or fewer where a container's CPU quota says so.
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const CGROUP_ROOT = '/sys/fs/cgroup';

/**
 * At least 1, and whole: half a core carries no second thread. `os.availableParallelism` knows the affinity mask; a quota
 * (`docker run --cpus`, `resources.limits.cpu` of a pod) it knows only from libuv 1.49 on, which Node 20 does not have.
 */
export function usableCores(): number {
  const read = (file: string): string | undefined => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return undefined;
    }
  };
  return coresOf(os.availableParallelism(), process.platform === 'linux' ? cpuQuota(read) : undefined);
}

export function coresOf(available: number, quota: number | undefined): number {
  return Math.max(1, Math.floor(Math.min(available, quota ?? Infinity)));
}

/**
 * CPU quota in cores of this process's control group and those above it; undefined where there is none. A container sees its own
 * group as the root, a service of systemd is deeper down.
 * @param read the text of a file, or undefined when it cannot be read
 */
export function cpuQuota(read: (file: string) => string | undefined): number | undefined {
  const lines = (read('/proc/self/cgroup') ?? '').split('\n');
  const placeOf = (isMine: (controllers: string) => boolean): string => {
    for (const line of lines) {
      const [, controllers, place] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      if (controllers !== undefined && isMine(controllers)) return place ?? '/';
    }
    return '/';
  };
  const unified = foldersOf(
    CGROUP_ROOT,
    placeOf((controllers) => controllers === ''),
  ).map((folder) => {
    const [quota, period] = (read(path.posix.join(folder, 'cpu.max')) ?? '').trim().split(/\s+/);
    return share(quota, period);
  });
  const cpu = placeOf((controllers) => controllers.split(',').includes('cpu'));
  const legacy = ['cpu', 'cpu,cpuacct'].flatMap((mount) =>
    foldersOf(path.posix.join(CGROUP_ROOT, mount), cpu).map((folder) =>
      share(read(path.posix.join(folder, 'cpu.cfs_quota_us')), read(path.posix.join(folder, 'cpu.cfs_period_us'))),
    ),
  );
  const quotas = [...unified, ...legacy].filter((quota) => quota !== undefined);
  return quotas.length === 0 ? undefined : Math.min(...quotas);
}

/** A group's folder and those above it up to the root: every one of them limits. */
function foldersOf(root: string, place: string): string[] {
  const parts = place.split('/').filter((part) => part !== '' && part !== '..');
  return [...parts.keys(), parts.length].map((count) => path.posix.join(root, ...parts.slice(0, count)));
}

/** "max" and -1 are no quota. */
function share(quota: string | undefined, period: string | undefined): number | undefined {
  const [quotaUs, periodUs] = [Number(quota?.trim() || Number.NaN), Number(period?.trim() || Number.NaN)];
  return quotaUs > 0 && periodUs > 0 ? quotaUs / periodUs : undefined;
}
