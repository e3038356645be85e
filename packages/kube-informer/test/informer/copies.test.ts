import { describe, expect, test } from 'vitest';
import { hasCode } from '../../src/core/errors.ts';
import { isExpired, statusOf } from '../../src/core/status.ts';
import { isTombstone } from '../../src/informer/delta.ts';
import { reasonOf } from '../../src/informer/watch-error.ts';
import { fakeEnv, settle } from '../../src/testing/fake-clock.ts';
import { type Pod, pod, rig } from './informer-rig.ts';

/** The same file once more, as a second installation of the package would bring it. */
async function copy<M>(path: string): Promise<M> {
  return (await import(/* @vite-ignore */ `${path}?copy`)) as M;
}

type Errors = typeof import('../../src/core/errors.ts');
type DeltaModule = typeof import('../../src/informer/delta.ts');
type Source = typeof import('../../src/testing/fake-source.ts');
type Informers = typeof import('../../src/informer/shared-informer.ts');
type Identity = typeof import('../../src/informer/identity.ts');

describe('two copies of the package in one process', () => {
  test('F77: an error of the other copy is recognised by code and status, wrapped or not', async () => {
    const { KubeError: Other } = await copy<Errors>('../../src/core/errors.ts');
    const { KubeError } = await import('../../src/core/errors.ts');
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
    const { DeletedFinalStateUnknown: Other } = await copy<DeltaModule>('../../src/informer/delta.ts');
    const { DeletedFinalStateUnknown } = await import('../../src/informer/delta.ts');
    const foreign = new Other('web/a', pod('web/a'));
    expect([foreign instanceof DeletedFinalStateUnknown, isTombstone(foreign)]).toEqual([false, true]);
    expect([isTombstone(structuredClone(foreign)), isTombstone(pod('web/a')), isTombstone(null)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('F77: an informer follows a source of the other copy through everything its errors mean', async () => {
    const other = await copy<Source>('../../src/testing/fake-source.ts');
    const env = fakeEnv();
    const foreign = new other.FakeSource<Pod>();
    const { informer, clock, heard } = rig({ env, wrap: () => foreign });
    foreign.create(pod('web/a'));
    informer.start();
    await settle();
    foreign.cut(other.expired('too old'));
    foreign.delete('web/a');
    foreign.create(pod('web/b'));
    await clock.advance(2_000);
    expect(heard.lines).toEqual(['add web/a@2 initial', 'delete web/a unknown', 'add web/b@4']);
    foreign.failNext('watch', other.statusFailure(403, 'Forbidden', 'no'), 3);
    foreign.failNext('list', other.statusFailure(403, 'Forbidden', 'no'), 3);
    foreign.cut();
    await clock.advance(1_000);
    expect(informer.state).toMatchObject({ kind: 'stale', reason: 'forbidden' });
    await informer.stop();
  });

  test('F77: two copies share nothing: no names, no caches, no state', async () => {
    const { processNames: other } = await copy<Identity>('../../src/informer/identity.ts');
    const { processNames } = await import('../../src/informer/identity.ts');
    const [mine, theirs] = [processNames.reserve('copies.test'), other.reserve('copies.test')];
    mine.release();
    expect(() => other.reserve('copies.test')).toThrow(/taken/);
    theirs.release();
    const { SharedInformer: Other } = await copy<Informers>('../../src/informer/shared-informer.ts');
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
