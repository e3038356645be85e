/**
 * Runs tests in a copy of the sources again and again, in one process: starting the runner for each mutant took longer than its tests.
 *
 * Talks with its parent by messages: gets `{ changed, tests }`, the file that differs since the last run and the test files to run;
 * answers `{ ok, failed }`, the title of the first test that failed. The parent ends it, also when a mutant never returns.
 */
import { resolve } from 'node:path';
import { createVitest } from 'vitest/node';

const [root] = process.argv.slice(2);
const vitest = await createVitest(
  'test',
  {
    root,
    watch: false,
    // A mutant may also be killed by a test that `npm test` leaves to the slow run.
    exclude: ['**/node_modules/**'],
    bail: 1,
    // A worker that is kept would keep the modules of the last mutant.
    isolate: true,
    maxWorkers: 1,
    testTimeout: 10_000,
    typecheck: { enabled: false },
    reporters: [{}],
    experimental: { fsModuleCache: true },
  },
  { clearScreen: false, logLevel: 'silent' },
);

process.on('message', ({ changed, tests }) => {
  verdictOf(changed, tests).then(
    (verdict) => process.send(verdict),
    (error) => process.send({ ok: false, failed: undefined, error: String(error) }),
  );
});
process.send('ready');

async function verdictOf(changed, tests) {
  for (const file of changed) vitest.invalidateFile(file);
  // Failures of the last mutant would count for `bail`, and no test would run.
  vitest.state.filesMap.clear();
  vitest.state.idMap.clear();
  const specifications = await vitest.globTestSpecifications(tests.map((test) => resolve(root, test)));
  if (specifications.length === 0) return { ok: false, failed: undefined };
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  const failedTests = testModules.flatMap((module) => [...module.children.allTests('failed')]);
  const failed =
    failedTests[0]?.name ??
    (testModules.some((module) => module.state() === 'failed') ? 'a file that no longer loads' : undefined) ??
    (unhandledErrors.length > 0 ? 'an error outside of tests' : undefined);
  return { ok: failed === undefined, failed };
}
