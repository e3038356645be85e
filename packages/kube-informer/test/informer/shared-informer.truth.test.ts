import { describe, expect, test } from 'vitest';
import type { ListWatch } from '../../src/informer/list-watch/list-watch.ts';
import { settle } from '../../src/testing/fake-clock.ts';
import type { FakeSource } from '../../src/testing/fake-source.ts';
import { HandlerRecorder } from '../../src/testing/handler-recorder.ts';
import { CountingMetrics, gate, type Pod, pod, QUEUES, rig, versionOf } from './rig/informer-rig.ts';

const at = (key: string, version: string, uid = 'uid-1', spec: Record<string, unknown> = {}): Pod =>
  pod(key, spec, { resourceVersion: version, uid });

describe.each(QUEUES)('one object, queue %s', (queue) => {
  test('G1, INF-02: an older state is dropped and counted, whichever event brings it', async () => {
    const metrics = new CountingMetrics();
    const { informer, source, start, heard } = rig({ queue, metrics, startVersion: 10 });
    source.create(pod('web/a', { n: 1 }));
    await start();
    source.update(pod('web/a', { n: 2 }));
    await settle();
    for (const type of ['ADDED', 'MODIFIED', 'DELETED'] as const) source.send({ type, object: at('web/a', '9') });
    await settle();
    expect(informer.get('web/a')?.spec).toEqual({ n: 2 });
    expect(heard.lines).toEqual(['add web/a@11 initial', 'update web/a@11→12']);
    expect(metrics.sum('reflector_stale_events_total')).toBe(3);
    await informer.stop();
  });

  test('G3, F28: a backup restored with raised versions is followed, though the list is newer than everything seen', async () => {
    let resets = 0;
    const { informer, source, start, clock } = rig({ queue, startVersion: 10, onEpochReset: () => void (resets += 1) });
    source.create(pod('web/a', { n: 1 }));
    await start();
    source.update(pod('web/a', { n: 2 }));
    await settle();
    source.restore([at('web/a', '11', 'uid-1', { n: 1 })], 1_000_000);
    source.expireHistory();
    source.cut();
    await clock.advance(60_000);
    expect(informer.get('web/a')?.spec).toEqual({ n: 1 });
    expect([resets, informer.health().epochs > 0 || queue === 'delta']).toEqual([1, true]);
    await informer.stop();
  });

  test('G3, F28: a backup restored with raised versions that takes back nothing but a delete is announced', async () => {
    let resets = 0;
    const { informer, source, start, clock, heard } = rig({
      queue,
      startVersion: 10,
      onEpochReset: () => void (resets += 1),
    });
    source.create(pod('web/a', { n: 1 }));
    source.create(pod('web/b'));
    await start();
    const backup = source.objects;
    source.delete('web/a');
    await settle();
    source.restore(backup, 1_000_000);
    source.expireHistory();
    source.cut();
    await clock.advance(60_000);
    expect(informer.get('web/a')?.spec).toEqual({ n: 1 });
    expect(heard.lines.slice(2)).toEqual(['delete web/a', 'add web/a@11']);
    expect([resets, informer.health().epochs > 0 || queue === 'delta']).toEqual([1, true]);
    // The same list again is the same history.
    source.expireHistory();
    source.cut();
    await clock.advance(60_000);
    expect(resets).toBe(1);
    await informer.stop();
  });

  test('G3: an object that a list shows for the first time, comes back changed, or has another UID is not a sign of a restore', async () => {
    let resets = 0;
    const { informer, source, start, clock } = rig({ queue, startVersion: 10, onEpochReset: () => void (resets += 1) });
    source.create(pod('web/left', {}, { uid: 'uid-left' }));
    source.create(pod('web/again', {}, { uid: 'uid-first' }));
    await start();
    // An event that was lost on the way: the cache has never had the object.
    source.loseNext(1);
    source.create(pod('web/lost'));
    // It has left a selector, and a later change lets it in again.
    source.delete('web/left');
    source.delete('web/again');
    await settle();
    source.loseNext(2);
    source.create(pod('web/left', { n: 2 }, { uid: 'uid-left' }));
    source.create(pod('web/again', {}, { uid: 'uid-second' }));
    source.expireHistory();
    source.cut();
    await clock.advance(60_000);
    expect(informer.store.keys().toSorted()).toEqual(['web/again', 'web/left', 'web/lost']);
    expect([resets, informer.health().epochs]).toEqual([0, 0]);
    await informer.stop();
  });

  test('G3: objects that a restore removed are not a sign of a second restore when they come back: their versions were of another history', async () => {
    let resets = 0;
    const { informer, source, start, clock } = rig({
      queue,
      startVersion: 100,
      onEpochReset: () => void (resets += 1),
    });
    source.create(pod('web/a', {}, { uid: 'uid-a' }));
    source.create(pod('web/b'));
    await start();
    source.restore([at('web/b', '5', 'uid-b')], 10);
    source.expireHistory();
    source.cut();
    await clock.advance(120_000);
    expect([informer.store.keys(), resets]).toEqual([['web/b'], 1]);
    source.loseNext(1);
    source.create(pod('web/a', {}, { uid: 'uid-a' }));
    source.expireHistory();
    source.cut();
    await clock.advance(60_000);
    expect(versionOf(informer.get('web/a'))).toBe('11');
    expect(resets).toBe(1);
    await informer.stop();
  });

  test('G1, G19: versions that are counted per object are not compared across objects, and health reports it', async () => {
    const wrap = (source: FakeSource<Pod>): ListWatch<Pod> => ({
      watchListUnsupported: true,
      watch: source.watch,
      // Items newer than their own list.
      list: async () => ({ metadata: { resourceVersion: '3' }, items: [at('web/a', '9')] }),
    });
    const { informer, source, start, heard } = rig({ queue, wrap });
    expect(informer.health().versions).toBe('ordered');
    source.restore([], 3);
    await start();
    source.send({ type: 'ADDED', object: at('web/b', '1', 'uid-2') });
    source.send({ type: 'MODIFIED', object: at('web/a', '4', 'uid-3') });
    source.send({ type: 'MODIFIED', object: at('web/a', '2', 'uid-3') });
    await settle();
    // One object has one count: what is older there is older.
    expect(heard.lines).toEqual(['add web/a@9 initial', 'add web/b@1', 'update web/a@9→4 replaced']);
    expect(informer.health()).toMatchObject({ versions: 'opaque', staleDropped: 1 });
    await informer.stop();
  });

  test('F58, G18: the same event twice, and a replay of the last changes after a reconnect, are announced once', async () => {
    const { informer, source, clock, start, heard } = rig({ queue });
    source.create(pod('web/a'));
    await start();
    source.update(pod('web/a', { n: 1 }));
    source.repeat(1);
    source.create(pod('web/b'));
    source.delete('web/b');
    await settle();
    const received = ['add web/a@2 initial', 'update web/a@2→3', 'add web/b@4', 'delete web/b'];
    expect(heard.lines).toEqual(received);
    source.cut(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    await clock.advance(1_000);
    source.repeat(4);
    await settle();
    expect([heard.lines, heard.violations]).toEqual([received, []]);
    await informer.stop();
  });

  test('F57: a change of an unknown object is an add, an add of a known one an update, and a delete of an unknown one is only counted', async () => {
    const { informer, source, start, heard } = rig({ queue });
    source.create(pod('web/a'));
    await start();
    source.send({ type: 'MODIFIED', object: at('web/new', '5', 'uid-9') });
    source.send({ type: 'ADDED', object: at('web/a', '6') });
    source.send({ type: 'DELETED', object: at('web/never', '7', 'uid-8') });
    await settle();
    expect(heard.lines).toEqual(['add web/a@2 initial', 'add web/new@5', 'update web/a@2→6']);
    // A grouping queue does not even take a delete of an unknown object.
    expect(informer.health().unknownDeletes).toBe(queue === 'ordered' ? 1 : 0);
    expect(informer.lastSyncResourceVersion).toBe('7');
    await informer.stop();
  });

  test('RFI-02, Trap 14: with parity the delete of a never cached object reaches the handlers of an ordered queue', async () => {
    const { informer, source, start, heard } = rig({ queue, parity: 'client-go' });
    await start();
    source.send({ type: 'DELETED', object: at('web/never', '7', 'uid-8') });
    await settle();
    expect(heard.lines).toEqual(queue === 'ordered' ? ['delete web/never'] : []);
    await informer.stop();
  });

  test('INF-22, INF-23, F60: leaving a selector is a delete with the last state, entering it an add; the real delete is not announced again', async () => {
    const { informer, source, start, heard } = rig({ queue });
    source.create(pod('web/a', { n: 1 }, { labels: { app: 'web' } }));
    await start();
    // What a server sends to a watch with a selector: the object left at 5, came back at 7, left again at 9.
    source.send({ type: 'DELETED', object: at('web/a', '5', 'uid-1', { n: 1 }) });
    source.send({ type: 'ADDED', object: at('web/a', '7', 'uid-1', { n: 2 }) });
    source.send({ type: 'DELETED', object: at('web/a', '9', 'uid-1', { n: 2 }) });
    source.send({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '12' } } });
    await settle();
    expect(heard.lines).toEqual(['add web/a@2 initial', 'delete web/a', 'add web/a@7', 'delete web/a']);
    expect(heard.events.map(({ object }) => object.spec?.['n'])).toEqual([1, 1, 2, 2]);
    expect(informer.store.size).toBe(0);
    await informer.stop();
  });

  test('INF-23, F60: leaving the selector while no watch is open is a delete found by the list', async () => {
    const { informer, source, start, heard, relist } = rig({ queue });
    source.create(pod('web/a'));
    await start();
    source.loseNext(1);
    source.delete('web/a');
    await relist();
    expect(heard.lines.slice(1)).toEqual(['delete web/a unknown']);
    await informer.stop();
  });

  test('G6, F61, INF-02, Trap 14: another object under the same name, found by a list, is one update with `replaced`', async () => {
    const { informer, source, start, heard, relist } = rig({ queue });
    source.create(pod('web/a', { n: 1 }));
    await start();
    source.loseNext(2);
    source.delete('web/a');
    source.create(pod('web/a', { n: 2 }));
    await relist();
    expect(heard.lines).toEqual(['add web/a@2 initial', 'update web/a@2→4 replaced']);
    await informer.stop();
  });

  test('G6, F61: the option splits it into a delete and an add', async () => {
    const { informer, source, start, heard, relist } = rig({ queue, uidChange: 'split' });
    source.create(pod('web/a', { n: 1 }));
    await start();
    source.loseNext(2);
    source.delete('web/a');
    source.create(pod('web/a', { n: 2 }));
    await relist();
    expect(heard.lines).toEqual(['add web/a@2 initial', 'delete web/a unknown', 'add web/a@4']);
    expect(heard.violations).toEqual([]);
    await informer.stop();
  });

  test('F61, G11: delete and create inside one coalescing window are still a delete and an add', async () => {
    const { informer, source, start } = rig({ queue });
    source.create(pod('web/a'));
    const held = gate();
    const slow = new HandlerRecorder<Pod>();
    informer.on(
      {
        add: async (event) => {
          slow.add(event);
          await held.opened;
        },
        update: slow.update,
        delete: slow.delete,
      },
      { limit: 1 },
    );
    await start();
    for (let n = 0; n < 5; n += 1) source.update(pod('web/a', { n }));
    source.delete('web/a');
    source.create(pod('web/a'));
    source.update(pod('web/a', { last: true }));
    await settle();
    held.open();
    await settle();
    expect(slow.lines).toEqual(['add web/a@2 initial', 'delete web/a', `add web/a@${source.resourceVersion}`]);
    expect(slow.events.map(({ object }) => object.metadata?.uid)).toEqual(['uid-1', 'uid-1', 'uid-2']);
    await informer.stop();
  });
});

