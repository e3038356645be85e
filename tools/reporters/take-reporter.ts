import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { complaints } from './complaints.ts';

/** The outcome of a run, as tools/ci/second-take.mjs reads it. */
export interface Take {
  readonly failed: readonly { readonly file: string; readonly errors: readonly string[] }[];
  /** Reasons to fail that no file has: an unhandled error, a claimed rule without a test, a skipped test. */
  readonly complaints: readonly string[];
}

/** Writes the outcome of a run to the file that `TAKE_FILE` names; does nothing without it. */
export class TakeReporter implements Reporter {
  readonly #file = process.env['TAKE_FILE'];

  onInit(_vitest: Vitest): void {
    if (this.#file !== undefined) delete process.env['TAKE_FILE']; // not for runs that a test starts
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { readonly message: string }[]): void {
    const file = this.#file;
    if (file === undefined) return;
    const failed = modules
      .filter((module) => !module.ok())
      .map((module) => ({ file: module.relativeModuleId, errors: errorsOf(module) }));
    // At the end of the process: other reporters may complain after this one.
    process.once('exit', () => {
      const take: Take = { failed, complaints: [...unhandled.map(({ message }) => message), ...complaints] };
      writeFileSync(file, JSON.stringify(take));
    });
  }
}

function errorsOf(module: TestModule): string[] {
  const own = module.errors().map(({ message }) => message);
  const ofTests = [...module.children.allTests('failed')].flatMap((test) => {
    const { errors } = test.result();
    return (errors ?? []).map(({ message, stack }) => `${test.fullName}\n${stack ?? message}`);
  });
  return [...own, ...ofTests];
}
