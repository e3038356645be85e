import type { Reporter, TestModule, Vitest } from 'vitest/node';
// @ts-expect-error a script without types
import { complaints, readRows, REAL } from '../spec/spec.mjs';

/**
 * Fails a complete run when docs/SPEC.md claims a rule whose test was not among those that ran: the runner itself is
 * the list. Partial runs (a file, a name) say nothing about the table.
 */
export class SpecReporter implements Reporter {
  readonly #suite: 'main' | 'real';
  #vitest: Vitest | undefined;

  constructor(suite: 'main' | 'real' = 'main') {
    this.#suite = suite;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const files = (await this.#vitest?.globTestSpecifications()) ?? [];
    if (modules.length < files.length || this.#vitest?.config.testNamePattern !== undefined) return;
    const prefix = this.#suite === 'real' ? (REAL as string) : '';
    const titles = modules.flatMap((module) => [...module.children.allTests()].map((test) => prefix + test.name));
    const rows = (readRows() as { test: string }[]).filter(({ test }) => {
      const isReal = test.startsWith(REAL as string);
      return this.#suite === 'real' ? isReal : !isReal;
    });
    const found = complaints(rows, titles) as string[];
    for (const complaint of found) console.error(`docs/SPEC.md: ${complaint}`);
    console.log(
      found.length === 0
        ? 'docs/SPEC.md: every claimed rule has a test that ran'
        : `docs/SPEC.md: ${found.length} complaints; try npm run spec`,
    );
    if (found.length > 0) process.exitCode = 1;
  }
}
