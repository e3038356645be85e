import { describe, expect, test } from 'vitest';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import type { Delta } from '../../../src/informer/queue/delta.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { obj } from '../rig/delta-lines.ts';
import { all, gone, type ProcessRig, processRig, type ProcessRigOptions, set } from '../rig/process-rig.ts';

/** A cache that holds `texts`, and an audience that has forgotten how it learned of them. */
async function rig(texts: readonly string[] = [], options: ProcessRigOptions = {}): Promise<ProcessRig> {
  const made = processRig(options);
  for (const text of texts) await made.apply(set('added', text));
  made.heard();
  return made;
}

describe('CTL-06: the cache decides what a state is', () => {
  test.each<[Delta<KubeObject>['type'] & ('added' | 'updated' | 'replaced' | 'sync')]>([
    ['added'],
    ['updated'],
    ['replaced'],
    ['sync'],
  ])('CTL-06, F57: "%s" of an unknown object is an add, of a known one an update', async (type) => {
    const { apply, heard, held } = await rig(['web/a@1']);
    await apply(set(type, 'web/new@5'), set(type, 'web/a@6'));
    expect(heard()).toEqual(['add web/new@5', 'update web/a@1→6']);
    expect(held()).toEqual(['web/a@6', 'web/new@5']);
  });

  test.each([true, false])('CTL-06, INF-10: an add says whether it is initial: %s', async (initial) => {
    const { apply, recorder } = await rig([], { initial });
    await apply(set('added', 'web/a@1'));
    await apply(all('5', ['web/a@1', 'web/b@2']));
    expect(recorder.events.map((event) => event.type === 'add' && event.initial)).toEqual([initial, initial]);
  });
});

describe('CTL-07: a delete', () => {
  test('CTL-07, EVH-08: removes the object and announces the state it came with', async () => {
    const { apply, heard, held, recorder } = await rig(['web/a@1', 'web/b@2']);
    await apply(gone('web/a@7'));
    expect(recorder.events).toEqual([
      { type: 'delete', key: 'web/a', object: obj('web/a@7'), finalStateUnknown: false },
    ]);
    expect(heard()).toEqual(['delete web/a']);
    expect(held()).toEqual(['web/b@2']);
  });

  test.each([
    ['with the state the list knew of', gone('web/a@1', true), 'web/a@1'],
    ['with the cached state if there is no other', gone('web/a', true), 'web/a@1'],
  ])('CTL-07, EVH-03: found by a list is announced as such, %s', async (_, delta, last) => {
    const { apply, heard, held, recorder } = await rig(['web/a@1']);
    await apply(delta);
    expect(recorder.events).toMatchObject([{ object: obj(last) }]);
    expect(heard()).toEqual(['delete web/a unknown']);
    expect(held()).toEqual([]);
  });

  test('CTL-07, G5: whose last state is poisoned announces the cached one', async () => {
    const { apply, recorder } = await rig(['web/a@1']);
    await apply(gone('web/a'));
    expect(recorder.events).toEqual([
      { type: 'delete', key: 'web/a', object: obj('web/a@1'), finalStateUnknown: false },
    ]);
  });

  test('F57, RFI-02: of an object that was never announced is counted, not announced; it still advances the version', async () => {
    const { apply, heard, process, store } = await rig(['web/a@5']);
    await apply(gone('web/ghost@9'));
    expect([heard(), process.unknownDeletes, store.resourceVersion]).toEqual([[], 1, '9']);
    await apply(gone('web/ghost@3'), gone('web/ghost@20', true), gone('web/ghost'));
    expect([heard(), process.unknownDeletes, store.resourceVersion]).toEqual([[], 4, '9']);
  });

  test('G5: an announced object is announced deleted once, however often its delete arrives', async () => {
    const { apply, heard } = await rig(['web/a@1']);
    await apply(gone('web/a@2'), gone('web/a@2'), gone('web/a@1', true));
    await apply(all('9', []));
    expect(heard()).toEqual(['delete web/a']);
  });
});

