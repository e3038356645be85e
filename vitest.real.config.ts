import { defineConfig } from 'vitest/config';
import { SpecReporter } from './tools/spec-reporter.ts';
import { SummaryReporter } from './tools/summary-reporter.ts';
import base from './vitest.config.ts';

/** Tests that need a real kube-apiserver, etcd or kubectl. They skip loudly where a part is missing. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/real/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    typecheck: { enabled: false },
    testTimeout: 180_000,
    // They mostly wait: for servers that start, and for time-outs of the real world.
    maxWorkers: 2,
    reporters: ['default', new SpecReporter('real'), new SummaryReporter()],
  },
});
