/**
 * Breaks one rule at a time in a copy of the sources and runs the tests that should fail. `npm run mutate` prints the test that
 * killed each mutant; a survivor fails the run.
 *
 *   npm run mutate -- REF-05 WCH    only rules that begin with these words
 *   npm run mutate -- --texts       only checks that each mutant's text is in its file, in a second
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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

/** Time after which a mutant that does not return counts as killed. */
const HUNG_AFTER_MS = 90_000;

/** A runner of tests in one workspace; it is started again after a mutant that never returned, or that ended its process. */
class Runner {
  #dir;
  #child;
  /** Files that differ from what the runner has read. */
  #changed = new Set();

  constructor(dir) {
    this.#dir = dir;
  }

  write(path, text) {
    writeFileSync(path, text);
    this.#changed.add(path);
  }

  /** Runs the tests, again if the runner failed without a failed test: on a busy machine it may not start. */
  async verdictOf(tests) {
    for (let left = 3; ; left -= 1) {
      const { ok, failed } = await this.#run(tests);
      if (ok || failed !== undefined || left === 1) return { ok, failed };
      this.end();
    }
  }

  async #run(tests) {
    this.#child ??= await this.#start();
    const child = this.#child;
    const changed = [...this.#changed];
    this.#changed.clear();
    return new Promise((resolve) => {
      const settle = (result) => {
        clearTimeout(late);
        child.removeAllListeners();
        resolve(result);
      };
      const late = setTimeout(() => {
        this.end();
        settle({ ok: false, failed: 'the suite hung' });
      }, HUNG_AFTER_MS);
      child.once('message', settle);
      child.once('exit', () => {
        this.#child = undefined;
        settle({ ok: false, failed: undefined });
      });
      child.send({ changed, tests });
    });
  }

  async #start() {
    const child = fork(fileURLToPath(new URL('mutant-runner.mjs', import.meta.url)), [this.#dir], {
      cwd: this.#dir,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { ...process.env, NO_COLOR: '1' },
    });
    await once(child, 'message');
    return child;
  }

  end() {
    this.#child?.removeAllListeners();
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }
}

const sourceOf = (dir, { home = 'kube-informer', file }) => join(dir, `packages/${home}/src`, file);

/** The reason a mutant cannot be made: its file was moved, or its text is no longer there exactly once. */
function staleness(path, { file, find }) {
  if (!existsSync(path)) return `there is no ${file}`;
  if (readFileSync(path, 'utf8').split(find).length === 2) return undefined;
  return `"${find.slice(0, 60)}" is not in the file exactly once`;
}

async function lane(dir, todo, done) {
  const runner = new Runner(dir);
  const run = ({ home = 'kube-informer', tests }) =>
    runner.verdictOf(tests.map((name) => `packages/${home}/test/${name}`));
  let last;
  for (let mutant = todo.shift(); mutant !== undefined; mutant = todo.shift()) {
    const path = sourceOf(dir, mutant);
    const stale = staleness(path, mutant);
    if (stale !== undefined) {
      done({ mutant, verdict: 'STALE', by: stale });
      continue;
    }
    const source = readFileSync(path, 'utf8');
    runner.write(
      path,
      source.replace(mutant.find, () => mutant.replace),
    );
    const { ok, failed } = await run(mutant);
    runner.write(path, source);
    done({ mutant, verdict: ok || failed === undefined ? 'SURVIVED' : 'killed', by: failed ?? '' });
    last = mutant;
  }
  // The sources are whole again. If the runner still fails, it has kept something of a mutant, and its verdicts are worth nothing.
  const control = last === undefined ? { ok: true } : await run(last);
  runner.end();
  if (!control.ok) throw new Error(`without a mutant, a test fails: ${control.failed ?? 'the runner did not run'}`);
}

const wanted = process.argv.slice(2).filter((word) => word !== '--texts');
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
if (process.argv.includes('--texts')) {
  const stale = todo.flatMap((mutant) => {
    const reason = staleness(sourceOf(root, mutant), mutant);
    return reason === undefined ? [] : [`STALE ${mutant.rule} ${mutant.what}: ${reason}`];
  });
  for (const line of stale) console.log(line);
  console.log(`mutants: ${total - stale.length} of ${total} can be made`);
  process.exit(stale.length === 0 ? 0 : 1);
}
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
