import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { SharedInformer, systemEnv } from 'kube-informer';
import { Client } from 'kube-informer/client';
import { Recorder } from 'kube-informer/testing';
import { findOldApiserver, whatIsMissing } from './harness/binaries.ts';
import { ControlPlane } from './harness/control-plane.ts';
import { asked } from './harness/kinds.ts';
import { until } from './harness/until.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: other versions of kube-apiserver: ${missing}\n`);

const log = (line: string): void => console.log(line);
const SERVERS = {
  'without streaming lists (WatchList=false)': () =>
    ControlPlane.start({ apiserverFlags: ['--feature-gates=WatchList=false'], log }),
  'from before streaming lists (1.26)': async () => ControlPlane.start({ apiserver: await findOldApiserver(log), log }),
} as const;

describe.skipIf(missing !== undefined).each(Object.entries(SERVERS))('a server %s', (_, start) => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await start();
  }, 1_800_000);
  afterAll(() => plane?.[Symbol.asyncDispose]());

  test('WLS-10: is asked for a streaming list once, then listed in pages, and followed as any other', async () => {
    const { ca, token } = plane.credentials;
    const path = '/api/v1/namespaces/default/configmaps';
    for (let at = 0; at < 7; at += 1) await asked(plane, 'POST', path, { metadata: { name: `c${at}` } });
    const client = await Client.connect({ url: plane.url, ca, token, env: { ...systemEnv, log: () => {} } });
    const source = client.resource('v1/configmaps').listWatch({ namespace: 'default' });
    const calls: string[] = [];
    const informer = new SharedInformer(
      {
        list: (options, signal) => {
          calls.push(`list ${options.limit ?? ''}`);
          return source.list(options, signal);
        },
        watch: (options, signal) => {
          calls.push(options.sendInitialEvents === true ? 'watch-list' : 'watch');
          return source.watch(options, signal);
        },
      } satisfies typeof source,
      { pageSize: 3, env: { ...systemEnv, log: () => {} } },
    );
    onTestFinished(async () => {
      await informer.stop();
      await client.close();
    });
    const recorder = new Recorder();
    informer.on(recorder);
    await informer.start().synced({ timeoutMs: 30_000 });
    expect(informer.list().filter(({ metadata }) => metadata?.name?.startsWith('c'))).toHaveLength(7);
    expect(calls.filter((call) => call === 'watch-list')).toHaveLength(1);
    expect(calls).toContain('list 3');

    await plane.ask('DELETE', `${path}/c0`);
    await until('the delete', () => informer.get('default/c0') === undefined);
    await plane.killApiserver();
    await until('it is stale', () => informer.state.kind === 'stale');
    await plane.startApiserver();
    await plane.ask('POST', path, { metadata: { name: 'after' } });
    await until('it has caught up', () => informer.get('default/after') !== undefined, { withinMs: 90_000 });
    expect(await informer.verify()).toMatchObject({ consistent: true });
    expect(recorder.violations).toEqual([]);
    expect(calls.filter((call) => call === 'watch-list')).toHaveLength(1);
  });
});