describe.each(QUEUES)('no lost deletes, queue %s', (queue) => {
  test('G5: an object whose add is still waiting when the list shows it gone is announced and then announced deleted', async () => {
    const { informer, source, clock, start, heard } = rig({ queue });
    const held = gate();
    const blocker = informer.on({ add: () => held.opened }, { policy: 'block', limit: 1 });
    source.create(pod('web/a'));
    await start();
    for (const name of 'bcdef') source.create(pod(`web/${name}`));
    await settle();
    expect(informer.health().pending).toBeGreaterThan(0);
    source.loseNext(2);
    source.delete('web/b');
    source.delete('web/f');
    source.expireHistory();
    source.cut();
    await clock.advance(2_000);
    held.open();
    blocker.remove();
    await clock.advance(2_000);
    expect(heard.violations).toEqual([]);
    expect([...heard.view.keys()].sort()).toEqual(['web/a', 'web/c', 'web/d', 'web/e']);
    for (const key of ['web/b', 'web/f']) {
      const adds = heard.lines.filter((line) => line.startsWith(`add ${key}`)).length;
      expect(heard.lines.filter((line) => line === `delete ${key} unknown`)).toHaveLength(adds);
    }
    expect(heard.lines).toContain('delete web/b unknown');
    await informer.stop();
  });

  test('G5: a delete between the list and the watch is announced', async () => {
    const wrap = (source: FakeSource<Pod>): ListWatch<Pod> => ({
      watchListUnsupported: true,
      watch: source.watch,
      list: async (options, signal) => {
        const answer = await source.list(options, signal);
        source.delete('web/a');
        return answer;
      },
    });
    const { informer, source, start, heard } = rig({ queue, wrap });
    source.create(pod('web/a'));
    source.create(pod('web/b'));
    await start();
    expect(heard.lines).toEqual(['add web/a@2 initial', 'add web/b@3 initial', 'delete web/a']);
    await informer.stop();
  });

  test('G5: a handler that was added late gets the delete of everything it got, once', async () => {
    const { informer, source, start, relist } = rig({ queue });
    for (const name of 'abc') source.create(pod(`web/${name}`));
    await start();
    const late = new HandlerRecorder<Pod>();
    informer.on(late);
    source.loseNext(1);
    source.delete('web/a');
    await relist();
    source.delete('web/b');
    await relist();
    expect(late.lines.slice(3)).toEqual(['delete web/a unknown', 'delete web/b']);
    expect(late.violations).toEqual([]);
    await informer.stop();
  });

  test('CTL-09 (TestResetWatch): what was missed while the watch was broken comes through the list, and is not initial', async () => {
    const { informer, source, start, heard, relist } = rig({ queue });
    for (const name of 'abc') source.create(pod(`web/${name}`));
    await start();
    heard.clear();
    source.loseNext(3);
    source.update(pod('web/b', { n: 1 }));
    source.create(pod('web/d'));
    source.delete('web/a');
    await relist();
    expect(heard.lines.sort()).toEqual(['add web/d@6', 'delete web/a unknown', 'update web/b@3→5']);
    expect(heard.violations).toEqual([]);
    if (queue === 'ordered') expect(heard.events[0]?.type).toBe('delete');
    await informer.stop();
  });
});

