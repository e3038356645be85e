import type { GetJson } from '@kube-informer/kubernetes/generate';

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

interface Role {
  readonly rules?: readonly Rule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors: readonly { readonly matchLabels: object }[] };
}

interface Binding {
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly Subject[];
}

interface FlowSubject {
  readonly kind: string;
  readonly [of: string]: string | { readonly name: string; readonly namespace?: string };
}

interface FlowSchema {
  readonly spec: {
    readonly priorityLevelConfiguration: { readonly name: string };
    readonly matchingPrecedence: number;
    readonly distinguisherMethod?: { readonly type: string };
    readonly rules: readonly {
      readonly subjects: readonly FlowSubject[];
      readonly resourceRules?: readonly (Rule & { readonly clusterScope?: boolean })[];
      readonly nonResourceRules?: readonly Rule[];
    }[];
  };
}

interface Limits {
  readonly nominalConcurrencyShares: number;
  readonly lendablePercent: number;
  readonly limitResponse?: {
    readonly queuing?: { readonly queues: number; readonly handSize: number; readonly queueLengthLimit: number };
  };
}

interface PriorityLevel {
  readonly spec: { readonly type: string; readonly limited?: Limits; readonly exempt?: Limits };
}

interface ApiService {
  readonly spec: { readonly groupPriorityMinimum: number; readonly versionPriority: number };
}

type Named<T> = T & {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
};

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const FLOW = '/apis/flowcontrol.apiserver.k8s.io/v1';
const AGGREGATE = 'rbac.authorization.k8s.io/aggregate-to-';

/**
 * What a server creates by itself, as a table: rows by the name of the object, in namespaces by `namespace/name`; lists of words are
 * texts with spaces. How rows become objects is written in the embedded server, and compared with the real objects in test/real.
 */
export async function defaultsOf(get: GetJson): Promise<Record<string, Record<string, unknown>>> {
  const rows = async <T>(paths: readonly string[], row: (object: Named<T>) => unknown): Promise<Record<string, unknown>> => {
    const lists = await Promise.all(paths.map((path) => get(path) as Promise<{ items: Named<T>[] }>));
    return Object.fromEntries(lists.flatMap(({ items }) => items.map((object) => [placeOf(object.metadata), row(object)])));
  }; // prettier-ignore
  return {
    roles: await rows([`${RBAC}/clusterroles`, `${RBAC}/roles`], roleRow),
    bindings: await rows([`${RBAC}/clusterrolebindings`, `${RBAC}/rolebindings`], bindingRow),
    apiServices: await rows(['/apis/apiregistration.k8s.io/v1/apiservices'], ({ spec }: ApiService) => [
      spec.groupPriorityMinimum,
      spec.versionPriority,
    ]),
    priorityLevels: await rows([`${FLOW}/prioritylevelconfigurations`], priorityLevelRow),
    flowSchemas: await rows([`${FLOW}/flowschemas`], flowSchemaRow),
  };
}

const placeOf = ({ namespace, name }: { readonly namespace?: string; readonly name: string }): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

const words = (list: readonly string[] = []): string => list.join(' ');

/** `[verbs, groups, resources, names?]`, or `[verbs, paths]`. */
function ruleRow({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): string[] {
  if (nonResourceURLs !== undefined) return [words(verbs), words(nonResourceURLs)];
  const row = [words(verbs), words(apiGroups), words(resources)];
  return resourceNames === undefined ? row : [...row, words(resourceNames)];
}

/** `into`: the role that takes these rules over; `from`: its own rules are those of all others that name it. */
function roleRow({ metadata, rules, aggregationRule }: Named<Role>): object {
  const selected = Object.keys(aggregationRule?.clusterRoleSelectors[0]?.matchLabels ?? {}).map(targetOf)[0];
  const into = Object.keys(metadata.labels ?? {}).flatMap((label) => (label.startsWith(AGGREGATE) ? targetOf(label) : []))[0];
  return {
    ...(into === undefined ? {} : { into }),
    ...(selected === undefined ? { rules: (rules ?? []).map(ruleRow) } : { from: selected }),
  };
} // prettier-ignore

const targetOf = (label: string): string => label.slice(AGGREGATE.length);

/** `[role, …subjects]`: a role of the same scope as the binding, and `Kind name` or `Kind namespace/name`. */
function bindingRow({ metadata, roleRef, subjects = [] }: Named<Binding>): string[] {
  if (roleRef.kind !== (metadata.namespace === undefined ? 'ClusterRole' : 'Role'))
    throw new Error(`${metadata.name} is bound to a ${roleRef.kind}: the table has no place for it`);
  return [roleRef.name, ...subjects.map((subject) => `${subject.kind} ${placeOf(subject)}`)];
}

/** `[type, shares, lendable percent]`, and where requests queue `queues, hand size, length`. */
function priorityLevelRow({ spec }: PriorityLevel): unknown[] {
  const { nominalConcurrencyShares, lendablePercent, limitResponse } = (spec.limited ?? spec.exempt) as Limits;
  const { queues, handSize, queueLengthLimit } = limitResponse?.queuing ?? {};
  const row = [spec.type, nominalConcurrencyShares, lendablePercent];
  return queues === undefined ? row : [...row, queues, handSize, queueLengthLimit];
}

/** `[level, precedence, distinguisher, subjects, resource rules, path rules]`, of the only rule; `cluster` ends a rule that counts objects of the cluster too. */
function flowSchemaRow({ metadata, spec }: Named<FlowSchema>): unknown[] {
  const [rule, another] = spec.rules;
  if (rule === undefined || another !== undefined) throw new Error(`${metadata.name} has not one rule`);
  const subjects = rule.subjects.map((subject) => {
    const { kind } = subject;
    const of = subject[`${kind.slice(0, 1).toLowerCase()}${kind.slice(1)}`] as { name: string; namespace?: string };
    return `${kind} ${placeOf(of)}`;
  });
  const resources = (rule.resourceRules ?? []).map((one) => [
    ...ruleRow(one),
    ...(one.clusterScope === true ? ['cluster'] : []),
  ]);
  const { priorityLevelConfiguration: level, matchingPrecedence, distinguisherMethod } = spec;
  const paths = (rule.nonResourceRules ?? []).map(ruleRow);
  return [level.name, matchingPrecedence, distinguisherMethod?.type ?? '', subjects, resources, paths];
}
