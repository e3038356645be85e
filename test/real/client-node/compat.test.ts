import { execFile, spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startApiServer } from '@kube-informer/apiserver';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runExample } from '../../examples/run-example.ts';
import { hasClientNode, nodeFor } from '../harness/client-node.ts';

const repository = join(import.meta.dirname, '../../..');
const RUNTIMES = join(repository, 'test/runtimes');
if (!hasClientNode) console.warn('\nSKIPPED: kube-informer/compat: run "npm ci --prefix test/runtimes" first\n');

const PROGRAM = fileURLToPath(new URL('../../runtimes/compat.mjs', import.meta.url));

/** Runs the program, and breaks the server when the program asks for it. */
async function played(node: string, name: string, whose: string): Promise<Record<string, unknown>> {
  await using server = await startApiServer();
  const dir = await mkdtemp(join(tmpdir(), 'compat-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const kubeconfig = join(dir, 'kubeconfig');
  await server.writeKubeconfig(kubeconfig);
  const tsx = join(repository, 'node_modules/tsx/dist/cli.mjs');
  const args = [tsx, '--conditions=@kube-informer/source', PROGRAM, name, whose];
  const child = spawn(node, args, {
    env: { PATH: process.env['PATH'] ?? '', HOME: dir, KUBECONFIG: kubeconfig },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const said: Record<string, unknown> = {};
  for await (const line of createInterface({ input: child.stdout })) {
    const { ask, step, got } = JSON.parse(line) as { ask?: string; step?: string; got?: unknown };
    if (step !== undefined) said[step] = got;
    if (ask === undefined) continue;
    const ended = server.faults.add({ match: { verb: 'watch' }, at: { ms: 1 }, do: { end: true } });
    server.faults.add({ match: { verb: 'watch' }, at: 'start', do: { status: 500 } });
    await ended.done;
    child.stdin.write('done\n');
  }
  if (said['ListWatch'] === undefined) throw new Error(`it ended early: ${complaints}`);
  return said;
}

const EXPECTED = {
  start: { seen: ['add one', 'add two'], names: ['one', 'two'] },
  follow: { seen: ['add three', 'update one', 'delete two'], changes: 5, gone: true },
  get: { a: '2' },
  others: [true, 0, 'string'],
  'stop and start': ['add five', 'delete three'],
  ListWatch: ['eight', 'six'],
};

describe.skipIf(!hasClientNode).each(['client-node-1', 'client-node-2'])('a program written for %s', (name) => {
  const node = nodeFor(name);
  if (node === undefined) console.warn(`\nSKIPPED: ${name}: it needs Node 22.19, this is ${process.version}\n`);

  test.skipIf(node === undefined)('client-node’s own makeInformer works until a 500', async () => {
    const { 'after a 500': after, ...rest } = await played(node as string, name, 'theirs');
    expect(rest).toMatchObject({ ...EXPECTED, 'stop and start': expect.anything() });
    expect(after).toEqual({ received: true, alive: false });
  });

  test.skipIf(node === undefined)('ours works the same and continues after the 500', async () => {
    const said = await played(node as string, name, 'ours');
    expect(said).toEqual({ ...EXPECTED, 'after a 500': { received: true, alive: true } });
  });

  test.skipIf(node === undefined)('examples/migrating/migrate-from-client-node.mjs', async () => {
    await using server = await startApiServer();
    // Where the example finds the package under its own name.
    const dir = join(RUNTIMES, 'node_modules', `.example-${name}`);
    await mkdir(join(dir, 'node_modules/@kubernetes'), { recursive: true });
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    await symlink(join(RUNTIMES, 'node_modules', name), join(dir, 'node_modules/@kubernetes/client-node'));
    await copyFile(join(repository, 'examples/migrating/migrate-from-client-node.mjs'), join(dir, 'example.mjs'));
    const kubeconfig = join(dir, 'kubeconfig');
    await server.writeKubeconfig(kubeconfig);
    const load = (pod: string): number =>
      server.load([{ apiVersion: 'v1', kind: 'Pod', metadata: { name: pod, namespace: 'web' } }]);
    load('shop-0');
    const running = runExample(join(dir, 'example.mjs'), { node: node as string, env: { KUBECONFIG: kubeconfig } });
    await running.prints('+ shop-0\n1 pods\n');
    server.faults.add({ match: { verb: 'watch' }, at: 'start', do: { status: 500 } });
    server.faults.cutWatches();
    await running.prints('! 500\n');
    load('shop-1');
    await running.prints('+ shop-1\n');
    await running.interrupt();
  });

  test('compiles with ours, with all type annotations', async () => {
    // Beside the package, where its types are found, and outside of the sources.
    const dir = join(RUNTIMES, 'node_modules', `.compat-${name}`);
    await mkdir(dir, { recursive: true });
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const program = `
      import * as k8s from '${name}';
      import { ListWatch, makeInformer } from 'kube-informer/compat';
      const config = new k8s.KubeConfig();
      const core = config.makeApiClient(k8s.CoreV1Api);
      const listFn = (): Promise<k8s.V1PodList> => core.listNamespacedPod({ namespace: 'web' });
      const informer: k8s.Informer<k8s.V1Pod> & k8s.ObjectCache<k8s.V1Pod> =
        makeInformer(config, '/api/v1/namespaces/web/pods', listFn, 'app=shop');
      informer.on('add', (pod) => console.log(pod.spec?.nodeName));
      informer.on('change', (pod: k8s.V1Pod) => console.log(pod.metadata?.name));
      informer.on(k8s.ERROR, (error: k8s.V1Status) => console.log(error.code));
      informer.on('error', (error: Error) => console.log(error.message));
      informer.on('connect', () => {});
      const pod: k8s.V1Pod | undefined = informer.get('shop-0', 'web');
      const cache: ListWatch<k8s.V1Pod> = new ListWatch('/api/v1/pods', new k8s.Watch(config), listFn, false);
      const all: readonly k8s.V1Pod[] = cache.list('web');
      console.log(pod, all);
      // @ts-expect-error pods have no replicas
      informer.on('add', (one) => console.log(one.spec?.replicas));
    `;
    await writeFile(join(dir, 'program.ts'), program);
    const options = { module: 'NodeNext', strict: true, noEmit: true, skipLibCheck: true, types: ['node'] };
    const compilerOptions = {
      ...options,
      target: 'ES2023',
      lib: ['ES2023', 'ESNext.Disposable', 'DOM'],
      typeRoots: [join(repository, 'node_modules/@types')],
      customConditions: ['@kube-informer/source'],
      allowImportingTsExtensions: true,
    };
    await writeFile(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    const tsc = join(repository, 'node_modules/typescript/bin/tsc');
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, [tsc, '-p', dir], (_, stdout, stderr) => resolve(stdout + stderr));
    });
    expect(output).toBe('');
  });
});
