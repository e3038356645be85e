import type { ApiObject, ApiServer } from '@kube-informer/apiserver';
import { addFinalizer, type ObjectClient, removeFinalizers } from './objects.ts';
import { seededRandom } from 'kube-informer/testing';
import { expect } from 'vitest';
import { type Backup, backup, rig } from './rig.ts';

const OURS = 'example.com/backups';

/** The client of a run whose every request finds a world that has just moved. */
function meddled(client: ObjectClient<Backup>, meddle: () => void): ObjectClient<Backup> {
  return {
    get: (...args) => (meddle(), client.get(...args)),
    patch: (...args) => (meddle(), client.patch(...args)),
    apply: (...args) => client.apply(...args),
    delete: (...args) => client.delete(...args),
  };
}

const read = ({ local }: ApiServer, name: string): Backup | undefined =>
  local.get('example.com', 'backups', 'default', name) as Backup | undefined;

/** Adds and removes our finalizer while others change the list, delete the object and use its name again. */
export async function raceFinalizers(seeds: number): Promise<void> {
  const { server, backups } = await rig();
  const { local } = server;
  const outcomes = new Map<string, number>();
  for (let seed = 1; seed <= seeds; seed += 1) {
    const random = seededRandom(seed);
    const name = `b${seed}`;
    const isAdd = seed % 2 === 0;
    const uids = new Map<string, Set<string>>(); // uid → finalizers of others
    const note = (object: Backup): Backup => {
      const { uid = '', finalizers = [] } = object.metadata ?? {};
      uids.set(uid, new Set(finalizers.filter((each) => each !== OURS)));
      return object;
    };
    const create = (finalizers: string[]): Backup =>
      note(local.create('example.com', 'backups', backup(name, { finalizers }) as unknown as ApiObject) as Backup);
    const first = create(['x.io/0', ...(isAdd ? [] : [OURS]), 'x.io/1'].filter(() => random() < 0.7 || !isAdd));
    let moves = 0;
    const meddle = (): void => {
      if (random() < 0.4 || moves > 4) return;
      moves += 1;
      const now = read(server, name);
      const { finalizers = [], deletionTimestamp } = now?.metadata ?? {};
      const dice = random();
      if (now === undefined) create([OURS, 'x.io/new']);
      else if (dice < 0.3) local.remove('example.com', 'backups', 'default', name);
      else if (dice < 0.4) {
        // The deletion is forced, and a new object with the same name needs its own cleanup.
        const rest = { ...now, metadata: { ...now.metadata, finalizers: [] } };
        local.update('example.com', 'backups', rest as unknown as ApiObject);
        if (deletionTimestamp === undefined) local.remove('example.com', 'backups', 'default', name);
        create([OURS, 'x.io/new']);
      } else {
        const others = finalizers.filter((each) => each === OURS || random() < 0.7);
        const more = deletionTimestamp === undefined && random() < 0.6 ? [`x.io/${moves + 1}`] : [];
        const changed = random() < 0.5 ? [...more, ...others] : [...others, ...more];
        const { metadata = {} } = now;
        note({ metadata: { ...metadata, finalizers: changed } });
        local.update('example.com', 'backups', {
          ...now,
          metadata: { ...metadata, finalizers: changed },
        } as unknown as ApiObject);
      }
    };
    const client = meddled(backups, meddle);
    const result = isAdd ? await addFinalizer(client, first, OURS) : await removeFinalizers(client, first, [OURS]);
    outcomes.set(result.outcome, (outcomes.get(result.outcome) ?? 0) + 1);

    const last = read(server, name);
    const { uid, finalizers = [] } = last?.metadata ?? {};
    const context = `seed ${seed}: ${result.outcome} ${JSON.stringify(finalizers)}`;
    expect(new Set(finalizers).size, context).toBe(finalizers.length);
    if (last === undefined) expect(result.outcome === 'gone' || !isAdd, context).toBe(true);
    else if (uid !== first.metadata?.uid) {
      expect(result.outcome, context).toBe('gone');
      expect(finalizers, context).toContain(OURS); // the successor keeps its own
    } else {
      if (result.outcome === 'done') expect(finalizers.includes(OURS), context).toBe(isAdd);
      if (result.outcome === 'deleting') expect(finalizers.includes(OURS), context).toBe(false);
      expect(new Set(finalizers.filter((each) => each !== OURS)), context).toEqual(uids.get(uid ?? ''));
    }
  }
  expect([...outcomes.keys()].toSorted()).toEqual(expect.arrayContaining(['deleting', 'done', 'gone']));
  expect(outcomes.get('done')).toBeGreaterThan(seeds / 3);
}
