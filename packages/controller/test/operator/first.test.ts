import { expect, test } from 'vitest';
import { controller } from '../../src/index.ts';
import { startLab } from '../../src/testing/lab.ts';

test('CTR-02: twelve lines: every namespace gets a label', async () => {
  await using lab = await startLab();
  const teams = controller(lab.cluster, 'v1/namespaces', {
    name: 'team-labels',
    reconcile: async ({ object, patch }) => {
      if (object.metadata.labels?.['team'] !== undefined) return;
      await patch({ metadata: { labels: { team: 'nobody' } } });
    },
  });
  const operator = lab.run([teams]);
  await lab.settled();
  expect(lab.list('v1/namespaces').map(({ metadata }) => metadata?.labels?.['team'])).toEqual(
    lab.list('v1/namespaces').map(() => 'nobody'),
  );
  await lab.user.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } });
  await lab.settled();
  expect(lab.get('v1/namespaces', 'web')?.metadata?.labels?.['team']).toBe('nobody');
  expect(operator.state.kind).toBe('leading');
  expect(operator.runs('team-labels', 'web').map(({ outcome }) => outcome)).toEqual(['success', 'success']);
});
