import { seededRandom } from 'kube-informer/testing';
import { OurQueue, type QueueName, type Step, type StepResult } from './our-queue.ts';

/** A script and what our queue did. */
export interface Played {
  readonly queue: QueueName;
  readonly steps: readonly Step[];
  readonly results: readonly StepResult[];
}

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const STEPS = 80;
/** Number of steps after the queue is shut down. */
const LAST_STEPS = 10;

type Draw = (count: number) => number;

/** Runs the given steps on a queue. */
export async function play(queue: QueueName, steps: readonly Step[]): Promise<Played> {
  const ours = new OurQueue(queue);
  const results: StepResult[] = [];
  for (const step of steps) results.push(await ours.take(step));
  return { queue, steps, results };
}

/**
 * Makes a script up while our queue plays it.
 *
 * `isGreedy`: more getters than keys, so that the order of ready keys does not show; then keys are added while they run.
 */
export async function playRandom(queue: QueueName, seed: number, isGreedy: boolean): Promise<Played> {
  const random = seededRandom(seed);
  const draw: Draw = (count) => Math.floor(random() * count);
  const ours = new OurQueue(queue);
  const steps: Step[] = [];
  const results: StepResult[] = [];
  const take = async (step: Step): Promise<void> => {
    steps.push(step);
    results.push(await ours.take(step));
    while (isGreedy && !ours.isClosed && ours.getting <= KEYS.length) {
      steps.push({ do: 'get' });
      results.push(await ours.take({ do: 'get' }));
    }
  };
  for (let at = 0; at < STEPS + LAST_STEPS; at += 1) {
    if (at === STEPS) await take({ do: 'shutdown' });
    for (const step of next(queue, ours, draw, isGreedy)) await take(step);
  }
  return { queue, steps, results };
}

function next(queue: QueueName, ours: OurQueue, draw: Draw, isGreedy: boolean): readonly Step[] {
  const key = KEYS[draw(KEYS.length)] as string;
  const running = [...ours.running];
  const one = running[draw(running.length)];
  switch (draw(8)) {
    case 0:
      return [{ do: 'advance', ms: 1 + draw(30) }];
    case 1:
      return ours.getting < 3 || ours.isClosed ? [{ do: 'get' }] : [];
    case 2:
      return draw(3) === 0 ? [{ do: 'forget', key }] : [];
    case 3:
    case 4:
      return one === undefined ? [] : [{ do: 'done', key: one }];
    default:
      return queue === 'workqueue' ? addLikeClientGo(ours, key, draw, isGreedy) : add(ours, key, draw);
  }
}

const PRIORITIES = [-100, -1, 0, 0, 0, 5];

/** Any add, but see the exception in the test: a delayed one of a key at work ends its work. */
function add(ours: OurQueue, key: string, draw: Draw): readonly Step[] {
  const priority = PRIORITIES[draw(PRIORITIES.length)] as number;
  const kind = draw(3);
  if (kind === 0) return [{ do: 'add', key, priority }];
  const step: Step =
    kind === 1 ? { do: 'addAfter', key, ms: 1 + draw(40), priority } : { do: 'addRateLimited', key, priority };
  return ours.running.has(key) ? [step, { do: 'done', key }] : [step];
}

/** An add for which client-go's queue has no exception; see the test for those. */
function addLikeClientGo(ours: OurQueue, key: string, draw: Draw, isGreedy: boolean): readonly Step[] {
  const now = ours.clock.now();
  const entry = ours.look(key);
  const isDelayed = entry !== undefined && entry.readyAt > now;
  // CTR-13: a key is ready or waits; in client-go it can be both.
  const mayBeNow = !isDelayed;
  const mayBeLater = entry === undefined || isDelayed || entry.state === 'running';
  const kind = draw(3);
  const step =
    kind === 0 ? immediate(mayBeNow, key) : later(ours, mayBeLater, key, kind === 1 ? 1 + draw(40) : undefined);
  if (step === undefined) return [];
  // CTR-10: what is added while it runs is placed by the time of the add, in client-go by that of `done`.
  return entry?.state === 'running' && !isGreedy ? [step, { do: 'done', key }] : [step];
}

const immediate = (isAllowed: boolean, key: string): Step | undefined => (isAllowed ? { do: 'add', key } : undefined);

/** Without two keys that are due at one moment: client-go gives those out in any order. */
function later(ours: OurQueue, isAllowed: boolean, key: string, ms: number | undefined): Step | undefined {
  const due = ours.clock.now() + (ms ?? ours.retryDelayMs(key));
  if (!isAllowed || KEYS.some((other) => ours.look(other)?.readyAt === due)) return undefined;
  return ms === undefined ? { do: 'addRateLimited', key } : { do: 'addAfter', key, ms };
}
