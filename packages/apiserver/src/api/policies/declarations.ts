import { Environment } from '../../cel/expression.ts';
import { BOOL, DYN, INT, listType, mapType, STRING, structType, TIMESTAMP, type Type } from '../../cel/types/type.ts';
import { KUBERNETES_LIBRARIES } from '../rules/rule-environment.ts';
import { mutationLibrary } from './mutation-types.ts';
import { AUTHORIZER, RESOURCE_CHECK } from '../rules/library/authorizer.ts';

/** The libraries that expressions of policies and match conditions may use. */
export const policyEnvironment: Environment = new Environment(KUBERNETES_LIBRARIES);

/** The environment with the types and functions of mutations. */
export const mutationEnvironment: Environment = new Environment([...KUBERNETES_LIBRARIES, mutationLibrary]);

const declaredFields = (name: string, types: Readonly<Record<string, Type>>): Type =>
  structType(`kubernetes.${name}`, new Map(Object.entries(types)));

const KIND = declaredFields('GroupVersionKind', { group: STRING, version: STRING, kind: STRING });
const RESOURCE = declaredFields('GroupVersionResource', { group: STRING, version: STRING, resource: STRING });
const USER = declaredFields('UserInfo', {
  username: STRING, uid: STRING, groups: listType(STRING), extra: mapType(STRING, listType(STRING)),
}); // prettier-ignore
const REQUEST = declaredFields('AdmissionRequest', {
  kind: KIND, resource: RESOURCE, subResource: STRING, requestKind: KIND, requestResource: RESOURCE, requestSubResource: STRING,
  name: STRING, namespace: STRING, operation: STRING, userInfo: USER, dryRun: BOOL, options: DYN,
}); // prettier-ignore
const CONDITION = declaredFields('NamespaceCondition', {
  status: STRING, type: STRING, lastTransitionTime: TIMESTAMP, message: STRING, reason: STRING,
}); // prettier-ignore
const TEXTS = mapType(STRING, STRING);
const NAMESPACE = declaredFields('Namespace', {
  metadata: declaredFields('NamespaceMetadata', {
    name: STRING, generateName: STRING, namespace: STRING, labels: TEXTS, annotations: TEXTS, UID: STRING,
    creationTimestamp: TIMESTAMP, deletionGracePeriodSeconds: INT, deletionTimestamp: TIMESTAMP, generation: INT,
    resourceVersion: STRING, finalizers: listType(STRING),
  }),
  spec: declaredFields('NamespaceSpec', { finalizers: listType(STRING) }),
  status: declaredFields('NamespaceStatus', { conditions: listType(CONDITION), phase: STRING }),
}); // prettier-ignore

/** The variables that only some expressions have. */
export interface Declared {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** Types of the policy's own variables; undefined if it can have none. */
  readonly variables?: ReadonlyMap<string, Type>;
}

/** The types of the variables of an expression. */
export function declaredVariables({ params, authorizer, variables }: Declared): ReadonlyMap<string, Type> {
  const all: [string, Type][] = [['object', DYN], ['oldObject', DYN], ['namespaceObject', NAMESPACE], ['request', REQUEST]]; // prettier-ignore
  if (params) all.push(['params', DYN]);
  if (authorizer) all.push(['authorizer', AUTHORIZER], ['authorizer.requestResource', RESOURCE_CHECK]);
  if (variables !== undefined) all.push(['variables', structType('kubernetes.variables', variables)]);
  return new Map(all);
}
