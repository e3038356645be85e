import type { Reporter, TestModule, Vitest } from 'vitest/node';
// @ts-expect-error a script without types
import { complaints, PREFIXES, readRows, suiteOf } from '../spec/spec.mjs';
import { complain } from './complaints.ts';

/**
 * Fails a complete run of a suite when docs/SPEC.md claims a rule whose test belongs to the suite and was not among those that
 * ran: the runner itself is the list. Partial runs (a file, a name) are not checked.
 */
export class SpecReporter implements Reporter {
  readonly #suite: 'main' | 'slow' | 'real';
  #vitest: Vitest | undefined;

  constructor(suite: 'main' | 'slow' | 'real' = 'main') {
    this.#suite = suite;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const files = (await this.#vitest?.globTestSpecifications()) ?? [];
    if (modules.length < files.length || this.#vitest?.config.testNamePattern !== undefined) return;
    const prefix = (PREFIXES as Record<string, string>)[this.#suite];
    const titles = modules.flatMap((module) => [...module.children.allTests()].map((test) => prefix + test.name));
    const rows = (readRows() as { test: string }[]).filter(
      ({ test }) => (suiteOf as (title: string) => string)(test) === this.#suite,
    );
    const found = complaints(rows, titles) as string[];
    for (const complaint of found) complain(`docs/SPEC.md: ${complaint}`);
    console.log(
      found.length === 0
        ? 'docs/SPEC.md: every claimed rule has a test that ran'
        : `docs/SPEC.md: ${found.length} complaints; try npm run spec`,
    );
  }
}
