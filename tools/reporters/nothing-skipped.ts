import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { complain } from './complaints.ts';

/**
 * Fails a run in CI that skipped a test because something is not installed: it would not be noticed there.
 *
 * Tests that a filter leaves out, and those that skip themselves while they run, are not counted.
 */
export class NothingSkipped implements Reporter {
  readonly #isOn = ['true', '1'].includes(process.env['CI'] ?? '');
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (!this.#isOn || this.#vitest?.config.testNamePattern !== undefined) return;
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]).filter(isLeftOut);
    if (skipped.length === 0) return;
    const names = skipped.map(({ module, fullName }) => `  ${module.relativeModuleId}: ${fullName}`);
    complain([`\nCI is set, and ${skipped.length} tests were skipped:`, ...names].join('\n'));
  }
}

const isLeftOut = ({ options }: TestCase): boolean => options.mode === 'skip';
