import type { ApiObject } from '../../core/kube-object.ts';
import type { User } from '../../core/user.ts';
import { serviceAccountUserName } from '../user/service-account.ts';
import { MASTERS } from '../user/user-table.ts';
import type { Authorizer, PolicyRule } from './authorize.ts';
import { type RoleObject, rbacAggregation } from './rbac-aggregation.ts';
import { rbacRuleAllows } from './rbac-rules.ts';

export type RbacResource = 'roles' | 'clusterroles' | 'rolebindings' | 'clusterrolebindings';

/** Reads the stored roles and bindings. */
export interface RbacObjects {
  /** A value that changes with every change of one of the objects; while it is the same, nothing is read again. */
  version(): unknown;
  list(resource: RbacResource): Iterable<ApiObject>;
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

interface BindingObject {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly subjects?: readonly Subject[];
  readonly roleRef?: { readonly kind?: string; readonly name?: string };
}

/** A binding with its role, or with the reason why there is none. */
interface Binding {
  readonly subjects: readonly Subject[];
  /** Description in reasons: `RoleBinding "b/ns" of Role "r"` */
  readonly text: string;
  readonly namespace: string;
  readonly rules: readonly PolicyRule[];
  readonly missing: string;
}

interface Policy {
  readonly clusterWide: readonly Binding[];
  readonly byNamespace: ReadonlyMap<string, readonly Binding[]>;
}

/**
 * Decides by the stored Role, ClusterRole, RoleBinding and ClusterRoleBinding objects.
 *
 * Rules only allow; no rule denies. A binding whose role is missing allows nothing and is named in the reason
 * of a refusal. Members of `system:masters` may do everything. Changes take effect with the next request.
 */
export function rbac(objects: RbacObjects): Authorizer {
  let policy: Policy | undefined;
  let version: unknown;
  const current = (): Policy => {
    const now = objects.version();
    if (policy === undefined || now !== version) {
      policy = readRbacPolicy(objects);
      version = now;
    }
    return policy;
  };

  return {
    allows(user, action) {
      if (user.groups.includes(MASTERS)) return { allowed: true, reason: '' };
      const missing = new Set<string>();
      for (const [binding, subject] of rbacBindingsOf(user, action.namespace, current())) {
        if (binding.missing !== '') missing.add(binding.missing);
        if (binding.rules.some((rule) => rbacRuleAllows(rule, action)))
          return { allowed: true, reason: `RBAC: allowed by ${binding.text} to ${rbacSubjectText(subject, binding)}` };
      }
      return { allowed: false, reason: missing.size === 0 ? '' : `RBAC: ${joinRbacReasons(missing)}` };
    },

    rulesFor(user, namespace) {
      const missing = new Set<string>();
      const rules: PolicyRule[] = [];
      for (const [binding] of rbacBindingsOf(user, namespace, current())) {
        if (binding.missing !== '') missing.add(binding.missing);
        rules.push(...binding.rules);
      }
      return { rules, error: joinRbacReasons(missing) };
    },
  };
}

/** The bindings that apply to `user`, each with the matching subject, cluster-wide ones first. */
function* rbacBindingsOf(user: User, namespace: string, policy: Policy): Generator<[Binding, Subject]> {
  const local = policy.byNamespace.get(namespace) ?? [];
  for (const bindings of [policy.clusterWide, local]) {
    for (const binding of bindings) {
      const subject = binding.subjects.find((candidate) => isRbacSubject(user, candidate, binding));
      if (subject !== undefined) yield [binding, subject];
    }
  }
}

function isRbacSubject(user: User, subject: Subject, binding: Binding): boolean {
  if (subject.kind === 'User') return user.name === subject.name;
  if (subject.kind === 'Group') return user.groups.includes(subject.name);
  if (subject.kind !== 'ServiceAccount') return false;
  // An account named without a namespace is one of the binding's own.
  const namespace = subject.namespace || binding.namespace;
  return namespace !== '' && user.name === serviceAccountUserName({ namespace, name: subject.name });
}

function readRbacPolicy(objects: RbacObjects): Policy {
  const clusterRoles = [...objects.list('clusterroles')] as RoleObject[];
  const clusterRolesByName = new Map(clusterRoles.map((role) => [role.metadata?.name ?? '', role]));
  const rolesByKey = new Map(
    ([...objects.list('roles')] as RoleObject[]).map((role) => [
      `${role.metadata?.namespace}/${role.metadata?.name}`,
      role,
    ]),
  );

  const read = (kind: string, object: ApiObject): Binding => {
    const { metadata = {}, subjects = [], roleRef = {} } = object as BindingObject;
    const { namespace = '', name = '' } = metadata;
    const { kind: roleKind = '', name: roleName = '' } = roleRef;
    const role =
      roleKind === 'ClusterRole' ? clusterRolesByName.get(roleName) : rolesByKey.get(`${namespace}/${roleName}`);
    return {
      subjects: subjects ?? [],
      text: `${kind} ${JSON.stringify(namespace === '' ? name : `${name}/${namespace}`)} of ${roleKind} ${JSON.stringify(roleName)}`,
      namespace,
      rules: role === undefined ? [] : rbacAggregation(role, clusterRoles),
      missing:
        role === undefined
          ? `${roleKind.toLowerCase()}.rbac.authorization.k8s.io ${JSON.stringify(roleName)} not found`
          : '',
    };
  };

  const byNamespace = new Map<string, Binding[]>();
  for (const object of objects.list('rolebindings')) {
    const binding = read('RoleBinding', object);
    const known = byNamespace.get(binding.namespace);
    if (known === undefined) byNamespace.set(binding.namespace, [binding]);
    else known.push(binding);
  }
  return {
    clusterWide: Array.from(objects.list('clusterrolebindings'), (object) => read('ClusterRoleBinding', object)),
    byNamespace,
  };
}

const rbacSubjectText = ({ kind, name, namespace }: Subject, binding: Binding): string =>
  `${kind} ${JSON.stringify(kind === 'ServiceAccount' ? `${name}/${namespace || binding.namespace}` : name)}`;

function joinRbacReasons(texts: ReadonlySet<string>): string {
  const [first = '', ...more] = texts;
  return more.length === 0 ? first : `[${[...texts].join(', ')}]`;
}
