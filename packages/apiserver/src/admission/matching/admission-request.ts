import { defined } from 'kube-informer/core';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Served } from '../../registry/served.ts';
import type { Attributes } from '../../verbs/admission-gate.ts';
import { CONFIGURATION_GROUP } from './configurations.ts';

/** Groups of reviews, which are requests for an answer and are not stored. */
const REVIEW_GROUPS: ReadonlySet<string> = new Set(['authentication.k8s.io', 'authorization.k8s.io']);

/**
 * Whether policies and webhooks see a request at all. They do not see requests about themselves, so that a
 * faulty one can be removed.
 */
export function isAdmittedRequest({ target }: Attributes): boolean {
  const { group } = target.served.resource;
  return group !== CONFIGURATION_GROUP && !REVIEW_GROUPS.has(group);
}

/** The namespace of a request: for a Namespace that exists its own name, as in the path. */
export function admissionRequestNamespace({ target, operation, name }: Attributes): string {
  const { group, resource } = target.served.resource;
  if (group !== '' || resource !== 'namespaces') return target.namespace;
  return operation === 'CREATE' && target.subresource === '' ? '' : name;
}

/** One of the versions in which a policy or webhook may handle a request. */
export interface Version {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  /** The resource of another version; undefined: the request's own. */
  readonly served: Served | undefined;
  /** Converts an object of the request; undefined: it is of this version already. */
  readonly convert: ((object: ApiObject) => ApiObject) | undefined;
  /** Converts it back. */
  readonly restore: ((object: ApiObject) => ApiObject) | undefined;
}

/** The version that the request was made in. */
export function admissionRequestVersion({ target, kind }: Attributes): Version {
  const { group, version, resource } = target.served.resource;
  const { group: kindGroup, version: kindVersion, kind: name } = kind.resource;
  return {
    group,
    version,
    resource,
    kind: { group: kindGroup, version: kindVersion, kind: name },
    served: undefined,
    convert: undefined,
    restore: undefined,
  };
}

/** Other versions of the same stored objects. */
export function equivalentAdmissionVersions(registry: Registry, { target, kind }: Attributes): Version[] {
  const { served } = target;
  const others = [...registry.all()].filter((one) => one !== served && one.collection === served.collection);
  return others.map((other) => {
    const { group, version, resource } = other.resource;
    // The kind of a subresource is the same in all versions.
    const isOwnKind = kind !== (served as unknown);
    const { resource: named } = isOwnKind ? kind : other;
    return {
      group,
      version,
      resource,
      kind: { group: named.group, version: named.version, kind: named.kind },
      served: isOwnKind ? undefined : other,
      convert: isOwnKind ? undefined : (object) => convertAdmissionRequestObject(object, served, other),
      restore: isOwnKind ? undefined : (object) => convertAdmissionRequestObject(object, other, served),
    };
  });
}

function convertAdmissionRequestObject(object: ApiObject, from: Served, to: Served): ApiObject {
  const stored = from.conversion?.toStored(object) ?? object;
  return to.named(to.conversion?.fromStored(stored) ?? stored);
}

/** `request`, as expressions and webhooks see it, without its objects. */
export function admissionRequestFields(attributes: Attributes, as: Version): JsonObject {
  const { target, operation, name, dryRun, options } = attributes;
  const own = admissionRequestVersion(attributes);
  const namespace = admissionRequestNamespace(attributes);
  const { subresource, user } = target;
  const resource = ({ group, version, resource: plural }: Version): JsonObject => ({
    group,
    version,
    resource: plural,
  });
  return {
    kind: { ...as.kind },
    resource: resource(as),
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: { ...own.kind },
    requestResource: resource(own),
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: {
      username: user.name,
      ...(user.uid === undefined || user.uid === '' ? {} : { uid: user.uid }),
      groups: [...user.groups],
      ...defined({ extra: user.extra as unknown as Json | undefined }),
    },
    dryRun,
    options,
  };
}
