import { Agent } from 'node:https';
import { seededRandom } from 'kube-informer/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Action } from '../../../packages/apiserver/src/auth/authz/authorize.ts';
import { rbac, type RbacObjects, type RbacResource } from '../../../packages/apiserver/src/auth/authz/rbac.ts';
import type { ApiObject } from '../../../packages/apiserver/src/core/kube-object.ts';
import type { User } from '../../../packages/apiserver/src/core/user.ts';
import { whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';
import { until } from '../harness/until.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: tests against a real kube-apiserver: ${missing}\n`);

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const RESOURCES: readonly RbacResource[] = ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'];
const NAMESPACES = ['default', 'kube-public'];
const QUESTIONS = 600;

type Objects = Record<RbacResource, ApiObject[]>;

const fixed = (objects: Partial<Objects>): RbacObjects => ({ version: () => 1, list: (name) => objects[name] ?? [] });

/** Random roles, bindings and requests with few names, so that rules often match. */
function generator(seed: number) {
  const random = seededRandom(seed);
  const one = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const often = (values: readonly string[], rare: string): string => (random() < 0.08 ? rare : one(values));
  const some = <T>(values: readonly T[], most: number): T[] => [
    ...new Set(Array.from({ length: 1 + Math.floor(random() * most) }, () => one(values))),
  ];
  const VERBS = ['get', 'list', 'impersonate'];
  const GROUPS = ['', 'apps'];
  const KINDS = ['pods', 'deployments', 'widgets'];
  const PARTS = ['status', 'scale', 'log'];
  const NAMES = ['a', 'b', 'default'];
  const PATHS = ['/metrics', '/logs', '/logs/', '/logs/a/b', '/debug', '/', '/version', '/api/v1'];
  const USERS = ['u0', 'u1', 'u2'];
  const TEAMS = ['g0', 'g1', 'system:authenticated'];

  const resourceRule = (): object => ({
    verbs: random() < 0.15 ? ['*'] : some(VERBS, 3),
    apiGroups: random() < 0.15 ? ['*'] : some(GROUPS, 2),
    resources: Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
      random() < 0.08
        ? '*'
        : random() < 0.2
          ? `*/${one(PARTS)}`
          : random() < 0.4
            ? `${one(KINDS)}/${one(PARTS)}`
            : one(KINDS),
    ),
    ...(random() < 0.25 ? { resourceNames: some(NAMES, 2) } : {}),
  });
  const pathRule = (): object => ({
    verbs: random() < 0.3 ? ['*'] : some(['get', 'post', 'head'], 2),
    nonResourceURLs: some([...PATHS, '/logs/*', '/logs*', '/debug/*', '/a*'], 2),
  });
  const subject = (isLocal: boolean): object => {
    const kind = one(['User', 'Group', 'ServiceAccount']);
    if (kind === 'User') return { kind, apiGroup: 'rbac.authorization.k8s.io', name: one(USERS) };
    if (kind === 'Group') return { kind, apiGroup: 'rbac.authorization.k8s.io', name: one(TEAMS) };
    const name = one(['s0', 's1']);
    return isLocal && random() < 0.4 ? { kind, name } : { kind, name, namespace: one(NAMESPACES) };
  };
  const roleRef = (kind: string): object => ({
    apiGroup: 'rbac.authorization.k8s.io',
    kind,
    // One in ten refers to a missing role.
    name: random() < 0.1 ? 'nowhere' : `r${Math.floor(random() * 8)}`,
  });
  const rules = (make: () => object): object[] => Array.from({ length: 1 + Math.floor(random() * 5) }, make);

  return {
    roles: (): [string, object][] => [
      ...Array.from({ length: 8 }, (_, i): [string, object] => [
        `${RBAC}/clusterroles`,
        { metadata: { name: `r${i}` }, rules: rules(() => (random() < 0.3 ? pathRule() : resourceRule())) },
      ]),
      ...NAMESPACES.flatMap((namespace) =>
        Array.from({ length: 8 }, (_, i): [string, object] => [
          `${RBAC}/namespaces/${namespace}/roles`,
          { metadata: { name: `r${i}` }, rules: rules(resourceRule) },
        ]),
      ),
    ],
    bindings: (): [string, object][] => [
      ...Array.from({ length: 5 }, (_, i): [string, object] => [
        `${RBAC}/clusterrolebindings`,
        { metadata: { name: `b${i}` }, subjects: [subject(false), subject(false)], roleRef: roleRef('ClusterRole') },
      ]),
      ...NAMESPACES.flatMap((namespace) =>
        Array.from({ length: 10 }, (_, i): [string, object] => [
          `${RBAC}/namespaces/${namespace}/rolebindings`,
          {
            metadata: { name: `b${i}` },
            subjects: [subject(true), subject(true), subject(true)],
            roleRef: roleRef(one(['Role', 'ClusterRole'])),
          },
        ]),
      ),
    ],
    user: (): User => {
      if (random() < 0.3)
        return { name: `system:serviceaccount:${one(NAMESPACES)}:${one(['s0', 's1', 's2'])}`, groups: [] };
      const groups = random() < 0.5 ? some(TEAMS, 2) : [];
      return { name: often(USERS, 'nobody'), groups };
    },
    action: (): Action => {
      const isResource = random() < 0.75;
      return {
        isResource,
        path: isResource ? '' : one(PATHS),
        verb: isResource ? often(VERBS, '*') : one(['get', 'post', 'head']),
        group: isResource ? often(GROUPS, '*') : '',
        resource: isResource ? often(KINDS, '*') : '',
        subresource: isResource && random() < 0.4 ? one(PARTS) : '',
        namespace: isResource && random() < 0.8 ? often(NAMESPACES, 'elsewhere') : '',
        name: isResource && random() < 0.5 ? often(NAMES, 'c') : '',
      };
    },
  };
}

