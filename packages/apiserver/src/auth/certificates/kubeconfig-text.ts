import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { defined } from 'kube-informer/core';
import type { IssuedCertificate } from './authority.ts';

export interface KubeconfigOptions {
  readonly url: string;
  /** The authority to trust, PEM. @default none: plain HTTP, or the system's authorities */
  readonly ca?: string | undefined;
  readonly token?: string | undefined;
  readonly clientCertificate?: IssuedCertificate | undefined;
  /** Name of the cluster, the user and the context. @default kube-informer */
  readonly name?: string;
  /** @default default */
  readonly namespace?: string;
}

/** User, groups and namespace of a kubeconfig that `server.kubeconfig()` writes. */
export interface KubeconfigUser {
  /** @default the administrator */
  readonly user?: string;
  /** Groups of `user`, besides `system:authenticated`. @default none */
  readonly groups?: readonly string[];
  /** Namespace of requests that name none. @default default */
  readonly namespace?: string;
}

/** A kubeconfig with one cluster, one user and one context, as kubectl and every client library read it. */
export interface Kubeconfig {
  readonly apiVersion: 'v1';
  readonly kind: 'Config';
  readonly clusters: readonly { readonly name: string; readonly cluster: Readonly<Record<string, string>> }[];
  readonly users: readonly { readonly name: string; readonly user: Readonly<Record<string, string>> }[];
  readonly contexts: readonly { readonly name: string; readonly context: Readonly<Record<string, string>> }[];
  readonly 'current-context': string;
}

/** Makes a kubeconfig that refers to no files, so that it can be moved anywhere. It contains secrets. */
export function kubeconfigFor(options: KubeconfigOptions): Kubeconfig {
  const { url, ca, token, clientCertificate, name = 'kube-informer', namespace = 'default' } = options;
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: {
          server: url,
          ...(ca === undefined ? {} : { 'certificate-authority-data': kubeconfigTextBase64(ca) }),
        },
      },
    ],
    users: [
      {
        name,
        user: {
          ...defined({ token }),
          ...(clientCertificate === undefined
            ? {}
            : {
                'client-certificate-data': kubeconfigTextBase64(clientCertificate.certificate),
                'client-key-data': kubeconfigTextBase64(clientCertificate.key),
              }),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, namespace, user: name } }],
    'current-context': name,
  };
}

/** The kubeconfig as YAML. */
export function kubeconfigText(config: Kubeconfig): string {
  const lines = [`apiVersion: ${config.apiVersion}`, `kind: ${config.kind}`];
  const entries = { clusters: 'cluster', users: 'user', contexts: 'context' } as const;
  for (const [list, member] of Object.entries(entries) as [keyof typeof entries, string][]) {
    lines.push(`${list}:`);
    for (const entry of config[list]) {
      const fields = Object.entries((entry as unknown as Record<string, Record<string, string>>)[member] ?? {});
      lines.push(
        `- name: ${kubeconfigTextScalar(entry.name)}`,
        fields.length === 0 ? `  ${member}: {}` : `  ${member}:`,
      );
      for (const [key, value] of fields) lines.push(`    ${key}: ${kubeconfigTextScalar(value)}`);
    }
  }
  return `${lines.join('\n')}\ncurrent-context: ${kubeconfigTextScalar(config['current-context'])}\n`;
}

/**
 * Writes a file that only its owner can read, atomically: a reader finds the old file or the whole new one.
 * Creates the folder if it is missing.
 */
export async function writeKubeconfig(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // The mode applies only to a new file, so an existing one that others can read must not be written to.
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

const kubeconfigTextBase64 = (text: string): string => Buffer.from(text).toString('base64');

/** A scalar of YAML: a JSON string is one; plain words need no quotes. */
const kubeconfigTextScalar = (text: string): string =>
  /^[A-Za-z][\w./+=-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text);
