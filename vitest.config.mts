import { defineConfig } from 'vitest/config';

export default defineConfig({
  define: { ISOPERF_VERSION: JSON.stringify('0.0.0-test'), UNDICI_VERSION: JSON.stringify('test') },
  test: {
    setupFiles: ['test/unit/support/property-seed.ts'],
    include: ['test/unit/**/*.test.ts'],
    // For a machine at load 20; what must be on time is a test of the clock floor.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
