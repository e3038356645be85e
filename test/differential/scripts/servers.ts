import { BOUND_MS, type Script, WIDGETS } from '../script.ts';
import type { World } from '../world.ts';
import { changes, changesWhileAway, LIST, RESUME, WATCH } from './parts.ts';
import { ASKS_WHILE_GONE, TRIES_TO_GO_ON } from './reasons.ts';

const NOT_ANNOUNCED = 'G3: the restored storage is not announced';
const BLIND =
  'G3: a watch at a version the server has not reached is accepted and silent, and client-go does not check';

/** Things change for three seconds, then the server is well again. */
async function busyFor(world: World): Promise<void> {
  await world.synced();
  for (let i = 0; i < 40; i += 1) {
    world.create(`n-${i}`);
    world.update('a');
    if (i % 3 === 0) world.remove(`n-${i}`);
    await world.pause(75);
  }
  for (const rule of world.server.faults.rules) rule.remove();
}

/** Servers that restart, go back in time, are behind, or do not know us any more. */
export const servers: readonly Script[] = [
  {
    name: 'restart',
    faults: [],
    resumes: true,
    title: 'the server restarts and keeps its data, not its history',
    play: async (world) => {
      await world.ready();
      await world.server.restart();
      changes(world);
    },
  },
  {
    name: 'restart-with-a-break',
    faults: ['F7'],
    title: 'the server is away for two seconds; things have changed when it is back',
    mode: 'dynamic',
    direct: true,
    moreRequests: { most: 3, because: TRIES_TO_GO_ON },
    play: async (world) => {
      await world.ready();
      const restarted = world.server.restart({ downMs: 2_000 });
      await world.until('no watch is open', () => world.server.watchers().length === 0);
      changes(world);
      await restarted;
    },
  },
  {
    name: 'refused-connections',
    faults: ['F7'],
    resumes: true,
    title: 'connections are refused for two seconds',
    direct: true,
    play: async (world) => {
      await world.ready();
      const refused = await world.server.faults.refuseConnections();
      world.server.faults.cutWatches();
      changes(world);
      await world.pause(2_000);
      refused.remove();
    },
  },
  {
    name: 'refused-from-the-start',
    faults: ['F7'],
    title: 'connections are refused when the client starts',
    direct: true,
    before: async (world) => {
      for (const name of ['a', 'b', 'c']) world.create(name);
      const refused = await world.server.faults.refuseConnections();
      setTimeout(() => refused.remove(), 1_500);
    },
  },
  {
    name: 'rolling-restart',
    faults: ['F14'],
    resumes: true,
    title: 'the server is replaced twice, each time with GOAWAY',
    withinMs: 30_000,
    play: async (world) => {
      await world.ready();
      const scenario = world.server.faults.scenario('rolling-restart');
      changes(world);
      await scenario.done;
      world.update('a');
    },
  },
  {
    name: 'restore-bumped',
    faults: [],
    guarantees: ['G3'],
    epoch: true,
    title: 'the storage is restored from a backup with higher versions: objects go back to older states',
    clientGo: { breaks: { announced: NOT_ANNOUNCED } },
    play: async (world) => {
      await world.ready();
      const snapshot = world.server.snapshot();
      changes(world);
      await world.settled();
      world.server.restore(snapshot, { revisions: 'bump' });
    },
  },
  {
    name: 'restore-rolled-back',
    faults: ['F28'],
    guarantees: ['G3'],
    epoch: true,
    title: 'the storage is restored from a backup and versions continue from the backup: the watch delivers nothing',
    withinMs: 60_000,
    clientGo: { breaks: { equal: BLIND, announced: NOT_ANNOUNCED }, withinMs: BOUND_MS },
    play: async (world) => {
      await world.ready();
      const snapshot = world.server.snapshot();
      for (let i = 0; i < 20; i += 1) world.update('a');
      changes(world);
      await world.settled();
      world.server.restore(snapshot, { revisions: 'rollback' });
      world.update('c');
    },
  },
  {
    name: 'stale-replica',
    faults: [],
    resumes: true,
    title: 'the connection leads to a replica that is far behind: nothing goes back in time',
    mode: 'dynamic',
    play: async (world) => {
      const replica = await world.server.addReplica({ lagMs: 4_000 });
      await world.ready();
      changes(world);
      await world.settled();
      world.front.leadTo(replica.url);
      world.update('a');
    },
  },
  {
    name: 'stale-replica-says-410',
    faults: ['F25', 'F26'],
    guarantees: ['G2'],
    title: 'a replica that is behind is asked for a list not older than what was seen',
    watchList: false,
    withinMs: 30_000,
    play: async (world) => {
      const replica = await world.server.addReplica({ lagMs: 3_000 });
      await world.ready();
      changes(world);
      await world.settled();
      world.server.faults.add({ match: RESUME, do: { status: 410 } });
      world.front.leadTo(replica.url);
      world.update('a');
    },
  },
  {
    name: 'older-list',
    faults: ['F26'],
    guarantees: ['G2'],
    title: 'after 410 a list is answered with an older state than was seen',
    watchList: false,
    clientGo: { breaks: { monotonic: 'G2: the older list is applied' } },
    play: async (world) => {
      await world.ready();
      const old = JSON.parse(JSON.stringify(world.state())) as object[];
      const version = String(world.server.store.revision);
      changes(world);
      world.update('c');
      await world.settled();
      let asked = Infinity;
      const list = world.server.faults.add({
        match: LIST,
        do: {
          body: (value) => {
            asked = world.requests.length;
            return { ...value, metadata: { resourceVersion: version }, items: old } as never;
          },
        },
      });
      world.server.faults.add({ match: WATCH, do: { error: 'expired' } });
      await world.spent(list);
      await world.until('the client has taken the list, or not', () => world.requests.length > asked);
      world.update('a');
    },
  },
  {
    name: 'another-cluster',
    faults: ['F29'],
    guarantees: ['G3'],
    epoch: true,
    title: 'an empty cluster responds at the same address',
    withinMs: 60_000,
    moreRequests: { most: 6, because: TRIES_TO_GO_ON },
    clientGo: { breaks: { announced: NOT_ANNOUNCED } },
    before: (world) => {
      for (let i = 0; i < 30; i += 1) world.create(`o-${i}`);
      for (const name of ['a', 'b', 'c']) world.create(name);
    },
    play: async (world) => {
      await world.ready();
      await world.server.restart({ keep: 'nothing' });
      world.create('new');
    },
  },
  {
    name: 'forbidden-then-allowed',
    faults: ['F38'],
    title: '403 from the start, until access is granted',
    first: [{ match: { verb: ['list', 'watch'] }, do: { status: 403 }, times: 3 }],
  },
  {
    name: 'forbidden-in-between',
    faults: ['F38'],
    title: 'a resumed watch is forbidden, and so is the list that follows',
    play: async (world) => {
      await world.ready();
      const fault = world.server.faults.add({ match: { verb: ['list', 'watch'] }, do: { status: 403 }, times: 2 });
      world.update('c');
      await world.settled();
      world.server.faults.add({ match: WATCH, do: { end: true } });
      await world.spent(fault);
      changes(world);
    },
  },
  {
    name: 'unauthorized-once',
    faults: ['F40'],
    guarantees: ['G23'],
    title: 'one 401',
    mode: 'dynamic',
    play: async (world) => {
      await world.ready();
      const fault = world.server.faults.add({ match: { verb: ['list', 'watch'] }, do: { status: 401 } });
      await changesWhileAway(world);
      await world.spent(fault);
    },
  },
  {
    name: 'token-rotated',
    faults: ['F40'],
    guarantees: ['G23'],
    resumes: true,
    title: 'the token expires, and the file has a new one',
    tokenFile: true,
    // client-go reads the file once a minute.
    withinMs: 100_000,
    play: async (world) => {
      await world.ready();
      await world.rotateToken();
      await changesWhileAway(world);
    },
  },
  {
    name: 'kind-not-there-yet',
    faults: ['F39'],
    title: 'a custom resource is defined after the client has started',
    subjects: WIDGETS,
    before: () => {},
    play: async (world) => {
      await world.pause(500);
      world.define();
      world.create('a');
      world.create('b');
    },
  },
  {
    name: 'kind-deleted-and-back',
    faults: ['F39'],
    title: 'a custom resource is deleted with all its objects and defined again',
    subjects: WIDGETS,
    moreRequests: { most: 7, because: ASKS_WHILE_GONE },
    before: (world) => {
      world.define();
      for (const name of ['a', 'b', 'c']) world.create(name);
    },
    play: async (world) => {
      await world.ready();
      world.undefine();
      await world.pause(1_000);
      world.define();
      world.create('b');
      world.create('d');
    },
  },
  {
    name: 'certificate-renewed',
    faults: [],
    guarantees: ['G23'],
    resumes: true,
    title: 'the server has another certificate of the same authority after a cut',
    play: async (world) => {
      await world.ready();
      world.server.faults.rotateCertificates();
      world.front.cut();
      changes(world);
    },
  },
  {
    name: 'certificate-expired',
    faults: ['F10'],
    guarantees: ['G23'],
    resumes: true,
    title: 'after a cut the server has an expired certificate; a second later it has a valid one',
    play: async (world) => {
      await world.ready();
      world.server.faults.rotateCertificates({ expired: true });
      world.front.cut();
      changes(world);
      await world.pause(1_000);
      world.server.faults.rotateCertificates();
    },
  },
  {
    name: 'up-and-down',
    faults: ['F20'],
    guarantees: ['G22'],
    resumes: true,
    title: 'connections are cut and refused for two seconds, then accepted for two, four times',
    withinMs: 60_000,
    moreRequests: { most: 10, because: TRIES_TO_GO_ON },
    play: async (world) => {
      await world.ready();
      for (let i = 0; i < 4; i += 1) {
        const before = world.front.attempts;
        world.front.turn('refused');
        world.front.cut();
        world.update('a');
        world.create(`round-${i}`);
        await world.pause(2_000);
        const tries = world.front.attempts - before;
        world.claim('modest', `${tries} connections were tried in two seconds`, tries <= 4);
        world.front.turn('open');
        await world.pause(2_000);
      }
    },
  },
  {
    name: 'slow-reader',
    faults: ['F34'],
    title: 'the server closes the watch of a client that does not read, and the client resumes',
    server: { maxQueuedBytes: 1_000_000 },
    withinMs: 40_000,
    play: async (world) => {
      await world.ready();
      world.front.hold('from-the-server');
      const text = 'x'.repeat(500_000);
      for (let i = 0; i < 60; i += 1) {
        world.update('a', { data: { text } });
        await world.pause(5);
      }
      await world.until('the server has given the watch up', () => world.server.watchers().length === 0);
      changes(world);
      world.front.release();
    },
  },
  ...[12, 13, 16, 17, 19, 21, 22, 24].map((seed): Script => ({
    name: `flaky-network-${seed}`,
    faults: [],
    title: `connections break in every way and at every place for three seconds (seed ${seed})`,
    mode: seed % 2 === 0 ? 'dynamic' : 'typed',
    withinMs: 40_000,
    moreRequests: { most: 10, because: 'how often a connection breaks depends on how often one is opened' },
    before: (world) => {
      for (const name of ['a', 'b', 'c']) world.create(name);
      world.server.faults.scenario('flaky-network', { seed });
    },
    play: busyFor,
  })),
  ...[2, 5, 12].map((seed): Script => ({
    name: `overload-${seed}`,
    faults: ['F37', 'F41'],
    title: `a server with too much to do for three seconds (seed ${seed})`,
    mode: seed % 2 === 0 ? 'dynamic' : 'typed',
    withinMs: 40_000,
    moreRequests: { most: 10, because: 'how often a request fails depends on how often one is sent' },
    before: (world) => {
      for (const name of ['a', 'b', 'c']) world.create(name);
      world.server.faults.scenario('overload', { seed });
    },
    play: busyFor,
  })),
];
