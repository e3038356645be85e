import { onTestFinished } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { Cluster, type InformerDefaults } from '../../../src/cluster/cluster.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { type FakeEnv, fakeEnv } from '../../../src/testing/fake-clock.ts';
import { FakeSource } from '../../../src/testing/fake-source.ts';

export const named = (key: string, more: object = {}): KubeObject => {
  const [namespace = '', name = ''] = key.split('/');
  return { metadata: { namespace, name, ...more } };
};

/** A cluster whose client has one fake source per resource, namespace and representation. */
export function rig(informers: InformerDefaults = {}): {
  readonly cluster: Cluster;
  readonly client: Client;
  readonly env: FakeEnv;
  readonly source: (name: string) => FakeSource;
  readonly sources: ReadonlyMap<string, FakeSource>;
  readonly closed: () => number;
} {
  const env = fakeEnv();
  const sources = new Map<string, FakeSource>();
  const source = (name: string): FakeSource => {
    const known = sources.get(name) ?? new FakeSource();
    sources.set(name, known);
    return known;
  };
  let closed = 0;
  const resource = (name: string) => ({
    name,
    listWatch: ({ namespace = '*' }: { namespace?: string } = {}) => source(`${name} ${namespace}`),
    metadataOnly: () => ({
      listWatch: ({ namespace = '*' }: { namespace?: string } = {}) => source(`metadata ${name} ${namespace}`),
    }),
  });
  const connection = { namespace: 'default' };
  const client = { resource, connection, close: () => Promise.resolve(void (closed += 1)) } as unknown as Client;
  const cluster = new Cluster({ client, informers, env });
  onTestFinished(() => cluster.close());
  return { cluster, client, env, source, sources, closed: () => closed };
}
