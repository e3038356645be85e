import { defineConfig } from 'vitest/config';
import { NothingSkipped } from './tools/reporters/nothing-skipped.ts';
import { SpecReporter } from './tools/reporters/spec-reporter.ts';
import { SummaryReporter } from './tools/reporters/summary-reporter.ts';
import base from './vitest.config.ts';

/** It compares what two clients do within seconds, so nobody else should take its time. */
const ALONE = ['test/real/differential/differential.test.ts'];

/** Tests that need a real kube-apiserver, etcd or kubectl. They skip loudly where a part is missing, and fail in CI. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: [],
    exclude: ['**/node_modules/**'],
    typecheck: { enabled: false },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ['default', new SpecReporter('real'), new SummaryReporter(), new NothingSkipped()],
    projects: [
      {
        extends: true,
        // They mostly wait: for servers that start, and for time-outs of the real world.
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
        // Stories are told many at a time, and whoever asks for the first waits for its whole group.
        test: { name: 'alone', include: ALONE, maxWorkers: 1, testTimeout: 900_000, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
