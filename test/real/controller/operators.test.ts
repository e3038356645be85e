import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Cluster } from 'kube-informer';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Backup } from '../../../examples/controllers/backups/backups.ts';
import { bundlePrograms } from '../../../tools/build/bundle-programs.ts';
import { backupsWork, dnsWorks, install, type Site, startBuckets } from '../../examples/operators.ts';
import { runExample } from '../../examples/run-example.ts';
import { onPath } from '../../runtimes/find.ts';
import { whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: the operators on a real kube-apiserver: ${missing}\n`);
const kubectl = onPath('kubectl');
if (kubectl === undefined) console.warn('\nSKIPPED: kubectl describe: kubectl is not installed\n');

describe.skipIf(missing !== undefined)('the operators of examples/, unchanged, on a real kube-apiserver', () => {
  let plane: ControlPlane;
  let dir: string;
  let site: Site;
  let admin: Cluster;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'operators-'));
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
    admin = await Cluster.connect({ kubeconfigFile: plane.kubeconfig });
    const programs = await bundlePrograms(['examples/controllers/backups/main.ts', 'examples/controllers/dns/main.ts']);
    site = {
      admin,
      async kubeconfig(token) {
        const path = join(dir, `kubeconfig-${Math.random().toString(36).slice(2)}`);
        const cluster = { server: plane.url, 'certificate-authority': plane.credentials.caFile };
        const parts = {
          clusters: [{ name: 'c', cluster }],
          users: [{ name: 'u', user: { token } }],
          contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
          'current-context': 'x',
        };
        await writeFile(path, JSON.stringify(parts));
        return path;
      },
      start: (program, env, args = []) => runExample(programs.path(program), { env, args, isBundled: true }),
    };
  }, 1_800_000);
  afterAll(async () => {
    await admin?.close();
    await plane?.[Symbol.asyncDispose]();
    await rm(dir, { recursive: true, force: true });
  });

  const namespace = async (name: string): Promise<string> => {
    await admin.resource('v1/namespaces').create({ metadata: { name } });
    return name;
  };

  test('CTR-54: X04 backups works with exactly the permissions of its manifests, and its successor takes over', async () =>
    backupsWork(site, await namespace('shop')));

  test('CTR-54: X04 dns works with exactly the permissions of its manifests', async () =>
    dnsWorks(site, await namespace('web')));

  test.skipIf(kubectl === undefined)('CTR-41: X02 kubectl describe shows the events of a run', async () => {
    const { env } = await install(site, 'backups');
    const buckets = await startBuckets();
    const running = site.start('examples/controllers/backups/main.ts', { ...env, BUCKETS_URL: buckets.url });
    onTestFinished(async () => void (await running.interrupt('SIGTERM')));
    const backups = admin.resource<Backup>('example.com/v1/backups');
    await backups.create({
      apiVersion: 'example.com/v1',
      kind: 'Backup',
      metadata: { name: 'told', namespace: await namespace('told') },
      spec: { schedule: '@weekly', bucket: 'told' },
    });
    const describes = async (): Promise<string> => {
      const args = ['--kubeconfig', plane.kubeconfig, 'describe', 'backup', 'told', '-n', 'told'];
      return (await promisify(execFile)(kubectl ?? '', args)).stdout;
    };
    await expect
      .poll(describes, { timeout: 90_000, interval: 1_000 })
      .toMatch(/Events:\n\s+Type\s+Reason\s.*\n.*\n\s+Normal\s+Scheduled\s.*runs at @weekly/);
    expect(await describes()).toMatch(/Reason:\s+NeverRan/);
  });
});
