import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './tools/reporters/summary-reporter.ts';
import base from './vitest.real.config.ts';

/** Tests in a real Chromium, on a real kube-apiserver behind `kubectl proxy`. They skip loudly where a part is missing. */
const { projects: _, ...settings } = base.test ?? {};

export default defineConfig({
  ...base,
  test: {
    ...settings,
    include: ['test/browser/**/*.test.ts'],
    reporters: ['default', new SummaryReporter()],
    fileParallelism: false,
  },
});
