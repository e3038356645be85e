import type { Script } from '../script.ts';
import type { World } from '../world.ts';
import { ALWAYS, changes, changesWhileAway, INITIAL, LIST, RESUME, WATCH } from './parts.ts';
import { LASTS, LISTS_AT_ONCE, TRIES_TO_GO_ON } from './reasons.ts';

type Answer = { readonly code: number; readonly retryAfterSeconds?: number; readonly form?: 'plain' | 'html' };

/** Answers of servers and gateways that cannot, or not now. */
const ANSWERS: readonly (readonly [name: string, faults: readonly string[], title: string, answer: Answer])[] = [
  ['429', ['F37'], '429', { code: 429 }],
  ['429-retry-after', ['F37'], '429 with Retry-After', { code: 429, retryAfterSeconds: 1 }],
  ['429-plain', ['F37'], '429 as a line of text', { code: 429, form: 'plain', retryAfterSeconds: 1 }],
  ['500', ['F41'], '500', { code: 500 }],
  ['502-html', ['F41'], '502 as a page of HTML', { code: 502, form: 'html' }],
  ['503', ['F41'], '503', { code: 503 }],
  ['503-retry-after', ['F41'], '503 with Retry-After', { code: 503, retryAfterSeconds: 1 }],
  ['504-html', ['F41'], '504 as a page of HTML', { code: 504, form: 'html' }],
];

/** After anything but 429 client-go lists again, so a second strike would never come. */
const timesOf = ({ code }: Answer): number => (code === 429 ? 2 : 1);

/** Plays, and looks whether the client came back when it was told to, and not before. */
const patience = (
  answer: Answer,
  nth: number,
  play: (world: World) => Promise<void>,
): Pick<Script, 'play' | 'guarantees'> => ({
  ...(answer.retryAfterSeconds === undefined ? {} : { guarantees: ['G22'] }),
  play: async (world) => {
    await play(world);
    const { retryAfterSeconds } = answer;
    if (retryAfterSeconds !== undefined) world.claimPatience(nth, timesOf(answer), retryAfterSeconds);
  },
});

export const overload: readonly Script[] = [
  ...ANSWERS.flatMap(([name, faults, title, status]): Script[] => [
    {
      name: `first-${name}`,
      faults,
      title: `the first stream is answered with ${title}${status.code === 429 ? ', twice' : ''}`,
      first: [{ match: INITIAL, do: { status }, times: timesOf(status) }],
      ...(status.code === 503 && status.retryAfterSeconds !== undefined
        ? { moreRequests: { most: 3, because: LISTS_AT_ONCE } }
        : {}),
      ...patience(status, 1, (world) => world.synced()),
    },
    {
      name: `resume-${name}`,
      faults,
      resumes: true,
      title: `a resumed watch is answered with ${title}${status.code === 429 ? ', twice' : ''}`,
      mode: 'dynamic',
      ...patience(status, 2, async (world) => {
        await world.ready();
        const fault = world.server.faults.add({ match: RESUME, do: { status }, times: timesOf(status) });
        await changesWhileAway(world);
        await world.spent(fault);
        await world.settled();
      }),
    },
  ]),
  ...ANSWERS.slice(0, 5).map(([name, faults, title, status]): Script => ({
    name: `list-${name}`,
    faults,
    title: `a plain list is answered with ${title}`,
    watchList: false,
    first: [{ match: LIST, do: { status } }],
    ...patience({ ...status, code: 0 }, 1, (world) => world.synced()),
  })),
  {
    name: 'burst-of-everything',
    faults: ['F37', 'F41'],
    title: '429, 500 and 503 in a row on a resumed watch',
    withinMs: 40_000,
    play: async (world) => {
      await world.ready();
      const faults = world.server.faults.sequence([
        { match: RESUME, do: { status: { code: 429, retryAfterSeconds: 1 } } },
        { match: WATCH, do: { status: { code: 500 } } },
        { match: WATCH, do: { status: { code: 503, form: 'html' } } },
      ]);
      await changesWhileAway(world);
      await world.spent(faults);
    },
  },
  {
    name: 'caches-not-ready',
    faults: ['F37'],
    title: 'the server has just started and its caches are not ready: 429 for two seconds',
    first: [
      {
        match: { verb: ['list', 'watch'] },
        do: { status: { code: 429, message: 'storage is (re)initializing', retryAfterSeconds: 1 } },
        times: ALWAYS,
        forMs: 2_000,
      },
    ],
    moreRequests: { most: 5, because: LASTS },
  },
  {
    name: 'watches-refused-for-ever',
    faults: ['F41'],
    title: 'every watch is answered with 503 from now on, and lists work: changes come all the same, and not only once',
    withinMs: 120_000,
    moreRequests: { most: 30, because: TRIES_TO_GO_ON },
    play: async (world) => {
      await world.ready();
      world.server.faults.add({ match: WATCH, do: { status: 503 }, times: ALWAYS });
      world.server.faults.cutWatches();
      changes(world);
      await world.settled();
      world.update('c');
    },
  },
];
