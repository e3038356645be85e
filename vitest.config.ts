import { defineConfig } from 'vitest/config';
import { SpecReporter } from './tools/reporters/spec-reporter.ts';
import { suiteResults } from './tools/reporters/suite-results.ts';
import { SummaryReporter } from './tools/reporters/summary-reporter.ts';
import { TakeReporter } from './tools/reporters/take-reporter.ts';

// Tests run from source: the packages' `exports` carry a source condition, so nothing has to be built first.
const conditions = ['@kube-informer/source', 'node'];

/** Tests that `npm run test:slow` runs. */
export const SLOW: string[] = [
  'packages/*/test/**/*.{slow,load}.test.ts',
  'test/**/*.slow.test.ts',
  // Their names are shown in the guides.
  'examples/controllers/{backups,dns}/*.test.ts',
];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    exclude: [...SLOW, 'test/real/**', 'test/browser/**', '**/node_modules/**'],
    reporters: ['default', new SpecReporter(), new SummaryReporter(), new TakeReporter(), ...suiteResults('main')],
    // Test files share processes: starting one for each file and loading the same sources took a third of the CPU time.
    isolate: false,
    // So each file must leave its process as it was.
    setupFiles: ['./tools/test-setup/shared-process.ts'],
    // One more than two cores: tests that wait for sockets and processes leave a fifth of the time of two workers unused.
    maxWorkers: 3,
    // Few tests wait for real time, but on a busy machine a test may take ten times as long as on an idle one.
    testTimeout: 180_000,
    hookTimeout: 120_000,
    // The default of one second is too short for a busy machine.
    expect: { poll: { timeout: 60_000, interval: 10 } },
  },
});
