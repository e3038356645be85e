import { defineConfig } from 'vitest/config';
import { SpecReporter } from './tools/reporters/spec-reporter.ts';
import { suiteResults } from './tools/reporters/suite-results.ts';
import { SummaryReporter } from './tools/reporters/summary-reporter.ts';
import { TakeReporter } from './tools/reporters/take-reporter.ts';
import base, { SLOW } from './vitest.config.ts';

/** What `npm test` leaves out because it takes minutes: more seeds, planted bugs, waits in real time. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: SLOW,
    exclude: ['**/node_modules/**'],
    typecheck: { enabled: true, include: ['packages/*/test/**/*.test-d.ts'], tsconfig: './tsconfig.test-d.json' },
    // They measure memory, start processes or run for minutes.
    isolate: true,
    maxWorkers: 2,
    // They compute for a minute on an idle machine, and ten times as long on a busy one.
    testTimeout: 900_000,
    setupFiles: [],
    reporters: [
      'default',
      new SpecReporter('slow'),
      new SummaryReporter(),
      new TakeReporter(),
      ...suiteResults('slow'),
    ],
  },
});
