import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/**
 * Where CI is set, a test that is skipped because something is not installed is a failure: nobody would notice it there.
 *
 * Not those that a filter leaves out, nor those that skip themselves while they run.
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
    console.error(`\nCI is set, and ${skipped.length} tests were skipped:`);
    for (const { module, fullName } of skipped) console.error(`  ${module.relativeModuleId}: ${fullName}`);
    process.exitCode = 1;
  }
}

const isLeftOut = ({ options }: TestCase): boolean => options.mode === 'skip';
