import { defineConfig } from 'vitest/config';

export default defineConfig({
  define: { ISOPERF_VERSION: JSON.stringify('0.0.0-test'), UNDICI_VERSION: JSON.stringify('test') },
  test: {
    setupFiles: ['test/unit/support/property-seed.ts'],
    include: ['test/unit/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
