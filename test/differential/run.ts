import type { FaultHandle } from '@kube-informer/apiserver';
import { canonical, differences, keyOf } from './canonical.ts';
import { isDynamic, type Script } from './script.ts';
import type { StartSubject, Subject } from './subject.ts';
import { isEcho, NotWithin, World } from './world.ts';

const WITHIN_MS = 20_000;
/** How long a correct cache must stay correct. */
const STAYS_MS = 150;

export interface Failure {
  readonly check: string;
  readonly text: string;
}

/** The outcome of one script for one client. */
export interface Outcome {
  readonly failures: readonly Failure[];
  /** Lists and watches, without probes. */
  readonly requests: number;
  readonly lists: number;
  readonly watches: number;
  /** Lists of one object, and streaming lists of none, that only ask for the server's version. */
  readonly probes: number;
  /** Requests for the whole state: lists, and watches that begin with it. Pages are one. */
  readonly wholes: number;
  /** Watches reopened because they were silent for too long; not counted as requests. */
  readonly reopened: number;
  readonly notices: number;
  /** States delivered again without a change. */
  readonly echoes: number;
  readonly ms: number;
  /** Whether a fault was one that no correct server has. */
  readonly isUnreal: boolean;
  /** Details for debugging. */
  readonly lines: readonly string[];
  readonly errors: readonly string[];
  readonly asked: readonly string[];
}

/** Plays a script to one client. `minMs` is the minimum time it gets, even if the script has less. */
export async function tell(script: Script, start: StartSubject, minMs = 0): Promise<Outcome> {
  const { withinMs = WITHIN_MS } = script;
  const world = await World.open(script, Math.max(withinMs, minMs));
  try {
    return await tellIn(world, script, start);
  } finally {
    await world.close();
  }
}

async function tellIn(world: World, script: Script, start: StartSubject): Promise<Outcome> {
  const began = Date.now();
  if (script.before === undefined) for (const name of ['a', 'b', 'c']) world.create(name);
  else await script.before(world);
  for (const rule of script.first ?? []) world.first.push(world.server.faults.add(rule));
  const { ca = '', token, url } = world.server;
  const where = script.direct === true ? url : world.front.url;
  const tokenFile = await world.tokenFile();
  const subject = await start(script, { url: where, ca, token, ...(tokenFile === undefined ? {} : { tokenFile }) });
  world.subject = subject;
  const failures: Failure[] = [];
  try {
    await play(world, script);
  } catch (error) {
    const check = error instanceof NotWithin ? error.check : 'played';
    failures.push({ check, text: error instanceof Error ? error.message : String(error) });
  }
  const ms = Date.now() - began;
  failures.push(...(await judge(script, world, subject)));
  const found = figures(world, subject);
  await subject.stop();
  return { ...found, failures: unique(failures), ms };
}

async function play(world: World, script: Script): Promise<void> {
  await script.play?.(world);
  for (const [at, { times = 1 }] of (script.first ?? []).entries())
    if (Number.isFinite(times)) await world.spent(world.first[at] as FaultHandle);
  await world.synced();
  await world.settled();
  await world.pause(STAYS_MS);
}

async function judge(script: Script, world: World, subject: Subject): Promise<Failure[]> {
  const { story } = subject;
  const failures: Failure[] = [];
  const fail = (check: string, texts: readonly string[]): void => {
    if (texts.length > 0) failures.push({ check, text: texts.slice(0, 3).join('; ') });
  };
  const all = await subject.dump().catch((error: unknown) => {
    if (subject.isAlive) throw error;
    return [];
  });
  // A client that has ended has no cache, and nothing else is checked.
  if (!subject.isAlive) return [{ check: 'alive', text: 'the client ended' }];
  fail('synced', subject.isSynced ? [] : ['never synced']);
  const typed = subject.isTyped ?? !isDynamic(script);
  const { uncompared } = script;
  const cache = uncompared === undefined ? all : all.filter((object) => keyOf(object) !== uncompared);
  if (uncompared !== undefined)
    fail('complete', cache.length < all.length ? [] : [`the cache does not have ${uncompared}`]);
  const received = new Map([...story.view].filter(([key]) => key !== uncompared));
  fail('equal', differences(canonical(cache, typed), canonical(world.state(), typed), ['the cache', 'the server']));
  const versions = canonical(cache, typed);
  const cached = new Map(
    (cache as { metadata?: { resourceVersion?: string } }[]).map((object, at) => [
      [...versions.keys()][at] as string,
      object.metadata?.resourceVersion ?? '',
    ]),
  );
  fail('fold', differences(received, cached, ['the story', 'the cache']));
  fail('legal', story.illegal);
  fail('deletes', story.illegalDeletes);
  const { epoch = false } = script;
  const isSaid = (subject.epochs ?? 0) > 0;
  if (!epoch || isSaid) fail('monotonic', story.backwards);
  if (epoch) fail('announced', isSaid ? [] : ['nothing said that the storage went back']);
  for (const { check, text, holds } of world.claims) fail(check, holds ? [] : [text]);
  return failures;
}

function figures(world: World, { story, errors, reopened = 0 }: Subject): Omit<Outcome, 'failures' | 'ms'> {
  const counted = { lists: 0, watches: 0, probes: 0, wholes: 0 };
  for (const { verb, query: asked } of world.requests) {
    const isNext = asked.has('continue');
    if (verb === 'watch' ? isEcho(asked) : asked.get('limit') === '1' && !isNext) {
      counted.probes += 1;
      continue;
    }
    if (verb === 'watch') counted.watches += 1;
    else counted.lists += 1;
    if (verb === 'watch' ? asked.get('sendInitialEvents') === 'true' : !isNext) counted.wholes += 1;
  }
  return {
    ...counted,
    reopened,
    requests: counted.lists + counted.watches - reopened,
    notices: story.notices.length,
    isUnreal: world.server.faults.fired.some(({ fault }) => /^(ILLEGAL|garbage|list|body)\b/.test(fault)),
    echoes: story.echoes,
    lines: story.lines,
    errors: [...errors],
    asked: world.requests.map(({ verb, query }) => `${verb} ${query.toString()}`),
  };
}

/** Keeps the first failure of each check. */
const unique = (failures: readonly Failure[]): Failure[] =>
  [...new Map(failures.toReversed().map((failure) => [failure.check, failure])).values()].toReversed();
