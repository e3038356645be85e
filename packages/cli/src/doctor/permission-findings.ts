import type { Client } from 'kube-informer/client';
import { objectField } from '@kube-informer/inspector/internal';
import {
  failDoctorFinding,
  type Finding,
  noteDoctorFinding,
  okDoctorFinding,
  warnDoctorFinding,
} from './doctor-finding.ts';

interface Kind {
  readonly group: string;
  readonly resource: string;
  readonly namespaced: boolean;
}

const KINDS: readonly Kind[] = [
  { group: '', resource: 'pods', namespaced: true },
  { group: '', resource: 'services', namespaced: true },
  { group: '', resource: 'configmaps', namespaced: true },
  { group: '', resource: 'events', namespaced: true },
  { group: 'apps', resource: 'deployments', namespaced: true },
  { group: 'apps', resource: 'replicasets', namespaced: true },
  { group: 'apps', resource: 'statefulsets', namespaced: true },
  { group: 'apps', resource: 'daemonsets', namespaced: true },
  { group: 'batch', resource: 'jobs', namespaced: true },
  { group: '', resource: 'namespaces', namespaced: false },
  { group: '', resource: 'nodes', namespaced: false },
];

/** Resources the user may list and watch, by scope. */
export interface Rights {
  readonly allNamespaces: readonly string[];
  /** Resources that the user may read only in the context's namespace. */
  readonly ownNamespace: readonly string[];
  readonly none: readonly string[];
}

/** Asks the server whether list and watch are allowed, for each common resource. Rejects if the review fails. */
export async function doctorReadPermissions(client: Client, signal: AbortSignal): Promise<Rights> {
  const { namespace } = client.connection;
  const scopes = await Promise.all(
    KINDS.map(async (kind) => {
      if (await doctorFollowPermission(client, kind, '', signal)) return 'allNamespaces';
      return kind.namespaced && (await doctorFollowPermission(client, kind, namespace, signal))
        ? 'ownNamespace'
        : 'none';
    }),
  );
  const those = (scope: string): string[] =>
    KINDS.flatMap(({ resource }, index) => (scopes[index] === scope ? [resource] : []));
  return { allNamespaces: those('allNamespaces'), ownNamespace: those('ownNamespace'), none: those('none') };
}

export function* permissionFindings(
  { allNamespaces, ownNamespace, none }: Rights,
  namespace: string,
): Generator<Finding> {
  const topic = 'permissions';
  if (allNamespaces.length > 0)
    yield okDoctorFinding(topic, `you may list and watch ${allNamespaces.join(', ')} in all namespaces`);
  if (ownNamespace.length > 0)
    yield noteDoctorFinding(
      topic,
      `only in namespace ${namespace}: ${ownNamespace.join(', ')} (use -n ${namespace}, not -A)`,
    );
  const fix = 'ask for a role with the verbs list and watch; the built-in ClusterRole "view" allows most of them';
  if (allNamespaces.length + ownNamespace.length === 0)
    yield failDoctorFinding(topic, 'you may not list and watch any of the common resources', fix);
  else if (none.length > 0) yield warnDoctorFinding(topic, `you may not list and watch ${none.join(', ')}`, fix);
}

async function doctorFollowPermission(
  client: Client,
  kind: Kind,
  namespace: string,
  signal: AbortSignal,
): Promise<boolean> {
  const [list, watch] = await Promise.all(
    ['list', 'watch'].map((verb) => hasPermission(client, kind, verb, namespace, signal)),
  );
  return list === true && watch === true;
}

async function hasPermission(
  client: Client,
  { group, resource }: Kind,
  verb: string,
  namespace: string,
  signal: AbortSignal,
): Promise<boolean> {
  const review = await client.request({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { group, resource, verb, namespace } },
    },
    signal,
    attempts: 'once',
  });
  return objectField(review, 'status.allowed') === true;
}
