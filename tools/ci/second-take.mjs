/**
 * Runs a suite, and its failed files a second time: with real servers, networks and browsers a test may fail by chance.
 *
 *   node tools/ci/second-take.mjs vitest.real.config.ts    the failed files of a suite of Vitest; further words are for its runner
 *   node tools/ci/second-take.mjs -- npm run chaos         a whole command
 *
 * A file that passes the second time is printed as `flaky`, with its first errors, and the exit code is 0. A file that fails
 * twice fails the suite, and so does any other error of the run.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Maximum number of failed files that run again; more are not chance. */
export const MAX_FILES = 5;

/**
 * Plays a suite and resolves to its exit code. `run(files)` runs these files, or all without the argument, and resolves to the
 * exit code and the errors of each failed file.
 */
export async function play(name, run, print = console.log) {
  const first = await run();
  if (first.code === 0) return 0;
  const { failed = [], complaints = [] } = first;
  const reason =
    failed.length === 0
      ? 'no file failed, so there is nothing to run again'
      : complaints.length > 0
        ? `the run has ${complaints.length} other errors`
        : failed.length > MAX_FILES
          ? `${failed.length} files failed, more than ${MAX_FILES}`
          : undefined;
  if (reason !== undefined) {
    print(`${name}: failed; no second take: ${reason}`);
    return first.code;
  }
  const files = failed.map(({ file }) => file);
  print(`\n${name}: second take of ${files.join(', ')}`);
  const second = await run(files);
  const again = new Set((second.failed ?? []).map(({ file }) => file));
  for (const { file, errors } of failed) {
    const verdict = second.code === 0 ? 'flaky' : again.has(file) ? 'failed twice' : 'passed the second time';
    print(`\n${verdict}: ${file}; the first take failed with:\n${indented(errors.join('\n'))}`);
  }
  print(`${name}: ${second.code === 0 ? `${files.length} flaky, passed on the second take` : 'failed twice'}`);
  return second.code;
}

const indented = (text) => text.replaceAll(/^/gm, '  ');

/** Runs the files of a suite of Vitest. Its configuration must have the TakeReporter. */
async function vitest(config, words, files = []) {
  const folder = mkdtempSync(join(tmpdir(), 'take-'));
  const file = join(folder, 'take.json');
  const runner = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
  try {
    const { code } = await execute([process.execPath, runner, 'run', '--config', config, ...words, ...files], {
      TAKE_FILE: file,
      // The second take is a part of the suite: results of the whole are those of the first.
      ...(files.length === 0 ? {} : { SUITE_RESULTS: '' }),
    });
    // Without the file the runner itself has crashed, and the failed files are unknown.
    return { code, ...(code === 0 ? {} : readIf(file)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readIf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/** Runs a command that is one unit: it failed as a whole. */
async function command(words) {
  const { code, end } = await execute(words);
  return { code, failed: code === 0 ? [] : [{ file: words.join(' '), errors: [end] }] };
}

/** Maximum length of the output quoted of a command that failed. */
const MAX_QUOTED = 4_000;

/** Runs a command with its output passed on; resolves to its exit code and the end of its output. */
function execute([program, ...args], env = {}) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let end = '';
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ])
    // prettier-ignore
    from.on('data', (chunk) => {
      to.write(chunk);
      end = (end + chunk).slice(-MAX_QUOTED);
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, end }));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [word, ...words] = process.argv.slice(2);
  if (word === undefined || (word === '--' && words.length === 0))
    throw new Error('usage: node tools/ci/second-take.mjs <vitest config> [<word> …] | -- <command>');
  process.exitCode = await (word === '--'
    ? play(words.join(' '), () => command(words))
    : play([word, ...words].join(' '), (files) => vitest(word, words, files)));
}