describe.skipIf(missing !== undefined)('RBAC compared with a real kube-apiserver', () => {
  let plane: ControlPlane;
  const agent = new Agent({ keepAlive: true });
  beforeAll(async () => {
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
  }, 1_800_000);
  afterAll(async () => {
    agent.destroy();
    await plane?.[Symbol.asyncDispose]();
  });

  async function post(path: string, body: object): Promise<ApiObject> {
    const { status, text } = await plane.ask('POST', path, body, 0, plane.credentials.token, agent);
    expect(status, text).toBe(201);
    return JSON.parse(text) as ApiObject;
  }

  async function review({ name: user, groups }: User, action: Action): Promise<{ allowed: boolean; reason?: string }> {
    const { isResource, path, verb, group, resource, subresource, namespace, name } = action;
    const attributes = isResource
      ? { resourceAttributes: { verb, group, resource, subresource, namespace, name } }
      : { nonResourceAttributes: { verb, path } };
    const answer = await post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      spec: { user, groups, ...attributes },
    });
    return answer['status'] as { allowed: boolean; reason?: string };
  }

  async function stored(): Promise<Objects> {
    const lists = await Promise.all(
      RESOURCES.map(async (name) => {
        const { text } = await plane.ask('GET', `${RBAC}/${name}`);
        return [name, (JSON.parse(text) as { items: ApiObject[] }).items] as const;
      }),
    );
    return Object.fromEntries(lists) as Objects;
  }

  /** Waits for the server's four caches: the last write of each kind must have arrived. */
  async function settled(): Promise<void> {
    const metadata = { name: 'last' };
    const last = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'last' };
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', name: 'last' };
    const inDefault = `${RBAC}/namespaces/default`;
    await post(`${RBAC}/clusterroles`, { metadata, rules: [{ verbs: ['get'], nonResourceURLs: ['/last'] }] });
    await post(`${inDefault}/roles`, { metadata, rules: [{ verbs: ['get'], apiGroups: [''], resources: ['last'] }] });
    const bind = (path: string, kind: string): Promise<ApiObject> =>
      post(path, { metadata, subjects: [last], roleRef: { ...roleRef, kind } });
    await bind(`${RBAC}/clusterrolebindings`, 'ClusterRole');
    await bind(`${inDefault}/rolebindings`, 'Role');
    const nothing = { path: '', group: '', resource: '', subresource: '', namespace: '', name: '', verb: 'get' };
    for (const asked of [
      { ...nothing, isResource: false, path: '/last' },
      { ...nothing, isResource: true, resource: 'last', namespace: 'default' },
    ]) {
      const isKnown = async (): Promise<boolean> => (await review({ name: 'last', groups: [] }, asked)).allowed;
      await until('the roles reach the authorizer', isKnown);
    }
  }

  test(`${QUESTIONS} random access reviews of random roles have the same result, with a reason that the server gives`, async () => {
    const { roles, bindings, user, action } = generator(7);
    for (const [path, object] of [...roles(), ...bindings()]) await post(path, object);
    await settled();
    const objects = await stored();
    const ours = rbac(fixed(objects));
    // With several bindings that allow something, the server names any of them.
    const single = [
      ...objects.clusterrolebindings.map((binding) => rbac(fixed({ ...objects, rolebindings: [], clusterrolebindings: [binding] }))),
      ...objects.rolebindings.map((binding) => rbac(fixed({ ...objects, clusterrolebindings: [], rolebindings: [binding] }))),
    ]; // prettier-ignore
    let allowed = 0;
    for (let i = 0; i < QUESTIONS; i += 1) {
      const [who, what] = [user(), action()];
      const real = await review(who, what);
      const mine = ours.allows(who, what);
      const question = JSON.stringify({ who, what, real, mine });
      expect(mine.allowed, question).toBe(real.allowed);
      if (real.allowed) {
        allowed += 1;
        const reasons = single.map((each) => each.allows(who, what)).filter((decision) => decision.allowed);
        expect(
          reasons.map(({ reason }) => reason),
          question,
        ).toContain(real.reason);
      } else {
        const parts = (text = ''): string[] =>
          text
            .replaceAll(/^RBAC: |[[\]]/g, '')
            .split(', ')
            .toSorted();
        expect(parts(mine.reason), question).toEqual(parts(real.reason));
      }
    }
    // A run with nearly equal results would prove little.
    expect(allowed).toBeGreaterThan(QUESTIONS / 10);
    expect(allowed).toBeLessThan((QUESTIONS * 9) / 10);
  });
});
