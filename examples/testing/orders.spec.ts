/** A test file with a namespace of its own on the shared server: files may run at the same time. */
// #region test
import { Cluster } from 'kube-informer';
import { afterAll, expect, test } from 'vitest'; // Jest: the same names, as globals

const cluster = await Cluster.connect(); // KUBECONFIG of the setup
const namespaces = cluster.resource('v1/namespaces');
const { metadata } = await namespaces.create({ metadata: { generateName: 'orders-' } });
const namespace = metadata.name;
afterAll(async () => {
  await namespaces.delete(namespace); // with everything in it
  await cluster.close();
});

test('a job completes', async () => {
  const spec = {
    template: { spec: { restartPolicy: 'Never' as const, containers: [{ name: 'main', image: 'orders:1' }] } },
  };
  await cluster.resource('batch/v1/jobs').create({ metadata: { name: 'import', namespace }, spec });
  const jobs = cluster.informer('batch/v1/jobs', { namespace });
  await jobs.waitFor('import', (job) => job?.status?.succeeded === 1, { timeoutMs: 60_000 });
  expect(jobs.list()).toHaveLength(1);
});
// #endregion
