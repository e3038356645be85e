import type { Reporter, TestModule, Vitest } from 'vitest/node';
// @ts-expect-error a script without types
import { complaints, readRows } from './spec.mjs';

/**
 * Fails a complete run when docs/SPEC.md claims a rule whose test was not among those that ran: the runner itself is
 * the list. Partial runs (a file, a name) say nothing about the table.
 */
export class SpecReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const { filenamePattern = [], config } = this.#vitest ?? {};
    if (filenamePattern.length > 0 || config?.testNamePattern !== undefined || config?.shard !== undefined) return;
    const titles = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.name));
    const found = complaints(readRows(), titles) as string[];
    for (const complaint of found) console.error(`docs/SPEC.md: ${complaint}`);
    console.log(found.length === 0 ? 'docs/SPEC.md: every claimed rule has a test that ran' : `docs/SPEC.md: ${found.length} complaints; try npm run spec`);
    if (found.length > 0) process.exitCode = 1;
  }
}
