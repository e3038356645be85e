import { startLab } from '@kube-informer/controller/testing';
import { expect, test } from 'vitest';
import { type Route, routes } from './routes.ts';

const route = (name: string, spec: Route['spec']) => ({
  apiVersion: 'example.com/v1',
  kind: 'Route',
  metadata: { name, namespace: 'web' },
  spec,
});
const object = (apiVersion: string, kind: string, name: string, more: object = {}): object => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'web' },
  ...more,
});

test('a route runs for its services, slices, secret, class and renewals, and for nothing else', async () => {
  await using lab = await startLab({ definitions: ['examples/controllers/routes/crd.yaml'] });
  let renew: (renewal: { route: string }) => void = () => {};
  async function* renewals() {
    for (;;) yield await new Promise<{ route: string }>((resolve) => (renew = resolve));
  }
  const operator = lab.run([routes(lab.cluster, renewals())]);
  await lab.user.apply(route('shop', { class: 'public', services: ['shop', 'cart'], secret: 'shop-tls' }));
  await lab.user.apply(route('blog', { class: 'private', services: ['blog'] }));
  await lab.settled();
  const resolved = (name: string): unknown =>
    lab.get<Route>('example.com/v1/routes', `web/${name}`)?.status?.conditions?.[0];
  expect(resolved('shop')).toMatchObject({ status: 'False', reason: 'Missing', message: 'no service shop, cart' });

  /** The reasons of the newest run of each route that ran because of this. */
  const because = async (change: () => unknown): Promise<unknown> => {
    const keys = ['web/shop', 'web/blog'];
    const before = keys.map((key) => operator.runs('routes', key).at(-1));
    await change();
    await lab.settled();
    return keys.flatMap((key, at) => {
      const last = operator.runs('routes', key).at(-1);
      return last === before[at] ? [] : [`${key}: ${last?.reasons.join(' ')}`];
    });
  };
  const service = (name: string) => object('v1', 'Service', name, { spec: { ports: [{ port: 80 }] } });
  expect(await because(() => lab.user.apply(service('shop')))).toEqual(['web/shop: related(v1/services web/shop)']);
  expect(await because(() => lab.user.apply(service('other')))).toEqual([]);
  await lab.user.apply(service('cart'));
  await lab.settled();
  expect(resolved('shop')).toMatchObject({ status: 'True', reason: 'Found' });
  const slice = {
    ...object('discovery.k8s.io/v1', 'EndpointSlice', 'blog-1', { addressType: 'IPv4', endpoints: [] }),
    metadata: { name: 'blog-1', namespace: 'web', labels: { 'kubernetes.io/service-name': 'blog' } },
  };
  expect(await because(() => lab.user.apply(slice))).toEqual([
    'web/blog: related(discovery.k8s.io/v1/endpointslices web/blog-1)',
  ]);
  const tls = { type: 'kubernetes.io/tls', data: { 'tls.crt': '', 'tls.key': '' } };
  expect(await because(() => lab.user.apply(object('v1', 'Secret', 'shop-tls', tls)))).toEqual([
    'web/shop: related(v1/secrets web/shop-tls)',
  ]);
  const ingressClass = { apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', metadata: { name: 'private' } };
  expect(await because(() => lab.user.apply(ingressClass))).toEqual([
    'web/blog: related(networking.k8s.io/v1/ingressclasses private)',
  ]);
  expect(await because(() => renew({ route: 'web/shop' }))).toHaveLength(1);
});
