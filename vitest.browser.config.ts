import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './tools/reporters/summary-reporter.ts';
import { TakeReporter } from './tools/reporters/take-reporter.ts';
import base from './vitest.real.config.ts';

/** Tests in a real Chromium, on a real kube-apiserver behind `kubectl proxy`. Where a part is missing they are skipped with a warning. */
const { projects: _, ...settings } = base.test ?? {};

export default defineConfig({
  ...base,
  test: {
    ...settings,
    include: ['test/browser/**/*.test.ts'],
    reporters: ['default', new SummaryReporter(), new TakeReporter()],
    fileParallelism: false,
  },
});
