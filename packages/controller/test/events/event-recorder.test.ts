import { startApiServer } from '@kube-informer/apiserver';
import { type EventClient, EventRecorder } from '@kube-informer/controller/events';
import type { Event } from '@kube-informer/kubernetes/events.k8s.io/v1';
import { Client } from 'kube-informer/client';
import { KubeError } from 'kube-informer/core';
import { fakeEnv, settle, statusFailure } from 'kube-informer/testing';
import { expect, test } from 'vitest';

const pod = (resourceVersion = '1', name = 'web') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', uid: `u-${name}`, resourceVersion },
});

function rig(send: (what: string) => Promise<void> = () => Promise.resolve()) {
  const env = fakeEnv();
  const log: string[] = [];
  const created: Event[] = [];
  const events: EventClient = {
    async create(event) {
      log.push(`create ${event.reason} ${event.series?.count ?? 1}`);
      await send('create');
      created.push(event);
      return event;
    },
    async patch(key, patch) {
      log.push(`patch ${(patch as Event).series?.count}`);
      await send('patch');
      return { eventTime: key };
    },
  };
  const counted: number[] = [];
  const metric = () => ({ inc: (by = 1) => void counted.push(by), set() {}, observe() {} });
  const metrics = { counter: metric, gauge: metric, histogram: metric };
  const recorder = new EventRecorder({ events, controller: 'backups', instance: 'backups-1', env, metrics });
  return { env, log, created, recorder, counted };
}

test('CTR-41: an event has the fields of events.k8s.io/v1, in the namespace of its object', async () => {
  const { env, created, recorder } = rig();
  recorder.warning(pod('7'), 'Failed', 'x'.repeat(2_000));
  recorder.normal({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'system:odd' } }, 'Seen', 'there');
  await settle();
  expect(created[0]).toEqual({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: `web.${(1_700_000_000_000n * 1_000_000n + 1n).toString(16)}`, namespace: 'shop' },
    eventTime: '2023-11-14T22:13:20.000000Z',
    type: 'Warning',
    reason: 'Failed',
    action: 'Failed',
    note: 'x'.repeat(1_024),
    reportingController: 'backups',
    reportingInstance: 'backups-1',
    regarding: { apiVersion: 'v1', kind: 'Pod', name: 'web', namespace: 'shop', uid: 'u-web', resourceVersion: '7' },
  });
  expect(created[1]?.metadata).toMatchObject({
    namespace: 'default',
    name: expect.stringMatching(/^event\.[0-9a-f]+$/),
  });
  await recorder.close();
  expect(env.clock.sleeping).toBe(0);
});

test('CTR-41, B10: equal events are one series, although the object and the note change: a POST, a PATCH, then only a count', async () => {
  const { env, log, recorder } = rig();
  for (let at = 1; at <= 100; at += 1) {
    recorder.normal(pod(String(at)), 'Retried', `attempt ${at}`);
    await env.clock.advance(1_000);
  }
  expect(log).toEqual(['create Retried 1', 'patch 2']);
  recorder.normal(pod('1', 'other'), 'Retried', 'another object');
  recorder.normal(pod('1'), 'Ended', 'another reason');
  recorder.warning(pod('1'), 'Retried', 'another type');
  await settle();
  expect(log.slice(2)).toEqual(['create Retried 1', 'create Ended 1', 'create Retried 1']);
  await recorder.close();
  expect(log.slice(5)).toEqual(['patch 100']);
});

test('CTR-41: a series ends 6 min after its last event with its final count; a running one is written every 30 min', async () => {
  const { env, log, recorder } = rig();
  for (let minute = 0; minute < 33; minute += 1) {
    recorder.normal(pod(), 'Retried', 'again');
    await env.clock.advance(60_000);
  }
  expect(log).toEqual(['create Retried 1', 'patch 2', 'patch 31']);
  await env.clock.advance(480_000);
  expect(log.slice(3)).toEqual(['patch 33']);
  expect(env.clock.sleeping).toBe(0);
  recorder.normal(pod(), 'Retried', 'a new series');
  await settle();
  expect(log.slice(4)).toEqual(['create Retried 1']);
  await recorder.close();
});

test('CTR-41, B10: one object causes 25 requests at most, then one every 300 s; others are not affected', async () => {
  const { env, log, recorder, counted } = rig();
  for (let at = 0; at < 100; at += 1) {
    recorder.normal(pod(), `Reason${at}`, 'spam');
    await settle();
  }
  expect(log).toHaveLength(25);
  expect(recorder.dropped).toBe(75);
  expect(counted.reduce((sum, by) => sum + by, 0)).toBe(75);
  recorder.normal(pod('1', 'other'), 'Fine', 'x');
  await env.clock.advance(300_000);
  recorder.normal(pod(), 'Later1', 'x');
  recorder.normal(pod(), 'Later2', 'x');
  await settle();
  expect(log.slice(25)).toEqual(['create Fine 1', 'create Later1 1']);
  await recorder.close();
});

