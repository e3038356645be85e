import { kinds } from '@kube-informer/kubernetes/kinds';
import { expect, test } from 'vitest';
import { isClusterScoped } from '../../src/permissions/cluster-scoped.ts';

const nameOf = ({ group, version, resource }: (typeof kinds)[number]): string =>
  group === '' ? `${version}/${resource}` : `${group}/${version}/${resource}`;

// The table is written by hand, because permissions are printed without loading all kinds.
test('CTR-48: which built-in resources have no namespace is what Kubernetes says', () => {
  const watched = kinds.filter(({ verbs }) => verbs.includes('watch'));
  expect(watched.filter((kind) => isClusterScoped(nameOf(kind)) === kind.namespaced).map(nameOf)).toEqual([]);
});

test('of a custom resource it is not known', () => {
  expect(isClusterScoped('example.com/v1/nodes')).toBe(false);
});
