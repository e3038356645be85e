import { defineConfig } from 'vitest/config';
import { SpecReporter } from './tools/reporters/spec-reporter.ts';
import { SummaryReporter } from './tools/reporters/summary-reporter.ts';

// Tests run from source: the packages' `exports` carry a source condition, so nothing has to be built first.
const conditions = ['@kube-informer/source', 'node'];

/** Tests that `npm run test:slow` runs. */
export const SLOW: string[] = ['packages/*/test/**/*.{slow,load}.test.ts', 'test/**/*.slow.test.ts'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    exclude: [...SLOW, 'test/real/**', 'test/browser/**', '**/node_modules/**'],
    typecheck: { enabled: true, include: ['packages/*/test/**/*.test-d.ts'], tsconfig: './tsconfig.test-d.json' },
    reporters: ['default', new SpecReporter(), new SummaryReporter()],
    // Test files share two processes: starting one for each file and loading the same sources took a third of the CPU time.
    isolate: false,
    // So each file must leave its process as it was.
    setupFiles: ['./tools/test-setup/shared-process.ts'],
    // One more than the default of Vitest on two cores: the suite mostly computes.
    maxWorkers: 2,
    // Few tests wait for real time, but on a busy machine a test may take ten times as long as on an idle one.
    testTimeout: 180_000,
    hookTimeout: 120_000,
    // The default of one second is too short for a busy machine.
    expect: { poll: { timeout: 60_000 } },
  },
});