describe.each(QUEUES)('the storage went back, queue %s', (queue) => {
  test('G3: it is reported, the cache follows in one step, and handlers get exactly the differences', async () => {
    const order: string[] = [];
    const { informer, source, clock, start, heard } = rig({
      queue,
      onEpochReset: () => {
        order.push(`reset, cache: ${informer.store.keys().sort().join(' ')}`);
      },
    });
    const kept = source.create(pod('web/kept'));
    const changed = source.create(pod('web/changed', { n: 1 }));
    const gone = source.create(pod('web/gone'));
    await start();
    source.update(pod('web/changed', { n: 2 }));
    source.delete('web/gone');
    source.create(pod('web/new'));
    await settle();
    heard.clear();
    // A backup from before the last three changes.
    source.restore([kept, changed, gone], 4);
    source.cut();
    await clock.advance(60_000);
    expect(heard.lines.sort()).toEqual(['add web/gone@4', 'delete web/new unknown', 'update web/changed@5→3']);
    expect(heard.violations).toEqual([]);
    expect(informer.health()).toMatchObject({ epochs: 1, resourceVersion: '4', state: { kind: 'synced' } });
    // Inside the new epoch time goes forward again.
    source.update(pod('web/kept', { n: 9 }));
    await settle();
    expect(versionOf(informer.get('web/kept'))).toBe('5');
    expect(order).toEqual(['reset, cache: web/changed web/gone web/kept']);
    await informer.stop();
  });

  test('G3, G13: handlers get the differences although onEpochReset throws', async () => {
    const { informer, source, clock, start, heard, logged } = rig({
      queue,
      onEpochReset: () => {
        throw new Error('in the hook');
      },
    });
    const kept = source.create(pod('web/kept'));
    source.create(pod('web/lost'));
    await start();
    source.restore([kept], 2);
    source.cut();
    await clock.advance(60_000);
    expect(heard.lines.at(-1)).toBe('delete web/lost unknown');
    expect(logged('error', 'a callback failed')[0]?.fields).toEqual({
      callback: 'onEpochReset',
      error: 'in the hook',
    });
    await informer.stop();
  });
});

