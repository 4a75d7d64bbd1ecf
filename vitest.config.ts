import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/build-once.ts'],
    testTimeout: process.env['HELVE_SOAK'] ? 600_000 : 60_000,
    // On a machine that others share a process may stand still for long. What passed only then is named at the end.
    retry: process.env['CI'] ? 1 : 0,
    reporters: process.env['CI']
      ? ['default', ['json', { outputFile: 'node_modules/.cache/test-results.json' }]]
      : ['default'],
  },
});
