import { Cluster, hasCode } from 'kube-informer';
import { createTransport, resolveConnection, type TransportRequest } from 'kube-informer/client';
import { expect, onTestFinished, test } from 'vitest';
import { controller, type Reconcile } from '../../src/index.ts';
import { startLab } from '../../src/testing/lab.ts';
import { definition, type Widget, widget, WIDGETS } from './rig.ts';

const KEY = 'web/a';

/** An elected controller whose run waits for `go`. */
async function rigOf(work: (run: Reconcile<Widget>) => Promise<unknown>, client: object = {}) {
  const lab = await startLab({ definitions: [definition()] });
  onTestFinished(() => lab[Symbol.asyncDispose]());
  const sent: TransportRequest[] = [];
  const to = { url: lab.server.url, proxy: false, env: lab.env } as const;
  const plain = await createTransport(await resolveConnection(to), to);
  const transport = {
    close: () => plain.close(),
    send: (request: TransportRequest) => {
      if (request.method === 'PATCH' && request.path.includes('/widgets/')) sent.push(request);
      return plain.send(request);
    },
  };
  const cluster = await Cluster.connect({ ...to, transport, ...client });
  onTestFinished(() => cluster.close());
  let go = (): void => {};
  const ready = new Promise<void>((resolve) => (go = resolve));
  const errors: unknown[] = [];
  const operator = lab.run(
    [
      controller<Widget>(cluster, WIDGETS, {
        name: 'widgets',
        async reconcile(run) {
          await ready;
          await work(run).catch((error: unknown) => errors.push(error));
        },
      }),
    ],
    { election: 'ops/widgets' },
  );
  await lab.settled();
  await lab.user.apply(widget('a'));
  await expect.poll(() => operator.why('widgets', KEY).kind).toBe('running');
  return { lab, operator, sent, errors, go };
}

test('CTR-46: a write that waits for its next attempt is not sent when the process has slept past its lease', async () => {
  const { lab, sent, errors, go } = await rigOf(({ patch }) => patch({ spec: { size: 2 } }));
  const busy = lab.server.faults.add({
    match: { verb: 'patch', resource: 'widgets' },
    do: { status: { code: 429, retryAfterSeconds: 1 } },
    times: 1,
  });
  go();
  await expect.poll(() => busy.count).toBe(1);
  await expect.poll(() => lab.env.clock.sleeping).toBeGreaterThan(3);
  // Suspended: of all timers that of the next attempt is the first one, a second before the next renewal.
  lab.env.clock.suspend(60_000);
  await lab.env.clock.advance(1_000);
  await expect.poll(() => errors.length).toBe(1);
  expect(hasCode(errors[0], 'LEASE_LOST') || hasCode(errors[0], 'RUN_ABORTED')).toBe(true);
  expect(sent).toHaveLength(1);
  expect((lab.get<Widget>(WIDGETS, KEY) as Widget).spec?.size).toBeUndefined();
});

test('CTR-46: a write that waits for the rate limit is not sent when the process has slept past its lease', async () => {
  let pass = (): void => {};
  let isHolding = false;
  const rateLimit = {
    take: async (): Promise<void> => {
      if (!isHolding) return;
      isHolding = false;
      await new Promise<void>((resolve) => (pass = resolve));
    },
  };
  const { lab, sent, errors, go } = await rigOf(
    ({ patch }) => {
      isHolding = true;
      return patch({ spec: { size: 2 } });
    },
    { rateLimit },
  );
  go();
  await expect.poll(() => isHolding).toBe(false);
  await lab.env.clock.advance(0);
  lab.env.clock.suspend(60_000);
  pass();
  await expect.poll(() => errors.length).toBe(1);
  expect(hasCode(errors[0], 'LEASE_LOST') || hasCode(errors[0], 'RUN_ABORTED')).toBe(true);
  expect(sent).toEqual([]);
});

test('CTR-46: no answer to a write is waited for longer than the lease lasts, whatever timeout the call asks for', async () => {
  const { lab, errors, go } = await rigOf(({ patch }) => patch({ spec: { size: 2 } }, { timeoutMs: 3_600_000 }));
  const held = lab.server.faults.add({
    match: { verb: 'patch', resource: 'widgets' },
    do: { delay: { ms: 3_600_000 } },
    times: 1,
  });
  go();
  await expect.poll(() => held.count).toBe(1);
  for (let second = 0; second < 14 && errors.length === 0; second += 1) {
    await lab.env.clock.advance(1_000);
    await lab.env.yield(); // renewals are answered, so the lease is held all the time
  }
  expect(errors).toEqual([]);
  await expect.poll(async () => (await lab.env.clock.advance(500), errors.length)).toBe(1);
  expect(hasCode(errors[0], 'TRANSPORT')).toBe(true);
  expect((errors[0] as Error).message).toMatch(/no response within 1[45]\d{3} ms/);
});

test('CTR-27: the abort of a run ends a write that brought a signal of its own', async () => {
  const own = new AbortController();
  const { lab, operator, errors, go } = await rigOf(({ patch }) =>
    patch({ spec: { size: 2 } }, { signal: own.signal }),
  );
  const held = lab.server.faults.add({
    match: { verb: 'patch', resource: 'widgets' },
    do: { delay: { ms: 3_600_000 } },
    times: 1,
  });
  go();
  await expect.poll(() => held.count).toBe(1);
  void operator.stop();
  void operator.stop();
  await expect.poll(() => errors.length).toBe(1);
  expect(hasCode(errors[0], 'ABORTED')).toBe(true);
});
