import type { JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { badRequestStatusError, statusError, notFoundStatusError } from '../../core/status-error.ts';
import type { ServiceAccountName } from '../user/service-account.ts';
import type { BoundReference, TokenBinding } from '../user/user-table.ts';
import { reviewSpecObject, reviewSpecText } from './review-spec.ts';

export type FindBindable = (
  resource: 'serviceaccounts' | 'pods' | 'nodes' | 'secrets',
  namespace: string,
  name: string,
) => ApiObject | undefined;

type Reference = BoundReference;

/** Time for which tokens of a deleted object that still waits for its finalizers stay valid. */
const DELETED_LEEWAY_MS = 60_000;

/**
 * Whether every object of a binding exists and is the one that the token was issued for. `now`: milliseconds
 * since 1970.
 */
export function isBoundObjectAlive(binding: TokenBinding, find: FindBindable, now: number): boolean {
  const { namespace, serviceaccount, pod, node, secret } = binding;
  const isAlive = (wanted: Reference | undefined, object: (name: string) => ApiObject | undefined): boolean => {
    if (wanted === undefined) return true;
    const { uid, deletionTimestamp } = object(wanted.name)?.metadata ?? {};
    if (uid !== wanted.uid) return false;
    // oxlint-disable-next-line no-restricted-globals -- reads a time it was given, not the clock
    return deletionTimestamp === undefined || Date.parse(deletionTimestamp) + DELETED_LEEWAY_MS > now;
  };
  return (
    isAlive(serviceaccount, (name) => find('serviceaccounts', namespace, name)) &&
    isAlive(pod, (name) => find('pods', namespace, name)) &&
    isAlive(secret, (name) => find('secrets', namespace, name)) &&
    isAlive(node, (name) => find('nodes', '', name))
  );
}

/** The object that a token is bound to, as in its claims. A pod brings its node along. */
export interface Bound {
  readonly node?: Reference;
  readonly pod?: Reference;
  readonly secret?: Reference;
}

/** Finds the object of a `boundObjectRef`; throws if there is none that this account may be bound to. */
export function findBoundObject(reference: JsonObject, account: ServiceAccountName, find: FindBindable): Bound {
  const kind = reviewSpecText(reference['kind']);
  const apiVersion = reviewSpecText(reference['apiVersion']);
  const name = reviewSpecText(reference['name']);
  const wantedUid = reviewSpecText(reference['uid']);
  const inNamespace = (resource: 'pods' | 'secrets'): ApiObject | undefined => find(resource, account.namespace, name);
  const checked = (resource: string, object: ApiObject | undefined): Reference => {
    if (object === undefined) throw notFoundStatusError({ group: '', resource, kind }, name);
    const uid = object.metadata?.uid ?? '';
    if (wantedUid !== '' && wantedUid !== uid) throw otherBoundObject(kind, name, wantedUid);
    return { name, uid };
  };

  switch (apiVersion === 'v1' ? kind : '') {
    case 'Pod': {
      const object = inNamespace('pods');
      const pod = checked('pods', object);
      const spec = reviewSpecObject(object?.['spec']) ?? {};
      if (reviewSpecText(spec['serviceAccountName']) !== account.name)
        throw badRequestStatusError(
          `cannot bind token for serviceaccount ${JSON.stringify(account.name)} to pod running with different serviceaccount name.`,
        );
      const nodeName = reviewSpecText(spec['nodeName']);
      const node = nodeName === '' ? undefined : find('nodes', '', nodeName);
      return {
        ...(node === undefined ? {} : { node: { name: nodeName, uid: node.metadata?.uid ?? '' } }),
        pod,
      };
    }
    case 'Node':
      return { node: checked('nodes', find('nodes', '', name)) };
    case 'Secret':
      return { secret: checked('secrets', inNamespace('secrets')) };
    default: {
      const slash = apiVersion.indexOf('/');
      const [group, version] = [apiVersion.slice(0, Math.max(0, slash)), apiVersion.slice(slash + 1)];
      throw badRequestStatusError(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
    }
  }
}

/** `extra` of the user of a bound token. A secret is left out. */
export function boundObjectExtra({ node, pod }: Bound): Record<string, string[]> {
  const pairs = Object.entries({ node, pod }).flatMap(([kind, reference]): [string, string[]][] =>
    reference === undefined
      ? []
      : [
          [`authentication.kubernetes.io/${kind}-name`, [reference.name]],
          [`authentication.kubernetes.io/${kind}-uid`, [reference.uid]],
        ],
  );
  return Object.fromEntries(pairs);
}

/** The status 409 of another object, which names the kind where other messages name the resource. */
const otherBoundObject = (kind: string, name: string, uid: string) =>
  statusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${kind} ${JSON.stringify(name)}: the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    { details: { name, kind } },
  );
