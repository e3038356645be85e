import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { SharedInformer, systemEnv } from 'kube-informer';
import { Client } from 'kube-informer/client';
import { counted } from '../harness/asked.ts';
import { whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';
import { asked } from '../harness/kinds.ts';
import { Link, whatALinkLacks } from '../harness/link.ts';
import { Observed } from '../harness/observed.ts';
import { until } from '../harness/until.ts';

const missing = (await whatIsMissing()) ?? whatALinkLacks();
if (missing !== undefined) console.warn(`\nSKIPPED: a bad network before a real kube-apiserver: ${missing}\n`);

describe.skipIf(missing !== undefined).each([true, false])('a bad network, http2: %s', (http2) => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
  }, 1_800_000);
  afterAll(() => plane?.[Symbol.asyncDispose]());

  /** An informer behind a link of its own, and writes that do not use the link. */
  async function rig(namespace: string) {
    const { ca, token } = plane.credentials;
    await asked(plane, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    const link = await Link.start(new URL(plane.url).host);
    const env = { ...systemEnv, log: () => {} };
    const client = await Client.connect({
      url: `https://${link.address}`, serverName: '127.0.0.1', ca, token, env, http2, proxy: false,
      limits: { silenceMs: 6_000, pingAfterMs: 2_000, pingTimeoutMs: 2_000 },
    }); // prettier-ignore
    const { source, wholes } = counted(client.resource('v1/configmaps').listWatch({ namespace }));
    const informer = new SharedInformer(source, { env });
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const observed = new Observed(plane, informer, { paths: [path] });
    informer.start();
    onTestFinished(async () => {
      await informer.stop();
      await client.close();
      await link[Symbol.asyncDispose]();
    });
    return {
      link, informer, observed, wholes,
      write: async (count: number, value: string) => {
        for (let at = 0; at < count; at += 1) {
          const object = { metadata: { name: `c${at}` }, data: { value } };
          const { status } = await plane.ask('POST', path, object);
          if (status === 409) await asked(plane, 'PUT', `${path}/c${at}`, object);
        }
      },
      remove: (at: number) => asked(plane, 'DELETE', `${path}/c${at}`),
      values: () => new Set(informer.list().map((object) => (object as { data?: { value?: string } }).data?.value)),
    }; // prettier-ignore
  }

  test('F18: lost, delayed and reordered packets cause delay, but no lost and no duplicate event', async () => {
    const r = await rig('lossy');
    await r.informer.synced({ timeoutMs: 60_000 });
    await r.link.set({ loss: 0.3, jitterMs: 200 });
    for (const value of ['one', 'two', 'three', 'four', 'five', 'six']) {
      await r.write(20, value);
      await sleep(500); // so that events travel in many packets
    }
    for (let at = 10; at < 20; at += 1) await r.remove(at);
    await until('everything arrives', () => r.informer.list().length === 10 && r.values().size === 1, {
      withinMs: 120_000,
    });
    await r.link.set({});
    await r.observed.agrees();
    const seen = r.observed.first.lines;
    expect(new Set(seen).size).toBe(seen.length);
  });

  test.each(['both', 'toClient', 'toServer'] as const)(
    'F1, F3, G17: a network cut (%s) is noticed without a word from the server, and what happened meanwhile is caught up without a list',
    async (cut) => {
      const r = await rig(`cut-${cut.toLowerCase()}`);
      await r.informer.synced({ timeoutMs: 60_000 });
      await r.write(3, 'before');
      await until('the first ones', () => r.values().has('before'));
      const wholes = r.wholes();
      await r.link.set({ cut });
      await r.write(3, 'meanwhile');
      await until('it is known to be stale', () => r.informer.state.kind === 'stale');
      await r.link.set({});
      await until('it is caught up', () => r.values().has('meanwhile') && !r.values().has('before'));
      await r.observed.agrees();
      expect(r.wholes()).toBe(wholes);
    },
  );
});
