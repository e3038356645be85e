import { authorizerValue, dynValue, authorizerRequestResource } from '../../api/policies/policies.ts';
import type { AskAuthorizer } from '../../api/rules/library/authorizer.ts';
import type { Authorizer } from '../../auth/authz/authorize.ts';
import type { Value } from '../../cel/values/cel-value.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ApiObject, ObjectMeta } from '../../core/kube-object.ts';
import type { User } from '../../core/user.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Attributes } from '../../verbs/admission-gate.ts';
import { namespaceForAdmissionMatch } from '../matching/admission-match.ts';
import { admissionRequestFields, admissionRequestNamespace, type Version } from '../matching/admission-request.ts';

/** The values of an expression's variables for one request, in the version that the policy matches. */
export class RequestValues {
  readonly #values: ReadonlyMap<string, Value>;
  readonly #authorizer: ReadonlyMap<string, Value>;

  constructor(registry: Registry, authorizer: Authorizer, attributes: Attributes, as: Version) {
    const { object, oldObject, target } = attributes;
    const shown = (one: ApiObject | undefined): Value =>
      dynValue(one === undefined ? null : ((as.convert?.(one) ?? attributes.kind.named(one)) as Json));
    const namespace = target.served.resource.resource === 'namespaces' ? '' : admissionRequestNamespace(attributes);
    this.#values = new Map<string, Value>([
      ['object', shown(object)],
      ['oldObject', shown(oldObject)],
      ['request', dynValue(admissionRequestFields(attributes, as))],
      [
        'namespaceObject',
        namespace === '' ? null : dynValue(namespacePolicyValue(namespaceForAdmissionMatch(registry, namespace))),
      ],
    ]);
    const ask = authorizerPolicyValue(authorizer, target.user);
    const { group, resource } = target.served.resource;
    const { subresource, name } = target;
    this.#authorizer = new Map([
      ['authorizer', authorizerValue(ask)],
      [
        'authorizer.requestResource',
        authorizerRequestResource(ask, { group, resource, subresource, name, namespace: target.namespace }),
      ],
    ]);
  }

  /** Adds the parameters of a binding to the variables. */
  withParams(params: ApiObject | undefined): {
    readonly all: ReadonlyMap<string, Value>;
    readonly withoutAuthorizer: ReadonlyMap<string, Value>;
  } {
    const plain = new Map([...this.#values, ['params', dynValue((params ?? null) as Json)] as const]);
    return { all: new Map([...plain, ...this.#authorizer]), withoutAuthorizer: plain };
  }
}

/** The parts of a namespace that expressions see. */
function namespacePolicyValue({ metadata = {}, spec, status }: ApiObject): JsonObject {
  const names = [
    'name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'deletionTimestamp',
    'deletionGracePeriodSeconds', 'labels', 'annotations', 'finalizers',
  ] as const; // prettier-ignore
  const shown = Object.fromEntries(
    names.flatMap((name) => {
      const value = (metadata as ObjectMeta)[name as keyof ObjectMeta];
      return value === undefined ? [] : [[name, value as Json] as const];
    }),
  );
  return { metadata: shown, spec: (spec ?? {}) as Json, status: (status ?? {}) as Json };
}

const authorizerPolicyValue =
  (authorizer: Authorizer, user: User): AskAuthorizer =>
  ({ verb, path, group = '', resource = '', subresource = '', namespace = '', name = '', serviceAccount }) =>
    authorizer.allows(serviceAccount === undefined ? user : serviceAccountInPolicyValues(serviceAccount), {
      verb, path: path ?? '', isResource: path === undefined, group, resource, subresource, namespace, name,
    }); // prettier-ignore

const serviceAccountInPolicyValues = ({
  namespace,
  name,
}: {
  readonly namespace: string;
  readonly name: string;
}): User => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
});
