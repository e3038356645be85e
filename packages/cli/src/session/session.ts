import { Client, createTransport, resolveConnection } from 'kube-informer/client';
import { defined, type Env } from 'kube-informer/core';
import { Cluster, type InformerDefaults } from 'kube-informer';
import { type Invocation, invocationError } from '../arguments/invocation.ts';
import { ReadOnlyTransport, type Traffic } from './read-only-transport.ts';
import type { Host } from '../host/host.ts';

type ConnectOptions = Parameters<typeof resolveConnection>[0] & object;

/** A read-only connection to a cluster. */
export interface Session extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly client: Client;
  readonly traffic: () => Traffic;
}

/** The client's connection options for the command's arguments. */
export function sessionConnection(invocation: Invocation, host: Host): ConnectOptions {
  const { environment } = host;
  const user = invocation.text('as');
  const groups = invocation.texts('as-group');
  if (user === undefined && groups.length > 0) throw invocationError('--as-group needs --as <user>');
  return defined({
    kubeconfigFile: invocation.text('kubeconfig'),
    context: invocation.text('context'),
    url: invocation.text('server'),
    token: invocation.text('token'),
    caFile: invocation.text('certificate-authority'),
    namespace: invocation.text('namespace'),
    insecureSkipTlsVerify: invocation.has('insecure-skip-tls-verify') || undefined,
    impersonate: user === undefined ? undefined : { user, ...(groups.length === 0 ? {} : { groups }) },
    execPolicy: sessionPluginPolicy(invocation.text('exec-policy')),
    environment,
    // stdin belongs to the command: an exec plugin must not read it.
    isStdinReserved: true,
  });
}

/**
 * The policy for credential plugins of the kubeconfig: a kubeconfig from another person may name programs of
 * this machine.
 */
function sessionPluginPolicy(text: string | undefined): ConnectOptions['execPolicy'] {
  if (text === undefined || text === 'allow' || text === 'deny') return text;
  return { allow: text.split(',').map((entry) => entry.trim()) };
}

/** Opens a session with the cluster the arguments select. Sends no request yet. */
export async function openSession(
  invocation: Invocation,
  host: Host,
  { env = host.env, informers = {} }: { readonly env?: Env; readonly informers?: InformerDefaults } = {},
): Promise<Session> {
  const connection = await resolveConnection(sessionConnection(invocation, host), env);
  return sessionOf(connection, env, informers);
}

export async function sessionOf(
  connection: Awaited<ReturnType<typeof resolveConnection>>,
  env: Env,
  informers: InformerDefaults = {},
): Promise<Session> {
  const transport = new ReadOnlyTransport(await createTransport(connection, { env }), () => env.wallNow());
  const client = new Client({ connection, transport, env, userAgent: 'kube-informer-cli' });
  const cluster = new Cluster({ client, env, informers });
  return {
    cluster,
    client,
    traffic: () => transport.traffic,
    [Symbol.asyncDispose]: () => cluster.close(),
  };
}