test('CTR-41: eight requests run at a time, and 1,000 series wait; the rest is dropped at once', async () => {
  let running = 0;
  let most = 0;
  const open: (() => void)[] = [];
  const { recorder, log } = rig(async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => open.push(resolve));
    running -= 1;
  });
  for (let at = 0; at < 1_100; at += 1) recorder.normal(pod('1', `p${at}`), 'Seen', 'x');
  expect(recorder.dropped).toBe(92);
  const closing = recorder.close();
  while (open.length > 0) {
    for (const answer of open.splice(0)) answer();
    await settle();
  }
  await closing;
  expect(most).toBe(8);
  expect(log).toHaveLength(1_008);
});

test('CTR-41: a burst of equal events while the first is on its way becomes one more request', async () => {
  const { recorder, log } = rig();
  for (let at = 0; at < 50; at += 1) recorder.normal(pod(), 'Retried', 'x');
  await settle();
  expect(log).toEqual(['create Retried 1', 'patch 50']);
  await recorder.close();
});

test('CTR-41: without an answer it is tried 12 times, 10 s apart; what the server refuses is dropped at once', async () => {
  const down = rig(() => Promise.reject(new KubeError('TRANSPORT', 'no connection')));
  down.recorder.normal(pod(), 'Seen', 'x');
  await down.env.clock.advance(109_999);
  expect(down.log).toHaveLength(11);
  await down.env.clock.advance(1);
  expect([down.log.length, down.recorder.dropped]).toEqual([12, 1]);
  const refused = rig(() => Promise.reject(statusFailure(403, 'Forbidden', 'no')));
  refused.recorder.normal(pod(), 'Seen', 'x');
  await settle();
  expect([refused.log.length, refused.recorder.dropped]).toEqual([1, 1]);
  const closing = [down.recorder.close(), refused.recorder.close()];
  await down.env.clock.advance(5_000);
  await refused.env.clock.advance(5_000);
  await Promise.all(closing);
});

test('CTR-41: a series whose event the server has deleted is created again with its count', async () => {
  const { recorder, log } = rig((what) => (what === 'patch' ? Promise.reject(statusFailure(404, 'NotFound', 'gone')) : Promise.resolve())); // prettier-ignore
  recorder.normal(pod(), 'Retried', 'x');
  await settle();
  recorder.normal(pod(), 'Retried', 'x');
  await settle();
  expect(log).toEqual(['create Retried 1', 'patch 2', 'create Retried 2']);
  await recorder.close();
});

test('CTR-41, B10: nothing is thrown for a bad event, and nothing waits for a server that hangs', async () => {
  const { env, recorder } = rig(() => new Promise(() => {}));
  recorder.normal({ metadata: { name: 'x' } }, 'Seen', 'without a type');
  recorder.normal(pod(), '', 'without a reason');
  recorder.record(pod(), { reason: 'x', note: 'y', type: 'Odd' as 'Normal' });
  recorder.record(undefined as never, undefined as never);
  expect(recorder.dropped).toBe(4);
  recorder.normal(pod(), 'Seen', 'x');
  let closed = false;
  void recorder.close().then(() => (closed = true));
  await env.clock.advance(4_999);
  expect(closed).toBe(false);
  await env.clock.advance(1);
  expect(closed).toBe(true);
  recorder.normal(pod(), 'Late', 'x');
  expect(recorder.dropped).toBe(6);
  expect(env.clock.sleeping).toBe(0);
});

test('CTR-41: the embedded server accepts an event and its series', async () => {
  await using server = await startApiServer();
  await using client = await Client.connect({ kubeconfig: server.kubeconfig() });
  const recorder = new EventRecorder({ events: client.resource('events.k8s.io/v1/events'), controller: 'backups' });
  const about = { ...pod(), metadata: { ...pod().metadata, namespace: 'default' } };
  recorder.normal(about, 'Seen', 'once');
  await recorder.flush();
  for (let at = 0; at < 3; at += 1) recorder.normal(about, 'Seen', 'again');
  await recorder.close();
  expect(recorder.dropped).toBe(0);
  expect(server.local.list('events.k8s.io', 'events', 'default')).toMatchObject([
    { reason: 'Seen', note: 'once', series: { count: 4 }, regarding: { name: 'web' } },
  ]);
});

test('S107: an event is cut to bytes, in whole characters, so that a server accepts it whatever it quotes', async () => {
  await using server = await startApiServer({ tls: false, auth: 'open' });
  await using client = await Client.connect({ url: server.url, proxy: false });
  const recorder = new EventRecorder({ events: client.resource('events.k8s.io/v1/events'), controller: 'backups' });
  const about = { ...pod(), metadata: { ...pod().metadata, namespace: 'default' } };
  recorder.warning(about, 'é'.repeat(100), `${'x'.repeat(1_022)}😀${'ü'.repeat(1_000)}`);
  await recorder.close();
  expect(recorder.dropped).toBe(0);
  const [event] = (await client.resource('events.k8s.io/v1/events').list({ namespace: 'default' })).items;
  expect(event).toMatchObject({ reason: 'é'.repeat(64), note: 'x'.repeat(1_022) });
});