describe('CTL-08', () => {
  test('CTL-08, EVH-02: a resync announces every cached object as it is, to the handlers whose resync is due', async () => {
    const { apply, heard, recorder } = await rig(['web/a@1', 'web/b@2']);
    await apply(set('updated', 'web/a@3'));
    heard();
    await apply({ type: 'syncAll' });
    for (const event of recorder.events) expect(event.type === 'update' && event.old === event.object).toBe(true);
    expect(heard()).toEqual(['update web/a@3→3 resync (sync)', 'update web/b@2→2 resync (sync)']);
  });

  test('CTL-08: a resync object by object announces what the cache holds, without changing the version of the cache', async () => {
    const { apply, heard, store } = await rig(['web/a@1', 'web/b@2']);
    await apply(set('sync', 'web/a@1'));
    expect(heard()).toEqual(['update web/a@1→1 resync (sync)']);
    expect(store.resourceVersion).toBe('2');
  });

  test('CTL-08: a bookmark advances the version of the cache and is not announced', async () => {
    const { apply, heard, store } = await rig(['web/a@1']);
    await apply({ type: 'bookmark', resourceVersion: '40' });
    expect([heard(), store.resourceVersion]).toEqual([[], '40']);
  });
});

describe('G1: the state of a key never goes back', () => {
  test.each<[string, string, string]>([
    ['by number, not by text', '10', '9'],
    ['with more digits than a number can hold', '100000000000000000000002', '100000000000000000000001'],
  ])('G1: an older state is dropped and counted: %s', async (_, cached, older) => {
    const { apply, heard, held, process, store } = await rig([`web/a@${cached}`]);
    for (const type of ['added', 'updated', 'replaced', 'sync'] as const) await apply(set(type, `web/a@${older}`));
    await apply(all('1', [`web/a@${older}`]));
    expect(heard()).toEqual([]);
    expect(held()).toEqual([`web/a@${cached}`]);
    expect(process.staleDropped).toBe(5);
    expect(store.resourceVersion).toBe('1');
  });

  test('G1: the replay of a delete that a newer object has outlived is dropped and counted', async () => {
    const { apply, heard, held, process } = await rig(['web/a@20#second']);
    await apply(gone('web/a@15#first'));
    expect([heard(), held(), process.staleDropped]).toEqual([[], ['web/a@20'], 1]);
  });

  test('G5: a delete found by a list is applied however old its state is', async () => {
    const { apply, heard } = await rig(['web/a@20']);
    await apply(gone('web/a@15', true));
    expect(heard()).toEqual(['delete web/a unknown']);
  });

  test('G1, F46: without a known order, the later arrival counts', async () => {
    const { apply, heard } = await rig(['web/a@tango', 'web/b']);
    await apply(set('updated', 'web/a@alpha'), set('updated', 'web/b@3'), gone('web/a@bravo'));
    expect(heard()).toEqual(['update web/a@tango→alpha', 'update web/b@?→3', 'delete web/a']);
  });

  test('G1, F46: versions that count per object are not compared with another object of the same name', async () => {
    const { apply, heard, held } = await rig(['web/a@50#first', 'web/b@50#first'], { versionsAreOrdered: () => false });
    await apply(set('updated', 'web/a@1#second'), gone('web/b@2#second'));
    expect(heard()).toEqual(['update web/a@50→1 replaced', 'delete web/b']);
    expect(held()).toEqual(['web/a@1']);
  });

  test.each(['replaced', 'sync'] as const)('G3: in a new epoch an older state is applied ("%s")', async (type) => {
    const { apply, heard, held } = await rig(['web/a@50']);
    await apply(set(type, 'web/a@7', { newEpoch: true }));
    expect([heard(), held()]).toEqual([['update web/a@50→7'], ['web/a@7']]);
  });
});

describe('G18: no state is announced twice', () => {
  test('G18, F58: the same state again is not announced and not stored; another uid with the same version is', async () => {
    const { apply, heard, store } = await rig(['web/a@1#u', 'web/b@2#u']);
    const before = store.get('web/a');
    await apply(set('added', 'web/a@1#u'), set('updated', 'web/a@1#u'), set('replaced', 'web/b@2#u'));
    expect(heard()).toEqual([]);
    expect(store.get('web/a')).toBe(before);
    await apply(set('updated', 'web/a@1#v'));
    expect(heard()).toEqual(['update web/a@1→1 replaced']);
  });

  test('F58: repeated last changes, deletes included, are announced once', async () => {
    const { apply, heard, process } = await rig();
    const changes = [set('added', 'web/a@1'), set('updated', 'web/a@2'), set('added', 'web/b@3'), gone('web/a@4')];
    await apply(...changes);
    heard();
    await apply(...changes.slice(1, 3));
    // Nothing tells an old add from a new object once its delete is forgotten: the reflector never hands it on.
    expect(heard()).toEqual(['add web/a@2']);
    expect(process.staleDropped).toBe(0);
    await apply(set('added', 'web/b@3'), gone('web/a@4'));
    expect(heard()).toEqual(['delete web/a']);
  });
});

