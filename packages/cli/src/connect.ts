import { Client, createTransport, resolveConnection } from 'kube-informer/client';
import type { Env } from 'kube-informer/core';
import { Cluster, type InformerDefaults } from 'kube-informer';
import type { Invocation } from './arguments.ts';
import { GuardedTransport, type Traffic } from './guarded-transport.ts';
import type { Host } from './host.ts';

/** A cluster that can only be read. */
export interface Opened extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly client: Client;
  readonly traffic: () => Traffic;
}

/** What options say about where the cluster is, in the words of the client. */
export function connectOptions(invocation: Invocation, host: Host): Parameters<typeof resolveConnection>[0] & object {
  const { environment } = host;
  return defined({
    kubeconfigFile: invocation.text('kubeconfig'),
    context: invocation.text('context'),
    url: invocation.text('server'),
    token: invocation.text('token'),
    caFile: invocation.text('certificate-authority'),
    namespace: invocation.text('namespace'),
    environment,
    // The keys are ours: a login program must not wait for them.
    isStdinReserved: true,
  });
}

/** Finds the cluster. Asks the server nothing yet. */
export async function openCluster(
  invocation: Invocation,
  host: Host,
  { env = host.env, informers = {} }: { readonly env?: Env; readonly informers?: InformerDefaults } = {},
): Promise<Opened> {
  const connection = await resolveConnection(connectOptions(invocation, host), env);
  return openConnection(connection, env, informers);
}

export async function openConnection(
  connection: Awaited<ReturnType<typeof resolveConnection>>,
  env: Env,
  informers: InformerDefaults = {},
): Promise<Opened> {
  const transport = new GuardedTransport(await createTransport(connection, { env }), () => env.wallNow());
  const client = new Client({ connection, transport, env, userAgent: 'kube-informer-cli' });
  const cluster = new Cluster({ client, env, informers });
  return {
    cluster,
    client,
    traffic: () => transport.traffic,
    [Symbol.asyncDispose]: () => cluster.close(),
  };
}

/** Without what was not said: an explicit `undefined` is not the same as nothing. */
export function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
