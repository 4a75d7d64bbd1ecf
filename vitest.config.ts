import { defineConfig } from 'vitest/config';

// These measure the memory of their process, so each needs a fresh one.
const measuringMemory = [
  'src/cli/stream-json/slow-reader-guard.test.ts',
  'src/platform/shell/filter-output.test.ts',
  'src/platform/shell/read-output.test.ts',
  'src/platform/shell/run-process.test.ts',
  'test/scenarios/bad-luck-commands.test.ts',
];

// No module holds state, so files share a worker: starting one and loading all modules takes longer than most test files.
const shared = { isolate: false, exclude: measuringMemory };

export default defineConfig({
  test: {
    globalSetup: ['test/build-once.ts'],
    maxWorkers: '100%', // otherwise one core stays idle, which is half of two
    testTimeout: process.env['HELVE_SOAK'] ? 600_000 : 60_000,
    restoreMocks: true,
    unstubEnvs: true,
    // On a shared machine a process may be suspended for long. Tests that passed only on retry are named at the end.
    retry: process.env['CI'] ? 1 : 0,
    reporters: process.env['CI']
      ? ['default', ['json', { outputFile: 'node_modules/.cache/test-results.json' }]]
      : ['default'],
    // Projects run by the order of their names: the short files come last, so that all workers end at the same time.
    projects: [
      { extends: true, test: { name: 'memory', include: measuringMemory } },
      { extends: true, test: { name: 'stories', include: ['test/**/*.test.ts'], ...shared } },
      { extends: true, test: { name: 'units', include: ['src/**/*.test.ts'], ...shared } },
    ],
  },
});
