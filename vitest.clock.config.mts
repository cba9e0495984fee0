import { defineConfig, mergeConfig } from 'vitest/config';
import unit from './vitest.config.mts';

// The clock floor: what has to be on time on this machine's own clock. One file after the other, never retried.
export default mergeConfig(
  { ...unit, test: { ...unit.test, include: [] } },
  defineConfig({ test: { include: ['test/clock/**/*.test.ts'], fileParallelism: false, maxWorkers: 1, retry: 0 } }),
);
