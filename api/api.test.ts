import { join } from 'node:path';
import { expect, test } from 'vitest';
import { surfaceOf } from './surface.ts';

test.each([
  ['kube-informer', 'kube-informer', 'index.d.ts'],
  ['kube-informer-client', 'kube-informer', 'client/index.d.ts'],
  ['kube-informer-compat', 'kube-informer', 'compat/index.d.ts'],
  ['kube-informer-core', 'kube-informer', 'core/index.d.ts'],
  ['kube-informer-informer', 'kube-informer', 'informer/index.d.ts'],
  ['kube-informer-prometheus', 'kube-informer', 'prometheus/index.d.ts'],
  ['kube-informer-store', 'kube-informer', 'store/index.d.ts'],
  ['kube-informer-testing', 'kube-informer', 'testing/index.d.ts'],
  ['apiserver', 'apiserver', 'index.d.ts'],
  ['controller', 'controller', 'index.d.ts'],
  ['controller-election', 'controller', 'election/index.d.ts'],
  ['controller-events', 'controller', 'events/index.d.ts'],
  ['controller-queue', 'controller', 'queue/index.d.ts'],
  ['controller-testing', 'controller', 'testing/index.d.ts'],
  ['inspector', 'inspector', 'index.d.ts'],
])('the public API of %s is the reviewed one', async (name, home, entry) => {
  await expect(surfaceOf(join('packages', home, 'dist', entry))).toMatchFileSnapshot(`${name}.d.ts`);
});
