import { expect, test } from 'vitest';
import { startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';

/** Responses of a real kube-apiserver 1.36 to the same requests. */

const PODS = '/api/v1/namespaces/default/pods';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const REFUSED = "Cannot evict pod as it would violate the pod's disruption budget.";

async function rig() {
  const server = await startApiServer({ tls: false });
  const run = async (name: string, status: object = {}) => {
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
    await ask(server, 'POST', PODS, { body: { metadata: { name, labels: { app: 'a' } }, spec } });
    const body = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], ...status } };
    await ask(server, 'PATCH', `${PODS}/${name}/status`, { body, headers: MERGE });
  };
  const budget = async (status?: object, name = 'b') => {
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'a' } } };
    await ask(server, 'POST', BUDGETS, { body: { metadata: { name }, spec } });
    if (status !== undefined) await count(status, name);
  };
  const count = (status: object, name = 'b') =>
    ask(server, 'PATCH', `${BUDGETS}/${name}/status`, { body: { status }, headers: MERGE });
  const evict = async (name: string, body: object = {}, query = '') => {
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...body };
    const answer = await ask(server, 'POST', `${PODS}/${name}/eviction${query}`, { body: eviction });
    const { message, details } = answer.body;
    return { status: answer.status, retry: answer.headers['retry-after'], message, why: details?.causes?.[0] };
  };
  const get = async (path: string) => (await ask(server, 'GET', path)).body;
  return { run, budget, count, evict, get, [Symbol.asyncDispose]: () => server.close() };
}

const refused = (message: string) => ({
  status: 429,
  message: REFUSED,
  why: { reason: 'DisruptionBudget', message },
});

test('a budget without an observed generation gets 429 with Retry-After', async () => {
  await using one = await rig();
  await one.run('p');
  await one.budget();
  expect(await one.evict('p')).toEqual({
    ...refused('The disruption budget b is still being processed by the server.'),
    retry: '10',
  });
});

test('a budget that allows no disruption refuses with the reason', async () => {
  await using one = await rig();
  await one.run('p');
  await one.budget({ observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 });
  expect(await one.evict('p')).toEqual(refused('The disruption budget b needs 1 healthy pods and has 1 currently'));
  await one.count({ currentHealthy: 2 });
  expect(await one.evict('p')).toEqual(refused('The disruption budget b does not allow evicting pods currently'));
  const conditions = [
    {
      type: 'DisruptionAllowed',
      status: 'False',
      reason: 'SyncFailed',
      message: 'x',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ];
  await one.count({ conditions });
  expect(await one.evict('p')).toEqual(
    refused('The disruption budget b does not allow evicting pods currently because it failed sync: x'),
  );
  expect((await one.get(`${PODS}/p`)).metadata.deletionTimestamp).toBe(undefined);
});

test('an allowed eviction is counted in the budget and set as a condition of the pod', async () => {
  await using one = await rig();
  await one.run('p');
  await one.run('q');
  await one.budget({ observedGeneration: 1, disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1 });
  expect((await one.evict('p', {}, '?dryRun=All')).status).toBe(201);
  expect((await one.get(`${BUDGETS}/b`)).status.disruptionsAllowed).toBe(1);
  expect((await one.evict('p')).status).toBe(201);
  const { metadata, status } = await one.get(`${PODS}/p`);
  expect(metadata.deletionGracePeriodSeconds).toBe(30);
  expect(status.conditions.at(-1)).toMatchObject({
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  });
  const budget = await one.get(`${BUDGETS}/b`);
  expect(budget.status).toMatchObject({
    disruptionsAllowed: 0,
    disruptedPods: { p: expect.any(String) },
    conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', observedGeneration: 1 }],
  });
  expect(budget.metadata.managedFields.map(({ manager }: { manager: string }) => manager)).toContain('kube-apiserver');
  expect((await one.evict('p')).status, 'it is going already').toBe(201);
  expect((await one.evict('q')).status).toBe(429);
});

test('a budget does not hold pods that are pending or finished', async () => {
  await using one = await rig();
  await one.run('pending', { phase: 'Pending' });
  await one.run('done', { phase: 'Succeeded' });
  await one.run('broken', { conditions: [{ type: 'Ready', status: 'False' }] });
  await one.budget({ observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 1 });
  expect((await one.evict('pending')).status).toBe(201);
  expect((await one.evict('done')).status).toBe(201);
  expect((await one.evict('broken')).status, 'it may be the last that can become healthy').toBe(429);
  await one.count({ currentHealthy: 1 });
  expect((await one.evict('broken')).status).toBe(201);
});

test('preconditions are about the pod as the client saw it', async () => {
  await using one = await rig();
  await one.run('p');
  const { uid, resourceVersion } = (await one.get(`${PODS}/p`)).metadata;
  const given = (preconditions: object) => one.evict('p', { deleteOptions: { preconditions } });
  expect(await given({ uid: 'x' })).toMatchObject({ status: 409 });
  expect((await one.get(`${PODS}/p`)).metadata.resourceVersion, 'nothing was written').toBe(resourceVersion);
  expect(await given({ uid, resourceVersion })).toMatchObject({ status: 201 });
});

test('an eviction has the name of its pod, and at most one budget may match', async () => {
  await using one = await rig();
  await one.run('p');
  expect(await one.evict('p', { metadata: { name: 'other' } })).toMatchObject({
    status: 400,
    message: 'name in URL does not match name in Eviction object',
  });
  expect((await one.evict('nobody')).status).toBe(404);
  await one.budget({ observedGeneration: 1 });
  await one.budget({ observedGeneration: 1 }, 'c');
  expect(await one.evict('p')).toMatchObject({
    status: 500,
    message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  });
});
