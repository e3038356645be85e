import { startLab } from '@kube-informer/controller/testing';
import { expect, test } from 'vitest';
import { copies } from './copies.ts';

test('copies follow their config map into other namespaces, are repaired, and go with it', async () => {
  await using lab = await startLab();
  const operator = lab.run([copies(lab.cluster)]);
  const origin = (to: string, text: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'ca',
      namespace: 'web',
      labels: { 'example.com/copied': 'true' },
      annotations: { 'example.com/copy-to': to },
    },
    data: { text },
  });
  const found = () =>
    lab
      .list('v1/configmaps')
      .filter(({ metadata }) => metadata?.namespace !== 'web' && metadata?.name === 'ca')
      .map((copy) => `${copy.metadata?.namespace} ${(copy as unknown as { data: { text: string } }).data.text}`);
  for (const name of ['a', 'b']) await lab.user.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await lab.user.apply(origin('a,b', 'one'));
  await lab.settled();
  expect(found()).toEqual(['a one', 'b one']);
  await lab.user.delete('v1/configmaps', 'a/ca');
  await lab.user.patch('v1/configmaps', 'b/ca', { data: { text: 'other' } });
  await lab.settled();
  expect(found()).toEqual(['a one', 'b one']);
  await lab.user.apply(origin('b', 'two'));
  await lab.settled();
  expect(found()).toEqual(['b two']);
  await lab.user.delete('v1/configmaps', 'web/ca');
  await lab.settled();
  expect([found(), lab.get('v1/configmaps', 'web/ca')]).toEqual([[], undefined]);
  expect(operator.health().controllers[0]).toMatchObject({ unmapped: 0 });
});
