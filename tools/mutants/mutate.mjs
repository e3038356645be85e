/**
 * Breaks one rule at a time in a copy of the sources and runs the tests that should fail. `npm run mutate` prints the test that
 * killed each mutant; a survivor fails the run.
 *
 *   npm run mutate -- REF-05 WCH    only rules that begin with these words
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { celMutants } from './cel.mjs';
import { clientMutants } from './client.mjs';
import { controllerPartMutants } from './controller-parts.mjs';
import { controllerRunMutants } from './controller-runs.mjs';
import { controllerTermMutants } from './controller-terms.mjs';
import { mutants } from './engine.mjs';
import { freshnessMutants } from './freshness.mjs';
import { lockMutants } from './locks.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const LANES = 2;

/** Makes a copy with packages of its own; everything else is linked. */
function workspace() {
  const dir = mkdtempSync(join(tmpdir(), 'mutants-'));
  for (const part of [
    'packages',
    'tools',
    'vitest.config.ts',
    'tsconfig.base.json',
    'tsconfig.test.json',
    'tsconfig.test-d.json',
    'package.json',
  ]) {
    cpSync(join(root, part), join(dir, part), {
      recursive: true,
      filter: (path) => !/[\\/](dist|node_modules)$/.test(path),
    });
  }
  const modules = join(dir, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name === '@kube-informer') continue;
    const target = name === 'kube-informer' ? join(dir, 'packages/kube-informer') : join(root, 'node_modules', name);
    // Caches are written to and must not be shared with a run in the repository.
    if (!name.startsWith('.vite')) symlinkSync(target, join(modules, name));
  }
  mkdirSync(join(modules, '@kube-informer'));
  for (const name of readdirSync(join(dir, 'packages')))
    symlinkSync(join(dir, 'packages', name), join(modules, '@kube-informer', name));
  return dir;
}

function runTests(dir, tests) {
  const out = join(dir, 'result.json');
  rmSync(out, { force: true });
  const args = [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    ...tests,
    '--root',
    dir,
    '--typecheck.enabled=false',
    '--reporter=json',
    `--outputFile=${out}`,
    '--bail=1',
    '--maxWorkers=1',
    '--testTimeout=10000',
    // Mutants of a lane differ in one file.
    '--experimental.fsModuleCache',
  ];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: dir, stdio: 'ignore', env: { ...process.env, NO_COLOR: '1' } });
    // A mutant may loop for ever; that counts as killed.
    const late = setTimeout(() => child.kill('SIGKILL'), 90_000);
    child.on('exit', (code, signal) => {
      clearTimeout(late);
      let failed;
      try {
        const { testResults } = JSON.parse(readFileSync(out, 'utf8'));
        failed = testResults.flatMap((file) => file.assertionResults).find((test) => test.status === 'failed')?.title;
        failed ??= testResults.some((file) => file.status === 'failed') ? 'a file that no longer loads' : undefined;
      } catch {
        failed = signal === 'SIGKILL' ? 'the suite hung' : undefined;
      }
      resolve({ ok: code === 0, failed });
    });
  });
}

/** Runs the tests again if the runner failed without a failed test: on a busy machine it may not start. */
async function verdictOf(dir, tests) {
  for (let left = 3; ; left -= 1) {
    const { ok, failed } = await runTests(dir, tests);
    if (ok || failed !== undefined || left === 1) return { ok, failed };
  }
}

async function lane(dir, todo, done) {
  for (let mutant = todo.shift(); mutant !== undefined; mutant = todo.shift()) {
    const { home = 'kube-informer' } = mutant;
    const path = join(dir, `packages/${home}/src`, mutant.file);
    const source = readFileSync(path, 'utf8');
    if (source.split(mutant.find).length !== 2) {
      done({ mutant, verdict: 'STALE', by: `"${mutant.find.slice(0, 60)}" is not in the file exactly once` });
      continue;
    }
    writeFileSync(
      path,
      source.replace(mutant.find, () => mutant.replace),
    );
    const { ok, failed } = await verdictOf(
      dir,
      mutant.tests.map((name) => `packages/${home}/test/${name}`),
    );
    writeFileSync(path, source);
    done({ mutant, verdict: ok || failed === undefined ? 'SURVIVED' : 'killed', by: failed ?? '' });
  }
}

const wanted = process.argv.slice(2);
const todo = [
  ...mutants,
  ...freshnessMutants,
  ...clientMutants,
  ...celMutants,
  ...controllerPartMutants,
  ...controllerRunMutants,
  ...controllerTermMutants,
  ...lockMutants,
].filter(({ rule }) => wanted.length === 0 || wanted.some((name) => rule.startsWith(name)));
const total = todo.length;
const results = [];
const dirs = Array.from({ length: LANES }, workspace);
try {
  const done = (result) => {
    results.push(result);
    console.log(
      `${result.verdict.padEnd(8)} ${result.mutant.rule.padEnd(8)} ${result.mutant.what.padEnd(64)} ${result.by}`,
    );
  };
  await Promise.all(dirs.map((dir) => lane(dir, todo, done)));
} finally {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
}
const killed = results.filter(({ verdict }) => verdict === 'killed').length;
console.log(`mutants: ${killed} passed, ${total - killed} failed`);
process.exitCode = killed === total ? 0 : 1;
