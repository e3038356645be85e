import { isEcho, type World } from '../world.ts';

const where = ({ query }: { query: URLSearchParams }): boolean => !isEcho(query);

/** Requests by purpose, without those that only read the server's version. */
export const LIST = { verb: 'list' } as const;
export const WATCH = { verb: 'watch', where } as const;
/** The stream that begins with everything there is. */
export const INITIAL = { verb: 'watch', query: { sendInitialEvents: 'true' }, where } as const;
/** A watch that resumes from a version. */
export const RESUME = {
  verb: 'watch',
  where: ({ query }: { query: URLSearchParams }) => !query.has('sendInitialEvents'),
} as const;
export const ALWAYS: number = Infinity;

/** Pages of two objects. client-go would take its first list from the server's cache, which knows no pages. */
export const PAGES_OF_TWO = {
  match: { verb: 'list', query: { limit: '500' } },
  do: { query: { limit: '2', resourceVersion: null, resourceVersionMatch: null } },
  times: ALWAYS,
} as const;
export const NEXT_PAGE = { verb: 'list', query: { continue: '*' } } as const;

/** One change of each kind. */
export function changes(world: World): void {
  world.create('d');
  world.update('a');
  world.remove('b');
}

/**
 * The watch ends in good order, and things change before the client is let in again.
 *
 * In good order, because client-go lists anew after most other endings; after at least one event, because a watch
 * without any counts as broken.
 */
export async function changesWhileAway(world: World, change: (world: World) => void = changes): Promise<void> {
  world.update('c');
  await world.settled();
  world.server.faults.add({ match: RESUME, at: 'start', do: { delay: { ms: 200 } } });
  const end = world.server.faults.add({ match: WATCH, do: { end: true } });
  await world.spent(end);
  change(world);
}

export const seed =
  (count: number, more: object = {}) =>
  (world: World): void => {
    for (let i = 0; i < count; i += 1) world.create(`o-${String(i).padStart(4, '0')}`, more);
  };
