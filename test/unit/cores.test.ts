// The cores a process may use where a container limits its CPU time.
import { describe, expect, it } from 'vitest';
import { coresOf, cpuQuota, usableCores } from '../../src/cores';

function files(texts: Readonly<Record<string, string>>): (file: string) => string | undefined {
  return (file) => texts[file];
}

describe('the CPU quota of a control group', () => {
  it.each([
    ['a container (v2) sees its own group as the root', '0::/\n', { '/sys/fs/cgroup/cpu.max': '250000 100000\n' }, 2.5],
    ['without a limit', '0::/\n', { '/sys/fs/cgroup/cpu.max': 'max 100000\n' }, undefined],
    [
      'a service: the tightest of its own and the groups above it',
      '0::/system.slice/ci.service\n',
      {
        '/sys/fs/cgroup/system.slice/cpu.max': '300000 100000\n',
        '/sys/fs/cgroup/system.slice/ci.service/cpu.max': '800000 100000\n',
      },
      3,
    ],
    [
      'version 1',
      '4:memory:/x\n3:cpu,cpuacct:/kubepods/pod1\n0::/\n',
      {
        '/sys/fs/cgroup/cpu,cpuacct/kubepods/pod1/cpu.cfs_quota_us': '150000\n',
        '/sys/fs/cgroup/cpu,cpuacct/kubepods/pod1/cpu.cfs_period_us': '100000\n',
        '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '-1\n',
        '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000\n',
      },
      1.5,
    ],
    [
      'version 1 in a container, whose path is the host’s',
      '3:cpu:/docker/abc\n',
      { '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '400000\n', '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n' },
      4,
    ],
    ['nothing to read', undefined, {}, undefined],
    ['nonsense', 'what?\n', { '/sys/fs/cgroup/cpu.max': '\n' }, undefined],
  ])('%s', (_name, group, texts, quota) => {
    const all = group === undefined ? texts : { ...texts, '/proc/self/cgroup': group };
    expect(cpuQuota(files(all as Record<string, string>))).toBe(quota);
  });

  it('only whole cores count, and at least one', () => {
    expect(coresOf(16, 2.5)).toBe(2);
    expect(coresOf(16, 0.5)).toBe(1);
    expect(coresOf(2, 8)).toBe(2);
    expect(coresOf(8, undefined)).toBe(8);
  });

  it('of this machine is a whole number above zero', () => {
    expect(usableCores()).toBeGreaterThanOrEqual(1);
    expect(Number.isInteger(usableCores())).toBe(true);
  });
});
