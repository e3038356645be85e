import type { Reporter, TestModule } from 'vitest/node';

/** Prints one plain line at the end, for people and scripts that read logs: `tests: 12 passed, 0 failed, 1 skipped`. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') counts[state] += 1;
      }
      // A file that could not be loaded has no tests that could fail.
      if (module.state() === 'failed' && module.children.size === 0) counts.failed += 1;
    }
    console.log(`tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
