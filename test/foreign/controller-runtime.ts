import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { onPath } from '../real/harness/go-program.ts';
import { foreignCache } from './cache.ts';
import { runProgram } from './run-program.ts';
import type { Suite, SuiteResult } from './suite.ts';

const VERSION = 'v0.25.2';
const folder = join(foreignCache(), `controller-runtime-${VERSION}`);

/** Packages whose tests use a server, and get it from envtest: `USE_EXISTING_CLUSTER`. */
const PACKAGES = [
  'client', 'cache', 'controller', 'source', 'builder', 'cluster', 'controller/controllerutil', 'client/apiutil', 'envtest', 'handler',
  'internal/recorder', 'internal/controller', 'manager', 'manager/internal/integration', 'metrics/filters', 'reconcile', 'webhook',
]; // prettier-ignore

const binary = (name: string): string => join(folder, 'bin', `${name.replaceAll('/', '-')}.test`);

/** controller-runtime's own tests of one package. */
function packageSuite(name: string): Suite {
  return {
    name: `controller-runtime/${name}`,
    about: `controller-runtime ${VERSION}, its own tests of pkg/${name}`,
    // Building them takes minutes.
    isQuick: false,

    async prepare(log) {
      if (!onPath('go')) return 'Go is missing';
      const lacking = await moduleSource(log);
      if (lacking !== undefined || existsSync(binary(name))) return lacking;
      await mkdir(join(folder, 'bin'), { recursive: true });
      log(`building the tests of pkg/${name}`);
      const build = ['go', 'test', '-c', '-o', `${binary(name)}.new`, `./pkg/${name}`];
      const { code, stderr } = await runProgram(build, { cwd: join(folder, 'src'), timeoutMs: 1_800_000 });
      if (code !== 0) return `pkg/${name} does not build: ${stderr.trim().split('\n').at(-1) ?? ''}`;
      await rename(`${binary(name)}.new`, binary(name));
      return undefined;
    },

    play: (withServer, log) =>
      withServer(async (kubeconfig) => {
        const env = { KUBECONFIG: kubeconfig, USE_EXISTING_CLUSTER: 'true' };
        const command = [binary(name), '-test.v', '-test.timeout=15m', '--ginkgo.no-color'];
        const cwd = join(folder, 'src/pkg', name);
        const { code, stdout, stderr } = await runProgram(command, { cwd, env, timeoutMs: 960_000 });
        const result = goResult(stdout);
        if (code === 0 || result.failed.length > 0) return result;
        log(`${stdout.slice(-2_000)}\n${stderr.slice(-2_000)}`);
        return { ...result, failed: [`the tests ended with ${code}`] };
      }),
  };
}

export const controllerRuntime: readonly Suite[] = PACKAGES.map(packageSuite);

/** Copies the module out of Go's cache, which is read-only. Returns why it is not possible. */
async function moduleSource(log: (line: string) => void): Promise<string | undefined> {
  if (existsSync(join(folder, 'src'))) return undefined;
  log(`downloading controller-runtime ${VERSION} from the Go module proxy`);
  const module = `sigs.k8s.io/controller-runtime@${VERSION}`;
  const { code, stdout, stderr } = await runProgram(['go', 'mod', 'download', '-json', module], { timeoutMs: 300_000 });
  if (code !== 0) return `${module} cannot be downloaded: ${stderr.trim()}`;
  const { Dir } = JSON.parse(stdout) as { Dir: string };
  await rm(join(folder, 'new'), { recursive: true, force: true });
  await cp(Dir, join(folder, 'new'), { recursive: true });
  for (const entry of await readdir(join(folder, 'new'), { recursive: true, withFileTypes: true }))
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  await chmod(join(folder, 'new'), 0o755);
  await rename(join(folder, 'new'), join(folder, 'src'));
  return undefined;
}

/** Counts specs of Ginkgo, and plain tests beside the one that runs them. */
function goResult(text: string): SuiteResult {
  const [, passed, failed, pending, skipped] =
    /(\d+) Passed \| (\d+) Failed \| (\d+) Pending \| (\d+) Skipped/.exec(text) ?? [];
  const specs = [...text.matchAll(/^\s*\[FAIL\] (.+)$/gm)].map(([, title = '']) => title.trim());
  const tests = [...text.matchAll(/^--- (PASS|FAIL|SKIP): (\S+)/gm)].map(([, end = '', title = '']) => ({ end, title }));
  // The test that runs the specs is not one itself.
  const plain = passed === undefined ? tests : tests.filter(({ title }) => !/^Test(?:Source|Event[Hh]andler|Recorder|Suite|.*Suite|Builder|Client|Cache|Manager|Controller|ControllerUtil|Controllerutil|Cluster|Reconcile|Webhook|Handler|Filters|MetricsFilters)$/.test(title)); // prettier-ignore
  const failures = [...new Set(specs), ...plain.filter(({ end }) => end === 'FAIL').map(({ title }) => title)];
  const missing = Math.max(0, Number(failed ?? 0) - new Set(specs).size);
  return {
    passed: Number(passed ?? 0) + plain.filter(({ end }) => end === 'PASS').length,
    failed: [...failures, ...Array.from({ length: missing }, () => 'a spec without a title')],
    skipped: Number(pending ?? 0) + Number(skipped ?? 0) + plain.filter(({ end }) => end === 'SKIP').length,
  };
} // prettier-ignore
