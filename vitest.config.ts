import { defineConfig } from 'vitest/config';

// They look at how much memory a process takes, so each needs one in which nothing has run before.
const measuringMemory = [
  'src/cli/stream-json/slow-reader-guard.test.ts',
  'src/platform/shell/filter-output.test.ts',
  'src/platform/shell/read-output.test.ts',
  'src/platform/shell/run-process.test.ts',
  'test/scenarios/bad-luck-commands.test.ts',
];

// No module holds state, so files share a worker: to start one and load all modules anew takes longer than most files do.
const shared = { isolate: false, exclude: measuringMemory };

export default defineConfig({
  test: {
    globalSetup: ['test/build-once.ts'],
    maxWorkers: '100%', // else one core is left idle, which of two is half
    testTimeout: process.env['HELVE_SOAK'] ? 600_000 : 60_000,
    restoreMocks: true,
    unstubEnvs: true,
    // On a machine that others share a process may stand still for long. What passed only then is named at the end.
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
