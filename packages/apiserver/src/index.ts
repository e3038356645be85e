import { systemEnv } from 'kube-informer/core';
import { type ApiServerOptions, checkOptions } from './options.ts';
import { ApiServer } from './server.ts';
import { isIdentity, type ServerData } from './server/server-identity.ts';

export type { ApiServerOptions } from './options.ts';
export type { WebhookOptions } from './admission/webhooks/webhook-address.ts';
export type {
  AdmissionHook,
  AdmissionOptions,
  AdmissionRequest,
  AdmissionReview,
} from './admission/webhooks/in-process-webhook.ts';
export type { ConversionHook, ConversionOptions, ConversionReview } from './conversion/in-process-conversion.ts';
export type { Operation } from './verbs/admission-gate.ts';
export type { Admin, AdminOptions } from './faults/admin/admin.ts';
export type { RestartOptions, RestoreOptions, RotateOptions } from './faults/fault-host.ts';
export type { FailRequests, FaultMenu, TooManyRequests, Undo } from './faults/menu.ts';
export type { OldServer } from './faults/old-servers.ts';
export type {
  FaultAction,
  FaultAt,
  FaultHandle,
  FaultMatch,
  FaultRule,
  FiredFault,
  StatusAnswer,
} from './faults/rules/rule.ts';
export type { ScenarioHandle, ScenarioName, ScenarioOptions } from './faults/scenarios.ts';
export type { FaultRequest, Faults, Verdict } from './http/seams.ts';
export type { Replica, ReplicaOptions } from './server/replica.ts';
export type { RequestEntry } from './http/request-log.ts';
export type { KubeconfigUser } from './auth/certificates/kubeconfig-text.ts';
export type { ControllerName } from './controllers/controller-name.ts';
export type { ContainerScript, ContainerStart, NodeOptions } from './controllers/nodes/node-options.ts';
export type { ExecRequest, ExecResult, ForwardRequest, PodConnections } from './core/connected-pod.ts';
export type { WantedControllers } from './server/controller-switch.ts';
export type { ApiServer } from './server.ts';
export type { ApiObject } from './core/kube-object.ts';
export type { WatchInfo } from './http/served-watches.ts';

/**
 * Starts a Kubernetes API server inside this process: no Go, no etcd, no Docker.
 *
 *     await using server = await startApiServer();
 *     // server.url, server.ca and server.token, or server.kubeconfig(), for any Kubernetes client
 */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  checkOptions(options, nodeServerEnv());
  const server = new ApiServer(options, await openServerDataDirectory(options));
  try {
    await server.start();
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}

/** Opens the directory of the option `data`. Its code is loaded only if that is set: most servers keep nothing. */
async function openServerDataDirectory(options: ApiServerOptions): Promise<ServerData | undefined> {
  const { data, repairData = false, env = systemEnv } = options;
  if (data === undefined) return undefined;
  const { DataDirectory } = await import('./storage/durable/data-directory.ts');
  return DataDirectory.open(data, env, isIdentity, repairData);
}

// oxlint-disable-next-line no-restricted-globals -- NODE_ENV is read from the process
const nodeServerEnv = (): string | undefined => process.env['NODE_ENV'];
