import { join } from 'node:path';
import { type Env, systemEnv } from '../../../core/env.ts';
import { KubeError } from '../../../core/errors.ts';
import { defined } from '../../../core/defined.ts';
import type { ConnectionPlan, FileRef } from '../connection-plan.ts';
import { checkedNamespace } from '../namespace.ts';
import { readRegularFile, readTextFile } from './read-file.ts';
import type { ReadVariable } from '../../transport/proxy.ts';
import { redactForSafeError } from '../../../core/safe-error.ts';
import { checkTlsFileCertificates } from './tls-files.ts';

/** Where the kubelet mounts a pod's credentials. */
const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface InClusterOptions {
  readonly read: ReadVariable;
  /** @default /var/run/secrets/kubernetes.io/serviceaccount */
  readonly directory?: string;
  readonly env?: Env;
}

/** Whether this process runs in a pod with a service account: both variables are set and there is a token file. */
export async function hasInClusterConfig(options: InClusterOptions): Promise<boolean> {
  const { read, directory = SERVICE_ACCOUNT_DIR } = options;
  if (!read('KUBERNETES_SERVICE_HOST') || !read('KUBERNETES_SERVICE_PORT')) return false;
  try {
    await readRegularFile(join(directory, 'token'), 'service account');
    return true;
  } catch {
    return false; // `inClusterConfigPlan` rejects with the reason
  }
}

/**
 * Makes a plan from the pod's service account. Rejects INVALID_CONFIG when a variable or the token is
 * missing. A certificate authority that cannot be read is logged, and the platform's roots are used instead.
 */
export async function inClusterConfigPlan(options: InClusterOptions): Promise<ConnectionPlan> {
  const { read, directory = SERVICE_ACCOUNT_DIR, env = systemEnv } = options;
  const host = read('KUBERNETES_SERVICE_HOST') ?? '';
  const port = read('KUBERNETES_SERVICE_PORT') ?? '';
  if (host === '' || port === '')
    throw new KubeError(
      'INVALID_CONFIG',
      'not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not both set',
    );
  const server = `https://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
  const ref = (file: string): FileRef => ({ path: join(directory, file), where: `service account: ${file}` });

  const token = ref('token');
  await readRegularFile(token.path, token.where);
  const ca = ref('ca.crt');
  let hasCa = true;
  try {
    checkTlsFileCertificates(await readTextFile(ca.path, ca.where), ca.where);
  } catch (error) {
    hasCa = false;
    env.log('error', 'the service account has no usable certificate authority; using the roots of the platform', {
      error: redactForSafeError(error),
    });
  }
  return {
    origin: 'service account of the pod',
    where: 'service account',
    server,
    tls: hasCa ? { ca: { file: ca } } : {},
    auth: { type: 'token', file: token, where: token.where },
    ...defined({ namespace: await inClusterConfigNamespace(read, ref('namespace')) }),
  };
}

async function inClusterConfigNamespace(read: ReadVariable, file: FileRef): Promise<string | undefined> {
  const named = read('POD_NAMESPACE');
  if (named) return checkedNamespace(named, 'environment variable POD_NAMESPACE');
  let text;
  try {
    text = (await readTextFile(file.path, file.where)).trim();
  } catch {
    return undefined; // not every token comes with a namespace; the caller uses `default`
  }
  return text === '' ? undefined : checkedNamespace(text, file.where);
}
