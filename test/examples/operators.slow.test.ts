import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from '@kube-informer/apiserver';
import { Cluster } from 'kube-informer';
import { expect, onTestFinished, test } from 'vitest';
import { backupsWork, dnsWorks, documentsOf, install, type Site } from './operators.ts';
import { example, run } from './rig.ts';

/** An embedded server with RBAC. */
async function site(): Promise<Site> {
  const server = await startApiServer({ auth: 'rbac' });
  onTestFinished(() => server.close());
  const dir = await mkdtemp(join(tmpdir(), 'operators-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const admin = await Cluster.connect({ kubeconfig: server.kubeconfig() });
  onTestFinished(() => admin.close());
  await admin.resource('v1/namespaces').create({ metadata: { name: 'web' } });
  return {
    admin,
    async kubeconfig(token) {
      const path = join(dir, 'kubeconfig');
      const cluster = { server: server.url, 'certificate-authority-data': btoa(server.ca ?? '') };
      const parts = {
        clusters: [{ name: 'c', cluster }],
        users: [{ name: 'u', user: { token } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      };
      await writeFile(path, JSON.stringify(parts));
      return path;
    },
    start: (program, env, args = []) => run(program, { env, args }),
  };
}

// Nothing on stderr: no permission is missing (X04).
example(
  'controllers/backups/main.ts',
  'works with exactly the permissions of its manifests, and its successor takes over',
  async () => backupsWork(await site(), 'web'),
);

example('controllers/dns/main.ts', 'works with exactly the permissions of its manifests', async () =>
  dnsWorks(await site(), 'web'),
);

test.each(['backups', 'dns'])(
  'CTR-54: X04 the manifests of %s have the roles that the operator prints',
  async (folder) => {
    const here = await site();
    const { env } = await install(here, folder);
    const printed = JSON.parse(await here.start(`examples/controllers/${folder}/main.ts`, env, ['rbac']).ended()) as {
      readonly items: readonly object[];
    };
    const manifests = await documentsOf(`examples/controllers/${folder}/manifests.yaml`);
    expect(printed.items).toEqual(manifests.filter(({ kind }) => /Role/.test(kind ?? '')));
  },
);

test('CTR-54: X04 without its role for the lease an operator says which permissions are missing, and where', async () => {
  const here = await site();
  const { env } = await install(here, 'dns', ['RoleBinding']);
  const running = here.start('examples/controllers/dns/main.ts', env);
  const missing = (): readonly string[] =>
    running
      .complaints()
      .flatMap((line) => /missing permission: [^"]*"[^"]*"[^"}]*/.exec(line.replaceAll('\\', ''))?.[0] ?? []);
  await expect
    .poll(missing, { timeout: 90_000 })
    .toEqual(
      ['create', 'get', 'update'].map(
        (verb) => `missing permission: ${verb} leases of group "coordination.k8s.io" in namespace dns`,
      ),
    );
});
