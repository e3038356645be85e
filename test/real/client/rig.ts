import { onTestFinished } from 'vitest';
import { Client, type ClientOptions } from '../../../packages/kube-informer/src/client/client.ts';
import type { ConnectOptions } from '../../../packages/kube-informer/src/client/connect/connect-options.ts';
import { resolveConnection } from '../../../packages/kube-informer/src/client/connect/resolve-connection.ts';
import { createNodeTransport } from '../../../packages/kube-informer/src/client/transport/node/node-transport.ts';
import type { ControlPlane } from '../harness/control-plane.ts';
import { asked } from '../harness/kinds.ts';

export interface RigOptions {
  readonly connect?: ConnectOptions;
  readonly client?: Partial<ClientOptions>;
}

/** A client of its own, and a namespace of its own. */
export async function rig(plane: ControlPlane, options: RigOptions = {}) {
  const namespace = `test-${Math.random().toString(36).slice(2, 10)}`;
  await asked(plane, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const warnings: string[] = [];
  const connection = await resolveConnection({ kubeconfigFile: plane.kubeconfig, ...options.connect });
  const { server, tls } = connection;
  const transport = createNodeTransport({ server, tls });
  const client = new Client({
    connection,
    transport,
    onWarning: ({ text }) => void warnings.push(text),
    ...options.client,
  });
  onTestFinished(() => client.close());
  return {
    client,
    transport,
    warnings,
    namespace,
    maps: client.resource('v1/configmaps'),
    deployments: client.resource('apps/v1/deployments'),
  };
}

/** The error that a promise must reject with. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`expected a failure, got ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
}
