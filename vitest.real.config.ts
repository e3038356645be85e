import { defineConfig } from 'vitest/config';
import { NothingSkipped } from './tools/reporters/nothing-skipped.ts';
import { SpecReporter } from './tools/reporters/spec-reporter.ts';
import { suiteResults } from './tools/reporters/suite-results.ts';
import { SummaryReporter } from './tools/reporters/summary-reporter.ts';
import { TakeReporter } from './tools/reporters/take-reporter.ts';
import base from './vitest.config.ts';

/** Runs alone: it compares what two clients do within seconds. */
const ALONE = ['test/real/differential/differential.test.ts'];

/** Tests that need a real kube-apiserver, etcd or kubectl. Where a part is missing they are skipped with a warning, and fail in CI. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: [],
    exclude: ['**/node_modules/**'],
    typecheck: { enabled: false },
    isolate: true,
    setupFiles: [],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: [
      'default',
      new SpecReporter('real'),
      new SummaryReporter(),
      new NothingSkipped(),
      new TakeReporter(),
      ...suiteResults('real'),
    ],
    projects: [
      {
        extends: true,
        // They mostly wait for servers to start and for real time-outs.
        test: {
          name: 'real',
          include: ['test/real/**/*.test.ts'],
          exclude: ALONE,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        // Scripts run in groups, and the first test of a group waits for all of it.
        test: { name: 'alone', include: ALONE, maxWorkers: 1, testTimeout: 900_000, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
