import { BOUND_MS, PODS, type Script } from '../script.ts';
import type { World } from '../world.ts';
import { ALWAYS, changes, changesWhileAway, RESUME, WATCH } from './parts.ts';

const KEPT_OUT = 'G9: one object that the transform refuses makes every list fail as a whole';

/** The object as the server has it now. */
const held = (world: World, name: string): object =>
  world.state().find((object) => (object as { metadata: { name: string } }).metadata.name === name) as object;

const event = (type: string, object: object): { readonly [key: string]: never } =>
  JSON.parse(JSON.stringify({ type, object })) as never;

/** Whether the handler got the newest state of an object. */
const knows = (world: World, name: string): boolean => {
  const { metadata } = held(world, name) as { metadata: { resourceVersion: string } };
  return world.subject.story.view.get(`default/${name}`) === metadata.resourceVersion;
};

/** Events that come twice, late, or never, and names that change hands. */
export const events: readonly Script[] = [
  {
    name: 'duplicate-event',
    faults: ['F58'],
    title: 'every event comes twice',
    clientGo: { breaks: { deletes: 'G5: a second DELETED is announced a second time' } },
    first: [{ match: WATCH, do: { duplicate: 1 }, times: ALWAYS }],
    play: async (world) => {
      await world.ready();
      changes(world);
      world.update('c');
    },
  },
  {
    name: 'duplicate-event-as-added',
    faults: ['F57', 'F58'],
    title: 'an update comes a second time, as an add',
    play: async (world) => {
      await world.ready();
      world.server.faults.add({ match: WATCH, do: { duplicate: 1, as: 'ADDED' } });
      world.update('a');
      world.update('c');
      await world.settled();
    },
  },
  {
    name: 'replay-after-reconnect',
    faults: ['F27', 'F58'],
    resumes: true,
    title: 'a resumed watch begins three revisions too early',
    clientGo: { breaks: { monotonic: 'G1: older states of a replayed watch are applied' } },
    play: async (world) => {
      await world.ready();
      world.update('a');
      world.update('a');
      world.update('c');
      world.server.faults.add({ match: RESUME, do: { replay: 3 } });
      await changesWhileAway(world);
    },
  },
  {
    name: 'older-event',
    faults: ['F27'],
    title: 'a watch delivers an older state of an object',
    clientGo: {
      breaks: { monotonic: 'G1: the older state is applied', equal: 'G1: and stays in the cache' },
    },
    play: async (world) => {
      await world.ready();
      const old = held(world, 'a');
      world.update('a');
      await world.settled();
      world.server.faults.add({ match: WATCH, do: { inject: event('MODIFIED', old) }, illegal: true });
      await world.pause(500);
    },
  },
  {
    name: 'older-delete',
    faults: ['F27'],
    title: 'a watch delivers the delete of a former object of the same name, late',
    clientGo: { breaks: { equal: 'G1: the live object is deleted' } },
    play: async (world) => {
      await world.ready();
      const old = held(world, 'b');
      world.remove('b');
      world.create('b');
      await world.settled();
      world.server.faults.add({ match: WATCH, do: { inject: event('DELETED', old) }, illegal: true });
      await world.pause(500);
    },
  },
  {
    name: 'events-out-of-order',
    faults: [],
    title: 'two events of one object come in the wrong order',
    clientGo: { breaks: { monotonic: 'G1: the older state is applied', equal: 'G1: and stays in the cache' } },
    play: async (world) => {
      await world.ready();
      const fault = world.server.faults.add({ match: WATCH, at: { event: 1 }, do: { reorder: true }, illegal: true });
      world.update('a');
      world.update('a');
      await world.spent(fault);
    },
  },
  {
    name: 'modified-of-the-unknown',
    faults: ['F57'],
    title: 'an update of an unknown object',
    play: async (world) => {
      await world.ready();
      world.server.faults.add({ match: WATCH, at: { event: 1 }, do: { drop: 'events' }, illegal: true });
      world.create('d');
      await world.pause(50);
      world.update('d');
    },
  },
  {
    name: 'deleted-of-the-unknown',
    faults: ['F57'],
    title: 'the delete of an unknown object',
    clientGo: { breaks: { deletes: 'G5: a delete is announced for an object that was never added' } },
    play: async (world) => {
      await world.ready();
      world.server.faults.add({ match: WATCH, at: { event: 1 }, do: { drop: 'events' }, illegal: true });
      world.create('d');
      await world.pause(50);
      world.remove('d');
      world.update('a');
      await world.settled();
    },
  },
  {
    name: 'no-bookmarks',
    faults: [],
    resumes: true,
    title: 'the server sends no bookmarks; the watch resumes at the last event',
    server: { bookmarks: { everyMs: 200, tickMs: 50 } },
    first: [{ match: WATCH, do: { drop: 'bookmarks' }, times: ALWAYS }],
    play: async (world) => {
      await world.ready();
      world.elsewhere(5);
      await changesWhileAway(world);
    },
  },
  {
    name: 'bookmarks-keep-the-place',
    faults: ['F35'],
    resumes: true,
    title: 'after a bookmark a watch resumes without a list although its last event is compacted away',
    server: { bookmarks: { everyMs: 200, tickMs: 50 } },
    play: async (world) => {
      await world.ready();
      world.update('c');
      await world.settled();
      world.elsewhere(5);
      await world.pause(500);
      world.server.history.compact();
      await changesWhileAway(world);
    },
  },
  {
    name: 'bookmarks-behind',
    faults: [],
    title: 'bookmarks are older than what was delivered',
    clientGo: {
      breaks: { monotonic: 'G1: the version to resume at goes back with the bookmark, and older states are applied' },
    },
    server: { bookmarks: { everyMs: 200, tickMs: 50 } },
    first: [{ match: WATCH, do: { bookmarksBehind: 4 }, times: ALWAYS, illegal: true }],
    play: async (world) => {
      await world.ready();
      world.update('a');
      world.update('a');
      world.update('c');
      await world.settled();
      await world.pause(500);
      const end = world.server.faults.add({ match: WATCH, do: { end: true } });
      await world.spent(end);
      changes(world);
    },
  },
  ...(
    [
      ['event-lost', 'F32', 'an update is never sent', (world: World) => world.update('a')],
      ['delete-lost', 'F33', 'a delete is never sent', (world: World) => world.remove('a')],
    ] as const
  ).map(([name, fault, what, change]): Script => ({
    name,
    faults: [fault],
    title: `${what}: no client can notice; the next list finds it, and it is announced once`,
    play: async (world) => {
      await world.ready();
      const lost = world.server.faults.add({ match: WATCH, at: { event: 1 }, do: { drop: 'events' }, illegal: true });
      change(world);
      await world.spent(lost);
      world.update('c');
      await world.until('the next event is told of', () => knows(world, 'c'));
      world.claim('lost', 'the event was not lost', !world.isSettled);
      world.server.faults.add({ match: WATCH, do: { error: 'expired' } });
    },
  })),
  {
    name: 'bookmark-ahead',
    faults: ['F31'],
    title:
      'a bookmark is ahead of what was sent, and the watch resumes there: no client can notice; the next list finds it',
    server: { bookmarks: { everyMs: 200, tickMs: 50 } },
    play: async (world) => {
      await world.ready();
      const { faults } = world.server;
      const lost = faults.add({ match: WATCH, at: { event: 1 }, do: { drop: 'events' }, illegal: true });
      world.update('a');
      await world.spent(lost);
      const marked = faults.add({ match: WATCH, at: 'bookmark', do: { delay: { ms: 0 } } });
      world.elsewhere(3);
      await world.spent(marked);
      await world.pause(100);
      const before = world.requests.length;
      faults.add({ match: WATCH, do: { cut: 'rst' } });
      await world.until('the client is back', () => world.requests.length > before);
      await world.watching();
      faults.add({ match: WATCH, do: { error: 'expired' } });
    },
  },
  {
    name: 'selector',
    faults: ['F60'],
    resumes: true,
    title: 'objects begin to match a selector, and stop',
    labelSelector: 'team=red',
    before: (world) => {
      world.create('a', { metadata: { labels: { team: 'red' } } });
      world.create('b', { metadata: { labels: { team: 'blue' } } });
      world.create('c', { metadata: { labels: { team: 'red' } } });
    },
    play: async (world) => {
      await world.ready();
      world.update('a', { metadata: { labels: { team: 'blue' } } });
      world.update('b', { metadata: { labels: { team: 'red' } } });
      await world.settled();
      await changesWhileAway(world, () => {
        world.update('a', { metadata: { labels: { team: 'red' } } });
        world.update('b', { metadata: { labels: { team: 'blue' } } });
      });
    },
  },
  {
    name: 'same-name-another-object',
    faults: ['F61'],
    title: 'an object is deleted and created again under the same name, while the watch is open',
    play: async (world) => {
      await world.ready();
      world.remove('b');
      world.create('b');
      world.remove('b');
      world.create('b');
    },
  },
  {
    name: 'same-name-another-object-while-away',
    faults: ['F61'],
    resumes: true,
    title: 'the same while the watch is away',
    mode: 'dynamic',
    play: async (world) => {
      await world.ready();
      await changesWhileAway(world, () => {
        world.remove('b');
        world.create('b');
      });
    },
  },
  {
    name: 'same-name-another-object-across-a-list',
    faults: ['F61', 'F19'],
    title: 'the same, and the list shows only the outcome',
    play: async (world) => {
      await world.ready();
      await changesWhileAway(world, () => {
        world.remove('b');
        world.create('b');
        world.server.history.compact();
      });
    },
  },
  {
    name: 'came-and-went-while-away',
    faults: ['F19'],
    title: 'an object that was created and deleted while no watch was open is never announced',
    play: async (world) => {
      await world.ready();
      await changesWhileAway(world, () => {
        world.create('ghost');
        world.remove('ghost');
        world.update('a');
        world.server.history.compact();
      });
      await world.settled();
      world.claim(
        'ghost',
        'the handler was told of a ghost',
        !world.subject.story.notices.some(({ key }) => key === 'default/ghost'),
      );
    },
  },
  {
    name: 'watch-ends-normally',
    faults: ['F35'],
    resumes: true,
    title: 'watches end normally, again and again',
    play: async (world) => {
      await world.ready();
      for (let i = 0; i < 4; i += 1) await changesWhileAway(world, () => world.update('a'));
    },
  },
  {
    name: 'watch-ends-at-once',
    faults: ['F36'],
    title: 'watches end as soon as they are open, three times',
    watchList: false,
    first: [{ match: WATCH, at: { event: 0 }, do: { end: true }, times: 3 }],
    withinMs: 30_000,
    play: async (world) => {
      await world.spent(world.first[0] as never);
      changes(world);
    },
  },
  {
    name: 'pods',
    faults: ['F4'],
    resumes: true,
    title: 'pods, with all fields that a typed client knows',
    subjects: PODS,
    play: async (world) => {
      await world.ready();
      const fault = world.server.faults.add({ match: WATCH, at: { event: 2, offset: 100 }, do: { cut: 'rst' } });
      changes(world);
      await world.spent(fault);
    },
  },
  {
    name: 'resync',
    faults: [],
    title: 'resync: handlers get every object again each second; the cache stays the same',
    resyncMs: 1_000,
    play: async (world) => {
      await world.ready();
      changes(world);
      await world.pause(2_500);
      const again = world.subject.story.notices.filter(({ rv, oldRv }) => rv === oldRv).length;
      world.claim('resync', `told again: ${again} of 3 objects`, again >= 3);
    },
  },
  {
    name: 'handler-fails',
    faults: ['F79'],
    guarantees: ['G13'],
    title: 'a handler fails on one object; nothing else does',
    failOn: 'default/b',
    clientGo: {
      breaks: {
        alive: 'G13: a panic in a handler ends the process',
      },
    },
    play: async (world) => {
      await world.ready();
      changes(world);
    },
  },
  ...([true, false] as const).map((watchList): Script => ({
    name: `transform-fails${watchList ? '' : '-plain-list'}`,
    faults: ['F62'],
    title: 'a transform fails on one object, in the first state and later; all others are unaffected',
    watchList,
    undigestible: 'default/b',
    notForClientNode: 'it has no transforms',
    ...(watchList ? {} : { clientGo: { breaks: { synced: KEPT_OUT, equal: KEPT_OUT }, withinMs: BOUND_MS } }),
    play: async (world) => {
      await world.ready();
      world.update('b');
      world.create('d');
      world.update('a');
      world.remove('c');
    },
  })),
];
