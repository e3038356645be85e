import { defineConfig } from 'vitest/config';
import { SpecReporter } from './tools/reporters/spec-reporter.ts';
import { SummaryReporter } from './tools/reporters/summary-reporter.ts';

// Tests run from source: the packages' `exports` carry a source condition, so nothing has to be built first.
const conditions = ['@kube-informer/source', 'node'];

/** Tests that `npm run test:slow` runs. */
export const SLOW: string[] = ['packages/*/test/**/*.{slow,load}.test.ts', 'test/**/*.slow.test.ts'];

/** Tests without sockets, files and processes, on the fake clock. They share a process: starting one for each took half of the time. */
const UNITS: string[] = [
  'packages/kube-informer/test/{core,store,informer,testing}/**/*.test.ts',
  'packages/kube-informer/test/client/{codec,discovery}/**/*.test.ts',
  'packages/apiserver/test/{api,core,registry,storage/store}/**/*.test.ts',
];
const EXCLUDED: string[] = [...SLOW, 'test/real/**', 'test/browser/**', '**/node_modules/**'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      { extends: true, test: { name: 'units', include: UNITS, exclude: EXCLUDED, isolate: false } },
      {
        extends: true,
        test: {
          name: 'rest',
          include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...UNITS, ...EXCLUDED],
          typecheck: { enabled: true, include: ['packages/*/test/**/*.test-d.ts'], tsconfig: './tsconfig.test.json' },
        },
      },
    ],
    reporters: ['default', new SpecReporter(), new SummaryReporter()],
    // One more than the default of Vitest on two cores: the suite mostly computes.
    maxWorkers: 2,
    // Few tests wait for real time, but on a busy machine a test may take ten times as long as on an idle one.
    testTimeout: 180_000,
    hookTimeout: 120_000,
    // The default of one second is too short for a busy machine.
    expect: { poll: { timeout: 60_000 } },
  },
});
