import { type ApiServerOptions, checkOptions } from './options.ts';
import { ApiServer } from './server.ts';

export type { ApiServerOptions } from './options.ts';
export type { Faults } from './faults/seams.ts';
export type { RequestEntry } from './request-log.ts';
export type { Controllers } from './run-controllers.ts';
export type { ApiServer } from './server.ts';
export type { ApiObject } from './types.ts';
export type { WatchInfo } from './watch/watches.ts';

/**
 * Starts a Kubernetes API server inside this process: no Go, no etcd, no Docker.
 *
 *     await using server = await startApiServer();
 *     // server.url, server.ca and server.token, or server.kubeconfig(), for any Kubernetes client
 */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  checkOptions(options, nodeEnv());
  const server = new ApiServer(options);
  await server.start();
  return server;
}

// oxlint-disable-next-line no-restricted-globals -- where the process says what it is for
const nodeEnv = (): string | undefined => process.env['NODE_ENV'];
