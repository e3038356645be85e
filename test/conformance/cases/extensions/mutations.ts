import { expect, test } from 'vitest';
import { expectFailure } from '../../rig/failures.ts';
import { configMap, type Fixture, type Space } from '../../rig/fixture.ts';
import { type Answer, until } from '../../rig/target.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const POLICIES = `${GROUP}/mutatingadmissionpolicies`;
const BINDINGS = `${GROUP}/mutatingadmissionpolicybindings`;

interface Policy {
  readonly resources?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly spec: object;
}

const apply = (expression: string): object => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patch = (expression: string): object => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

/** Stores policies that see one namespace, waits until the last one is in force, runs the case and removes them. */
async function withPolicies(
  f: Fixture,
  space: Space,
  policies: readonly Policy[],
  ready: () => Promise<boolean>,
  run: () => Promise<void>,
): Promise<void> {
  const names = policies.map((_, index) => `${space.name}-${index}`);
  try {
    for (const [index, { spec, resources = ['configmaps'], apiGroups = [''] }] of policies.entries()) {
      const name = names[index] as string;
      const matchConstraints = {
        resourceRules: [{ apiGroups, apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': space.name } },
      };
      await f.create(POLICIES, {
        metadata: { name },
        spec: { reinvocationPolicy: 'Never', matchConstraints, ...spec },
      });
      await f.create(BINDINGS, { metadata: { name }, spec: { policyName: name } });
    }
    await until('policies are in force', ready);
    await run();
  } finally {
    for (const name of names) {
      await f.http.ask('DELETE', `${BINDINGS}/${name}`);
      await f.http.ask('DELETE', `${POLICIES}/${name}`);
    }
  }
}

/** MutatingAdmissionPolicies. */
export function mutationCases(fixture: () => Fixture): void {
  const dryRun = { dryRun: 'All' };

  test('point (z): policies change objects by configurations that are applied and by JSON patches', async () => {
    const f = fixture();
    const space = await f.space();
    const policies: Policy[] = [
      {
        spec: {
          reinvocationPolicy: 'IfNeeded',
          variables: [{ name: 'keys', expression: 'size(object.data)' }],
          mutations: [
            apply(`Object{
              metadata: Object.metadata{labels: Object.metadata.labels{keys: string(variables.keys)}},
              data: Object.data{first: "1", ?none: optional.none()}
            }`),
          ],
        },
      },
      {
        spec: {
          matchConditions: [{ name: 'not-plain', expression: "object.metadata.name != 'plain'" }],
          mutations: [
            patch(`[
              JSONPatch{op: "test", path: "/data/k", value: "1"},
              JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey("example.com/x.y"), value: "yes"},
              JSONPatch{op: "add", path: "/data/second", value: string(size(object.data.k))}
            ]`),
            patch(
              '[JSONPatch{op: "test", path: "/data/k", value: "never"}, JSONPatch{op: "add", path: "/data/no", value: "x"}]',
            ),
          ],
        },
      },
      {
        apiGroups: ['apps'],
        resources: ['deployments'],
        spec: {
          mutations: [
            apply(`Object{spec: Object.spec{
              replicas: object.spec.replicas + 1,
              template: Object.spec.template{spec: Object.spec.template.spec{
                containers: [Object.spec.template.spec.containers{name: "side", image: "car"}]
              }}
            }}`),
          ],
        },
      },
    ];
    const annotated = configMap('a', { k: '1' }, { annotations: { a: 'b' } });
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'none' }] } };
    const deployment = {
      metadata: { name: 'd' },
      spec: { replicas: 2, selector: { matchLabels: { a: 'b' } }, template },
    };
    const ready = async (): Promise<boolean> => {
      const made = await f.http.ask('POST', space.deployments, { body: deployment, query: dryRun });
      const other = await f.http.ask('POST', space.configMaps, { body: annotated, query: dryRun });
      return made.body.spec?.['replicas'] === 3 && other.body.data?.['second'] !== undefined;
    };
    await withPolicies(f, space, policies, ready, async () => {
      const created = await f.create(space.configMaps, annotated);
      expect(created.data).toEqual({ k: '1', first: '1', second: '1' });
      // A real server applies policies in any order: the first is applied again if the other one comes later.
      expect(created.metadata).toMatchObject({
        labels: { keys: expect.stringMatching(/^[23]$/) },
        annotations: { a: 'b', 'example.com/x.y': 'yes' },
      });
      const plain = await f.create(space.configMaps, configMap('plain'));
      expect(plain.data).toEqual({ k: '1', first: '1' });
      const { spec } = await f.create(space.deployments, deployment);
      expect(spec).toMatchObject({ replicas: 3 });
      const { containers } = (spec['template'] as { spec: { containers: { name: string; imagePullPolicy: string }[] } })
        .spec;
      expect(containers.map(({ name, imagePullPolicy }) => `${name} ${imagePullPolicy}`)).toEqual([
        'c Always',
        'side Always',
      ]);
    });
  });

  test('point (z2): a mutation that fails refuses the request, unless failures are ignored', async () => {
    const f = fixture();
    const space = await f.space();
    const only = (name: string, mutation: object, more: object = {}): Policy => ({
      resources: ['configmaps', 'pods'],
      spec: {
        matchConditions: [{ name: 'own', expression: `object.metadata.name == '${name}'` }],
        mutations: [mutation],
        ...more,
      },
    });
    const policies = [
      only('key', apply('Object{data: Object.data{x: object.data.missing}}')),
      only('type', apply('Object{data: Object.data{x: 5}}')),
      only('name', apply('Object{metadata: Object.other{labels: Object.metadata.labels{a: "b"}}}')),
      only('path', patch('[JSONPatch{op: "remove", path: "/data/nothing/here"}]')),
      only('ignored', apply('Object{data: Object.data{x: object.data.missing}}'), { failurePolicy: 'Ignore' }),
      only('atomic', apply('Object{spec: Object.spec{nodeSelector: Object.spec.nodeSelector{a: "b"}, tolerations: [Object.spec.tolerations{key: "a"}]}}')),
      only('last', patch('[JSONPatch{op: "add", path: "/data/x", value: "y"}]')),
    ]; // prettier-ignore
    const post = (name: string): Promise<Answer> =>
      f.http.ask('POST', space.configMaps, { body: configMap(name), query: dryRun });
    const ready = async (): Promise<boolean> => (await post('last')).body.data?.['x'] === 'y';
    await withPolicies(f, space, policies, ready, async () => {
      const by = (index: number): string =>
        `policy '${space.name}-${index}' with binding '${space.name}-${index}' denied request:`;
      const text =
        "expression 'Object{data: Object.data{x: object.data.missing}}' resulted in error: no such key: missing";
      expectFailure(await post('key'), 403, 'Invalid', {
        message: `${by(0)} ${text}`,
        details: { name: 'key', kind: 'configmaps', causes: [{ message: `${by(0)} ${text}` }] },
      });
      expectFailure(await post('type'), 403, 'Invalid', {
        message: `${by(1)} error applying patch: failed to convert patch object to typed object: .data.x: expected string, got &value.valueUnstructured{Value:5}`,
      });
      expectFailure(await post('name'), 403, 'Invalid', {
        message: `${by(2)} type mismatch: unexpected type name "Object.other", expected "Object.metadata", which matches field name path from root Object type`,
      });
      expectFailure(await post('path'), 403, 'Invalid', { message: new RegExp(`^${by(3)} JSON Patch: `) });
      expect((await post('ignored')).status).toBe(201);
      const pod = { metadata: { name: 'atomic' }, spec: { containers: [{ name: 'c', image: 'none' }] } };
      expectFailure(await f.http.ask('POST', space.pods, { body: pod, query: dryRun }), 403, 'Invalid', {
        // The server names the fields in any order.
        message: new RegExp(
          `^${by(5)} error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: (?:.spec.nodeSelector, .spec.tolerations|.spec.tolerations, .spec.nodeSelector)$`,
        ),
      });
    });
  });

  test('point (z3): policies whose mutations cannot work are refused', async () => {
    const f = fixture();
    const space = await f.space();
    const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['pods'] }];
    const spec = {
      matchConstraints: { resourceRules },
      mutations: [
        apply('{"a": 1}'),
        patch('[JSONPatch{op: 1, path: "/x"}]'),
        { ...apply('Other{a: 1}'), jsonPatch: { expression: '[]' } },
        { patchType: 'Merge' },
        { patchType: 'JSONPatch' },
      ],
    };
    const answer = await f.http.ask('POST', POLICIES, { body: { metadata: { name: `${space.name}-z3` }, spec } });
    expectFailure(answer, 422, 'Invalid');
    const at = 'spec.mutations';
    expect((answer.body.details.causes ?? []).map((cause) => `${cause.field}: ${cause.message}`).sort()).toEqual([
      'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      `${at}[0].applyConfiguration.expression: Invalid value: "{\\"a\\": 1}": must evaluate to Object but got map(string, int)`,
      `${at}[1].jsonPatch.expression: Invalid value: "[JSONPatch{op: 1, path: \\"/x\\"}]": compilation failed: ERROR: <input>:1:14: expected type of field 'op' is 'string' but provided type is 'int'\n | [JSONPatch{op: 1, path: "/x"}]\n | .............^`,
      `${at}[2].applyConfiguration.expression: Invalid value: "Other{a: 1}": compilation failed: ERROR: <input>:1:6: undeclared reference to 'Other' (in container '')\n | Other{a: 1}\n | .....^`,
      `${at}[2].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration`,
      `${at}[3].patchType: Unsupported value: "Merge": supported values: "ApplyConfiguration", "JSONPatch"`,
      `${at}[4].jsonPatch: Required value: must be specified when patchType is JSONPatch`,
      'spec.reinvocationPolicy: Required value',
    ]);
  });
}
