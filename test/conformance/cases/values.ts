import { expect, test } from 'vitest';
import { expectFailure } from '../rig/failures.ts';
import { type Fixture, ok, widgetCrd } from '../rig/fixture.ts';
import { until } from '../rig/target.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Values that a decoder cannot read, and effects of other objects. */
export function valueCases(fixture: () => Fixture): void {
  test('point (s): invalid times, bytes, quantities and integers are refused', async () => {
    const f = fixture();
    const { name, leases, configMaps, deployments } = await f.space();
    const refused = async (path: string, kind: string, body: object, why: string) =>
      expectFailure(await f.http.ask('POST', path, { body }), 400, 'BadRequest', {
        message: `${kind} in version "v1" cannot be handled as a ${kind}: ${why}`,
      });
    const metadata = { name: 'x' };
    const layout = '"2006-01-02T15:04:05.000000Z07:00"';
    for (const [renewTime, rest, element] of [
      ['2026-01-01T00:00:00.432Z', '.432Z', '.000000'],
      ['2026-01-01T00:00:00.432123456Z', '456Z', 'Z07:00'],
    ])
      await refused(
        leases,
        'Lease',
        { metadata, spec: { renewTime } },
        `parsing time "${renewTime}" as ${layout}: cannot parse "${rest}" as "${element}"`,
      );
    const data = { metadata, data: { a: 'not base64!' } };
    await refused(`/api/v1/namespaces/${name}/secrets`, 'Secret', data, 'illegal base64 data at input byte 3');
    const hard = { metadata, spec: { hard: { pods: 'abc' } } };
    const quantity = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    await refused(`/api/v1/namespaces/${name}/resourcequotas`, 'ResourceQuota', hard, quantity);
    const spec = { replicas: 3_000_000_000 };
    const field = 'Go struct field DeploymentSpec.spec.replicas of type int32';
    const integer = `json: cannot unmarshal number 3000000000 into ${field}`;
    await refused(deployments, 'Deployment', { metadata, spec }, integer);
    const born = { metadata: { ...metadata, creationTimestamp: 'x' } };
    const time = 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"';
    await refused(configMaps, 'ConfigMap', born, time);
  });

  test('point (s2): a change of the spec of a definition ends the watches of its resources, a change of its labels does not', async () => {
    const f = fixture();
    await f.createCrd(widgetCrd(f.group, 'changelings', 'Changeling'));
    const path = `/apis/${f.group}/v1/changelings`;
    const definition = `${DEFINITIONS}/changelings.${f.group}`;
    using watch = await f.http.watch(path, {});
    await f.merge(definition, { metadata: { labels: { a: 'b' } } });
    const body = { apiVersion: `${f.group}/v1`, kind: 'Changeling', metadata: { name: 'a' }, spec: { size: 1 } };
    await f.create(path.replace('/v1/', '/v1/namespaces/default/'), body);
    expect((await watch.next()).type).toBe('ADDED');
    await f.merge(definition, { spec: { names: { shortNames: ['cg'] } } });
    expect(await watch.rest(60_000)).toEqual([]);
  });

  test('point (s3): an empty list of managedFields removes all owners', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const created = await f.create(configMaps, { metadata: { name: 'a' }, data: { k: '1' } });
    expect(created.metadata.managedFields).toHaveLength(1);
    const cleared = await f.merge(`${configMaps}/a`, { metadata: { managedFields: [] } });
    expect(cleared.metadata.managedFields).toBe(undefined);
    expect((await f.merge(`${configMaps}/a`, { data: { k: '2' } })).metadata.managedFields).toBe(undefined);
  });

  test('point (s4): an eviction respects the disruption budget', async () => {
    const f = fixture();
    const space = await f.space();
    await f.createPod(space, 'p', { labels: { app: 'a' } });
    const budgets = `/apis/policy/v1/namespaces/${space.name}/poddisruptionbudgets`;
    const evict = (metadata: object = { name: 'p' }) =>
      f.http.ask('POST', `${space.pods}/p/eviction`, { body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata } });
    expectFailure(await evict({ name: 'other' }), 400, 'BadRequest', {
      message: 'name in URL does not match name in Eviction object',
    });
    const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    ok(await f.patch('merge', `${space.pods}/p/status`, { status: ready }));
    await f.create(budgets, {
      metadata: { name: 'b' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'a' } } },
    });
    const counted = { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
    await until('a server with controllers has counted too', async () => {
      await f.merge(`${budgets}/b/status`, { status: { ...counted, disruptionsAllowed: 0 } });
      const { status } = await f.get(`${budgets}/b`);
      return (status as { disruptionsAllowed?: number }).disruptionsAllowed === 0;
    });
    expectFailure(await evict(), 429, 'TooManyRequests', {
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      causes: [
        { reason: 'DisruptionBudget', message: 'The disruption budget b needs 1 healthy pods and has 1 currently' },
      ],
    });
    await f.merge(`${budgets}/b/status`, { status: { ...counted, disruptionsAllowed: 1 } });
    expect((await evict()).status).toBe(201);
    expect((await f.get(`${budgets}/b`)).status).toMatchObject({ disruptionsAllowed: 0 });
  });

  test('point (s5): a terminating pod can be evicted, and a terminating namespace gives no tokens', async () => {
    const f = fixture();
    const space = await f.space();
    await f.createPod(space, 'a', { finalizers: ['cf.example.com/hold'] });
    const target = { kind: 'Node', name: 'nowhere' };
    await f.create(`${space.pods}/a/binding`, { metadata: { name: 'a' }, target });
    await f.remove(`${space.pods}/a`);
    await f.create(`${space.pods}/a/eviction`, { metadata: { name: 'a' } });
    const pod = (await f.get(`${space.pods}/a`)) as unknown as { status: { conditions: { type: string }[] } };
    expect(pod.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }),
    );

    const accounts = `/api/v1/namespaces/${space.name}/serviceaccounts`;
    await f.create(accounts, { metadata: { name: 's', finalizers: ['cf.example.com/hold'] } });
    await f.remove(`/api/v1/namespaces/${space.name}`);
    const token = await f.http.ask('POST', `${accounts}/s/token`, { body: { spec: {} } });
    expectFailure(token, 403, 'Forbidden', {
      message: `serviceaccounts "s" is forbidden: unable to create new content in namespace ${space.name} because it is being terminated`,
      causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }],
    });
    const free = { metadata: { finalizers: null } };
    await f.merge(`${accounts}/s`, free);
    await f.merge(`${space.pods}/a`, free);
  });

  test('point (s6): the claim templates of a StatefulSet count as volumes of its pods', async () => {
    const f = fixture();
    const { name } = await f.space();
    const sets = `/apis/apps/v1/namespaces/${name}/statefulsets`;
    const app = { app: 'a' };
    const set = (claim: string, mounts: readonly string[], volumes: readonly object[] = []) => ({
      metadata: { name: 'db' },
      spec: {
        serviceName: 'db',
        selector: { matchLabels: app },
        template: {
          metadata: { labels: app },
          spec: {
            containers: [
              { name: 'c', image: 'i', volumeMounts: mounts.map((mount) => ({ name: mount, mountPath: `/${mount}` })) },
            ],
            volumes,
          },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: claim },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    });
    const post = (body: object) => f.http.ask('POST', sets, { body, query: { dryRun: 'All' } });
    ok(await post(set('data', ['data'])), 201);
    // A volume with the name of a claim is replaced by the claim.
    ok(
      await post(
        set(
          'data',
          ['data', 'tmp'],
          [
            { name: 'data', emptyDir: {} },
            { name: 'tmp', emptyDir: {} },
          ],
        ),
      ),
      201,
    );
    expectFailure(await post(set('data', ['data', 'other'])), 422, 'Invalid', {
      causes: [
        {
          reason: 'FieldValueNotFound',
          message: 'Not found: "other"',
          field: 'spec.template.spec.containers[0].volumeMounts[1].name',
        },
      ],
    });
  });
}
