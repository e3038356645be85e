import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
// @ts-expect-error a script without types
import { MAX_FILES, play as untyped } from '../../tools/ci/second-take.mjs';

interface Outcome {
  readonly code: number;
  readonly failed?: readonly { readonly file: string; readonly errors: readonly string[] }[];
  readonly complaints?: readonly string[];
}
type Run = (files?: readonly string[]) => Promise<Outcome>;
const play = untyped as (name: string, run: Run, print: (text: string) => void) => Promise<number>;

/** Plays a suite whose runs have these outcomes. */
async function rig(...outcomes: Outcome[]) {
  const runs: (readonly string[] | undefined)[] = [];
  const printed: string[] = [];
  const run: Run = async (files) => {
    runs.push(files);
    return outcomes.shift() as Outcome;
  };
  const code = await play('suite', run, (text) => printed.push(text));
  return { code, runs, printed: printed.join('\n') };
}

const failed = (...files: string[]): Outcome => ({
  code: 1,
  failed: files.map((file) => ({ file, errors: [`${file} is broken`] })),
  complaints: [],
});

describe('second take', () => {
  test('a suite that passes runs once', async () => {
    expect(await rig({ code: 0 })).toEqual({ code: 0, runs: [undefined], printed: '' });
  });

  test('only failed files run again; when they pass they are printed as flaky, with their first errors', async () => {
    const { code, runs, printed } = await rig(failed('a.test.ts', 'b.test.ts'), { code: 0 });
    expect(code).toBe(0);
    expect(runs).toEqual([undefined, ['a.test.ts', 'b.test.ts']]);
    expect(printed).toContain('flaky: a.test.ts; the first take failed with:\n  a.test.ts is broken');
    expect(printed).toContain('suite: 2 flaky, passed on the second take');
  });

  test('a file that fails twice fails the suite', async () => {
    const { code, printed } = await rig(failed('a.test.ts', 'b.test.ts'), failed('b.test.ts'));
    expect(code).toBe(1);
    expect(printed).toContain('passed the second time: a.test.ts');
    expect(printed).toContain('failed twice: b.test.ts');
  });

  test.each<[string, Outcome, string]>([
    ['without a failed file', { code: 1, failed: [], complaints: ['a rule has no test'] }, 'no file failed'],
    ['that crashed', { code: 7 }, 'no file failed'],
    ['with an error of its own', { ...failed('a.test.ts'), complaints: ['a test was skipped'] }, '1 other errors'],
    ['with many failed files', failed(...Array<string>(MAX_FILES + 1).fill('a')), 'more than 5'],
  ])('a run %s fails at once', async (_, outcome, reason) => {
    const { code, runs, printed } = await rig(outcome);
    expect(code).toBe(outcome.code);
    expect(runs).toHaveLength(1);
    expect(printed).toContain(reason);
  });

  test('Vitest tells which files failed, and runs them again', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'second-take-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    await symlink(resolve('node_modules'), join(dir, 'node_modules'), 'junction');
    const reporter = resolve('tools/reporters/take-reporter.ts');
    await writeFile(
      join(dir, 'vitest.config.ts'),
      `import { TakeReporter } from ${JSON.stringify(reporter)};
       export default { test: { root: ${JSON.stringify(dir)}, reporters: ['default', new TakeReporter()] } };`,
    );
    await writeFile(join(dir, 'good.test.ts'), `import { test } from 'vitest';\ntest('good', () => {});\n`);
    await writeFile(
      join(dir, 'flaky.test.ts'),
      `import { existsSync, writeFileSync } from 'node:fs';
       import { expect, test } from 'vitest';
       test('flaky', () => {
         const isSecond = existsSync('marker');
         writeFileSync('marker', '');
         expect(isSecond).toBe(true);
       });`,
    );
    const program = resolve('tools/ci/second-take.mjs');
    const options = { cwd: dir, encoding: 'utf8', env: { PATH: process.env['PATH'], NO_COLOR: '1' } } as const;
    const { status, stdout } = spawnSync(process.execPath, [program, 'vitest.config.ts'], options);
    expect(stdout).toMatch(/Tests {2}1 failed \| 1 passed[^]*second take of flaky\.test\.ts[^]*Tests {2}1 passed/);
    expect(stdout).toMatch(/^flaky: flaky\.test\.ts; the first take failed with:\n {2}flaky\n {2}AssertionError/m);
    expect(status).toBe(0);
    const command = [program, '--', process.execPath, '-e', 'console.log("no luck"); process.exit(3)'];
    const twice = spawnSync(process.execPath, command, options);
    expect(twice.stdout).toMatch(/failed twice: .*; the first take failed with:\n {2}no luck/);
    expect(twice.status).toBe(3);
  });
});
