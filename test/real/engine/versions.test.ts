import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { SharedInformer, systemEnv } from 'kube-informer';
import { Client } from 'kube-informer/client';
import { counted } from '../harness/asked.ts';
import { findOldApiserver, whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';
import { asked } from '../harness/kinds.ts';
import { Observed } from '../harness/observed.ts';
import { until } from '../harness/until.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: other versions of kube-apiserver: ${missing}\n`);
const noOld = await whatIsMissing('kube-apiserver 1.26');
if (noOld !== undefined) console.warn(`\nSKIPPED: kube-apiserver 1.26: ${noOld}\n`);

const log = (line: string): void => console.log(line);

describe.skipIf(missing !== undefined)('a server without streaming lists (WatchList=false)', () =>
  scenario(() => ControlPlane.start({ apiserverFlags: ['--feature-gates=WatchList=false'], log })),
);
describe.skipIf(noOld !== undefined)('a server from before streaming lists (1.26)', () =>
  scenario(async () => ControlPlane.start({ apiserver: await findOldApiserver(log), log })),
);

function scenario(start: () => Promise<ControlPlane>): void {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await start();
  }, 1_800_000);
  afterAll(() => plane?.[Symbol.asyncDispose]());

  test('WLS-10: gets one request for a streaming list, then paged lists, and is watched like any other', async () => {
    const { ca, token } = plane.credentials;
    const path = '/api/v1/namespaces/default/configmaps';
    for (let at = 0; at < 7; at += 1) await asked(plane, 'POST', path, { metadata: { name: `c${at}` } });
    const env = { ...systemEnv, log: () => {} };
    const client = await Client.connect({ url: plane.url, ca, token, env, proxy: false });
    const { source, calls } = counted(client.resource('v1/configmaps').listWatch({ namespace: 'default' }));
    const informer = new SharedInformer(source, { pageSize: 3, env });
    onTestFinished(async () => {
      await informer.stop();
      await client.close();
    });
    const observed = new Observed(plane, informer, { paths: [path] });
    await informer.start().synced({ timeoutMs: 60_000 });
    expect(informer.list()).toHaveLength(7);
    const streams = (): number => calls.filter(({ sendInitialEvents }) => sendInitialEvents === true).length;
    expect(streams()).toBe(1);
    expect(calls.filter(({ verb, limit }) => verb === 'list' && limit === 3).length).toBeGreaterThanOrEqual(3);

    await asked(plane, 'DELETE', `${path}/c0`);
    await until('the delete', () => informer.get('default/c0') === undefined);
    await plane.killApiserver();
    await until('it is stale', () => informer.state.kind === 'stale');
    await plane.startApiserver();
    await asked(plane, 'POST', path, { metadata: { name: 'after' } });
    await asked(plane, 'DELETE', `${path}/c1`);
    await observed.agrees(90_000);
    expect(streams()).toBe(1);
  });
}