describe('the kit can hide things', () => {
  test('F90: a handler that depends on every intermediate state fails with a source that drops them', async () => {
    const { informer, source, start, heard } = rig();
    source.create(pod('web/a', { phase: 'Pending' }));
    const phases: unknown[] = [];
    informer.on({ update: ({ object }) => void phases.push(object.spec?.['phase']) });
    await start();
    source.loseNext(1);
    source.update(pod('web/a', { phase: 'Running' }));
    source.update(pod('web/a', { phase: 'Succeeded' }));
    await settle();
    expect(phases).toEqual(['Succeeded']);
    // For the handler it is one legal step: from what it was told last to what is there now.
    expect(heard.lines).toEqual(['add web/a@2 initial', 'update web/a@2→4']);
    expect(heard.violations).toEqual([]);
    await informer.stop();
  });

  test('F90, EVH-02: a relist hides intermediate states too, deletes and creates among them', async () => {
    const { informer, source, clock, start, heard } = rig();
    source.create(pod('web/a', { n: 0 }));
    await start();
    source.cut(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    for (let n = 1; n < 6; n += 1) source.update(pod('web/a', { n }));
    source.create(pod('web/short'));
    source.delete('web/short');
    source.expireHistory();
    await clock.advance(5_000);
    expect(heard.lines).toEqual(['add web/a@2 initial', 'update web/a@2→7']);
    await informer.stop();
  });
});

test('G3, F28, F73: in a streamed relist the same version with another content is not the same state', async () => {
  const { source, informer, clock, start } = rig({ watchList: true });
  source.create(pod('web/a', { content: 'lost' }));
  await start();
  const version = Number(informer.store.resourceVersion);
  source.restore([{ ...(source.get('web/a') as Pod), spec: { content: 'kept' } }], version - 1);
  source.cut();
  await clock.advance(120_000);
  expect(informer.get('web/a')?.spec).toEqual({ content: 'kept' });
  await informer.stop();
});
