import { describe, expect, test } from 'vitest';
import type * as Errors from '../../../src/core/errors.ts';
import type * as DeltaModule from '../../../src/informer/queue/delta.ts';
import type * as InformerNameModule from '../../../src/informer/apply/informer-name.ts';
import type * as Informers from '../../../src/informer/shared-informer.ts';
import { hasCode } from '../../../src/core/errors.ts';
import { isExpired, statusOf } from '../../../src/core/status.ts';
import { isTombstone } from '../../../src/informer/queue/delta.ts';
import { reasonOf } from '../../../src/informer/reflector/watch-error.ts';
import { settle } from '../../../src/testing/fake-clock.ts';
import { type Pod, pod, rig } from '../rig/informer-rig.ts';

/** The same file once more, as a second installation of the package would bring it. */
async function copy<M>(path: string): Promise<M> {
  return (await import(/* @vite-ignore */ `${path}?copy`)) as M;
}

describe('two copies of the package in one process', () => {
  test('F77: an error of the other copy is recognised by code and status, wrapped or not', async () => {
    const { KubeError: Other } = await copy<typeof Errors>('../../../src/core/errors.ts');
    const { KubeError } = await import('../../../src/core/errors.ts');
    const foreign = new Other('API_STATUS', 'gone', { status: { code: 410, reason: 'Expired' } });
    expect(foreign).not.toBeInstanceOf(KubeError);
    const wrapped = new KubeError('TRANSPORT', 'failed', { cause: foreign });
    for (const error of [foreign, wrapped]) {
      expect([hasCode(error, 'API_STATUS'), isExpired(error), statusOf(error)?.code, reasonOf(error)]).toEqual([
        true,
        true,
        410,
        'expired',
      ]);
    }
  });

  test('F77, Trap 14: a tombstone of the other copy is a tombstone', async () => {
    const { DeletedFinalStateUnknown: Other } = await copy<typeof DeltaModule>('../../../src/informer/queue/delta.ts');
    const { DeletedFinalStateUnknown } = await import('../../../src/informer/queue/delta.ts');
    const foreign = new Other('web/a', pod('web/a'));
    expect([foreign instanceof DeletedFinalStateUnknown, isTombstone(foreign)]).toEqual([false, true]);
    expect([isTombstone(structuredClone(foreign)), isTombstone(pod('web/a')), isTombstone(null)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('F77: an informer understands the errors of a client that brought the other copy', async () => {
    const { KubeError: Other } = await copy<typeof Errors>('../../../src/core/errors.ts');
    const failure = (code: number, reason: string): Error =>
      new Other('API_STATUS', reason, { status: { code, reason }, ...(code === 429 ? { retryAfterMs: 5_000 } : {}) });
    const { informer, source, clock, heard, start } = rig();
    source.create(pod('web/a'));
    await start();
    source.cut(failure(410, 'Expired'));
    source.delete('web/a');
    source.create(pod('web/b'));
    await clock.advance(2_000);
    expect(heard.lines).toEqual(['add web/a@2 initial', 'delete web/a unknown', 'add web/b@4']);
    source.failNext('watch', failure(429, 'TooManyRequests'));
    source.cut();
    const { length } = source.calls;
    await clock.advance(4_999);
    // The watch that was refused, and none before Retry-After is over.
    expect(source.calls).toHaveLength(length + 1);
    await clock.advance(2_000);
    expect(informer.state).toEqual({ kind: 'synced' });
    for (const verb of ['watch', 'list'] as const) source.failNext(verb, failure(403, 'Forbidden'), 9);
    source.cut();
    await clock.advance(6_000);
    expect(informer.state).toMatchObject({ kind: 'stale', reason: 'forbidden' });
    await informer.stop();
  });

  test('F77: two copies share nothing: no names, no caches, no state', async () => {
    const { processNames: other } = await copy<typeof InformerNameModule>(
      '../../../src/informer/apply/informer-name.ts',
    );
    const { processNames } = await import('../../../src/informer/apply/informer-name.ts');
    const [mine, theirs] = [processNames.reserve('copies.test'), other.reserve('copies.test')];
    mine.release();
    expect(() => other.reserve('copies.test')).toThrow(/taken/);
    theirs.release();
    const { SharedInformer: Other } = await copy<typeof Informers>('../../../src/informer/shared-informer.ts');
    const { source, env } = rig();
    const [one, two] = [new Other<Pod>(source, { env }), rig({ env, wrap: () => source }).informer];
    source.create(pod('web/a'));
    one.start();
    two.start();
    await settle();
    await one.stop();
    source.create(pod('web/b'));
    await settle();
    expect([one.store.size, two.store.size]).toEqual([1, 2]);
    await two.stop();
  });
});