describe('G6, F61: another object under the same name', () => {
  test.each<[string, ProcessRigOptions, string[]]>([
    ['by default is one update, marked', {}, ['update web/a@1→5 replaced']],
    ['with "flag" too', { uidChange: 'flag' }, ['update web/a@1→5 replaced']],
    ['with "split" is a delete and an add', { uidChange: 'split' }, ['delete web/a unknown', 'add web/a@5']],
  ])('G6, F61: %s, from a watch and from a list', async (_, options, expected) => {
    const one = await rig(['web/a@1#first'], options);
    await one.apply(set('updated', 'web/a@5#second'));
    expect(one.heard()).toEqual(expected);
    const two = await rig(['web/a@1#first'], options);
    await two.apply(all('9', ['web/a@5#second']));
    expect(two.heard()).toEqual(expected);
    expect(two.recorder.violations).toEqual([]);
  });
});

describe("parity: 'client-go'", () => {
  const parity = { parity: 'client-go' } as const;

  test('PRO-03: unchanged states are announced to handlers whose resync is due', async () => {
    const { apply, heard } = await rig(['web/a@1', 'web/b@2'], parity);
    await apply(set('updated', 'web/a@1'));
    await apply(all('9', ['web/a@1', 'web/b@3']));
    expect(heard()).toEqual(['update web/a@1→1 (sync)', 'update web/b@2→3', 'update web/a@1→1 (sync)']);
  });

  test('RFI-02: deletes of unknown objects are announced, if they have a state', async () => {
    const { apply, heard, process } = await rig([], parity);
    await apply(gone('web/ghost@9'), gone('web/none', true));
    expect(heard()).toEqual(['delete web/ghost']);
    expect(process.unknownDeletes).toBe(2);
  });
});

describe('STO-06: the version of the cache', () => {
  test('STO-06: follows adds, updates and seen deletes, lists and bookmarks, but not deletes found by a list', async () => {
    const { apply, store } = await rig();
    const versions: string[] = [];
    for (const delta of [
      set('added', 'web/a@3'),
      set('updated', 'web/a@5'),
      gone('web/a@8'),
      set('added', 'web/b@10'),
      gone('web/b@10', true),
      all('30', ['web/c@2']),
      gone('web/c'),
    ]) {
      await apply(delta);
      versions.push(store.resourceVersion);
    }
    expect(versions).toEqual(['3', '5', '8', '10', '10', '30', '30']);
  });

  test('STO-06, TRF-06: objects that lost their metadata leave it where it is; a list does not', async () => {
    const { apply, store, heard } = await rig(['web/a@3']);
    const bare = (key: string): Delta<KubeObject> => ({ type: 'updated', key, object: {} });
    await apply(bare('web/a'), bare('web/b'), {
      ...bare('web/b'),
      type: 'deleted',
      finalStateUnknown: false,
    } as Delta<KubeObject>);
    expect(store.resourceVersion).toBe('3');
    expect(heard()).toEqual(['update web/a@3→?', 'add web/b@?', 'delete web/b']);
    await apply({ ...all('9', []), keys: ['web/z'], objects: [{}] } as Delta<KubeObject>);
    expect([store.resourceVersion, store.keys()]).toEqual(['9', ['web/z']]);
  });
});

test('INF-20: added and updated objects are shown to the mutation detector before they are announced, deleted ones are not', async () => {
  const seen: string[] = [];
  const env = fakeEnv();
  const { apply } = await rig([], {
    env,
    onEvent: (event) => void seen.push(`${event.type} ${event.key}`),
    audience: { stored: (object) => void seen.push(`stored ${object.metadata?.name}`) },
  });
  await apply(set('added', 'web/a@1'), set('updated', 'web/a@2'), gone('web/a@3'));
  expect(seen.splice(0)).toEqual(['stored a', 'add web/a', 'stored a', 'update web/a', 'delete web/a']);
  await apply(all('5', ['web/b@4', 'web/c@5']));
  expect(seen.splice(0)).toEqual(['stored b', 'stored c', 'add web/b', 'add web/c']);
  await apply(all('9', ['web/b@4', 'web/c@6']));
  expect(seen).toEqual(['stored c', 'update web/c']);
});
