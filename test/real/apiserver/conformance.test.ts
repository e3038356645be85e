import { describe, expect, test } from 'vitest';
import { OLD, WITHOUT_STREAMING_LISTS } from '../../conformance/exceptions.ts';
import { conformanceSuite } from '../../conformance/suite.ts';
import type { Body, Target } from '../../conformance/rig/target.ts';
import { findOldApiserver, whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane, type ControlPlaneOptions } from '../harness/control-plane.ts';

const missing = await whatIsMissing();
const noOld = await whatIsMissing('kube-apiserver 1.26');
if (noOld !== undefined) console.warn(`\nSKIPPED: kube-apiserver 1.26: ${noOld}\n`);

const log = (line: string): void => console.log(line);

/** The reference: a case is right only if it passes here. */
async function startRealTarget(
  options: ControlPlaneOptions = {},
  reads: Target['reads'] = 'json',
): Promise<Target & AsyncDisposable> {
  const plane = await ControlPlane.start({ log, ...options });
  return {
    url: plane.url,
    ca: plane.credentials.ca,
    token: plane.credentials.token,
    reads,
    controls: { compact: () => compact(plane) },
    [Symbol.asyncDispose]: () => plane[Symbol.asyncDispose](),
  };
}

/** Compacts etcd, and restarts the server to drop the history in its memory. */
async function compact(plane: ControlPlane): Promise<void> {
  const { text } = await plane.ask('GET', '/api/v1/namespaces?limit=1');
  const { metadata } = JSON.parse(text) as { metadata: { resourceVersion: string } };
  await plane.compactEtcd(metadata.resourceVersion);
  await plane.killApiserver();
  await plane.startApiserver();
}

if (missing === undefined) {
  conformanceSuite('a real kube-apiserver', () => startRealTarget());
  conformanceSuite('a real kube-apiserver, read in protobuf', () => startRealTarget({}, 'protobuf'));
  conformanceSuite(
    'a real kube-apiserver without streaming lists',
    () => startRealTarget({ apiserverFlags: ['--feature-gates=WatchList=false'] }),
    WITHOUT_STREAMING_LISTS,
  );
  if (noOld === undefined)
    conformanceSuite(
      'kube-apiserver 1.26',
      async () => startRealTarget({ apiserver: await findOldApiserver(log) }),
      OLD,
    );
  else describe('kube-apiserver 1.26', () => test.skip('conformance', () => {}));

  test('point (g): without a watch cache, a list of any version honours the limit', async () => {
    await using plane = await ControlPlane.start({ apiserverFlags: ['--watch-cache=false'] });
    const path = '/api/v1/namespaces/default/configmaps';
    for (const name of ['a', 'b', 'c']) await plane.ask('POST', path, { metadata: { name } });
    const { text } = await plane.ask('GET', `${path}?resourceVersion=0&limit=1`);
    const { metadata, items } = JSON.parse(text) as Body;
    expect(items).toHaveLength(1);
    expect(metadata).toMatchObject({ remainingItemCount: 2 });
    expect(metadata.continue).toMatch(/^ey/);
  });
} else {
  console.warn(`\nSKIPPED: conformance of a real kube-apiserver: ${missing}\n`);
  describe('a real kube-apiserver', () => test.skip('conformance', () => {}));
}
