import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ApiObject, ObjectMeta } from '../../../src/core/kube-object.ts';
import { type ApiServer, startApiServer } from '../../../src/index.ts';
import {
  expected,
  type Frame,
  type Recording,
  type Revision,
  revisionOf,
  VALIDATORS,
} from '../../rig/watch-validators.ts';

const WRITES = 400;
const NAMESPACES = ['one', 'two'];
const pathIn = (namespace: string, resource = 'configmaps'): string => `/api/v1/namespaces/${namespace}/${resource}`;

/** mulberry32 */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Asked {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** The watched selections, each with its own implementation of what it selects. */
const WATCHED: readonly { readonly asked: Asked; readonly sees: Recording['sees'] }[] = [
  { asked: {}, sees: () => true },
  { asked: { namespace: 'one' }, sees: ({ metadata }) => metadata?.namespace === 'one' },
  { asked: { labelSelector: 'app=x' }, sees: ({ metadata }) => metadata?.labels?.['app'] === 'x' },
  { asked: { labelSelector: '!app' }, sees: ({ metadata }) => metadata?.labels?.['app'] === undefined },
  {
    asked: { namespace: 'two', labelSelector: 'app in (x,y)' },
    sees: ({ metadata }) => metadata?.namespace === 'two' && /^[xy]$/.test(metadata.labels?.['app'] ?? ''),
  },
  { asked: { fieldSelector: 'metadata.name=c3' }, sees: ({ metadata }) => metadata?.name === 'c3' },
];

/** After a revision, or with the state first: plain, with bookmarks, or as a streamed list. */
type Start = number | 'plain' | 'bookmarked' | 'streamed';

/** Writes at random and keeps its own record of the writes. */
class Writer {
  readonly history: Revision[] = [];
  readonly #server: ApiServer;
  readonly #random: () => number;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #state = new Map<string, ApiObject>();

  constructor(server: ApiServer, random: () => number) {
    this.#server = server;
    this.#random = random;
  }

  /** Any past revision, or the one before the first. */
  anyRevision(first: number): number {
    return this.#pick([first, ...this.history.map(({ revision }) => revision)]);
  }

  async write(): Promise<void> {
    const namespace = this.#pick(NAMESPACES);
    const name = `c${Math.floor(this.#random() * 8)}`;
    const before = this.#state.get(`${namespace}/${name}`);
    const chance = this.#random();
    if (chance < 0.1) await this.#ask('POST', pathIn(namespace, 'secrets'), { metadata: { generateName: 's-' } });
    else if (chance < 0.12) await this.#sweep(namespace);
    else if (before === undefined) await this.#put('POST', pathIn(namespace), this.#fresh(namespace, name), undefined);
    else if (before.metadata?.deletionTimestamp !== undefined || chance < 0.35) await this.#remove(before);
    else await this.#put('PUT', `${pathIn(namespace)}/${name}`, this.#changed(before), before);
  }

  /** Several writes while the clock advances: a bookmark may be sent between a write and its event. */
  async burst(): Promise<void> {
    await sleep(1 + this.#random() * 5);
    for (const before of [...this.#state.values()].filter(() => this.#random() < 0.2)) {
      if (before.metadata?.deletionTimestamp !== undefined) continue;
      this.#record(this.#server.local.update('', 'configmaps', this.#changed(before)), before);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #fresh(namespace: string, name: string): ApiObject {
    const finalizers = this.#random() < 0.2 ? { finalizers: ['example.com/hold'] } : {};
    return { metadata: { name, namespace, ...this.#labels(), ...finalizers }, data: this.#data() };
  }

  #changed(old: ApiObject): ApiObject {
    const { labels: _, ...metadata } = old.metadata as ObjectMeta;
    return { ...old, metadata: { ...metadata, ...this.#labels() }, data: this.#data() };
  }

  #labels(): { labels?: Record<string, string> } {
    const app = this.#pick(['x', 'y', 'z', '']);
    return app === '' ? {} : { labels: { app } };
  }

  #data(): Record<string, string> {
    return { text: 'ü"\n'.repeat(Math.floor(this.#random() * 40)), number: String(this.#random()) };
  }

  async #put(method: string, path: string, object: ApiObject, before: ApiObject | undefined): Promise<void> {
    this.#record(await this.#ask(method, path, object), before);
  }

  /** Deletes; an object with a finalizer is only marked, and removed by the next write to it. */
  async #remove(before: ApiObject): Promise<void> {
    const { namespace = '', name = '', finalizers, deletionTimestamp } = before.metadata ?? {};
    const path = `${pathIn(namespace)}/${name}`;
    if (finalizers === undefined) {
      await this.#ask('DELETE', path);
      this.#gone(before, this.#server.store.revision);
    } else if (deletionTimestamp === undefined) {
      this.#record(await this.#ask('DELETE', path), before);
    } else {
      const { finalizers: _, ...metadata } = before.metadata ?? {};
      await this.#ask('PUT', path, { ...before, metadata });
      this.#gone(before, this.#server.store.revision);
    }
  }

  /** Deletes all objects of one label: one revision for each, in the order of names. */
  async #sweep(namespace: string): Promise<void> {
    const swept = [...this.#state.values()].filter(
      ({ metadata = {} }) =>
        metadata.namespace === namespace && metadata.labels?.['app'] === 'y' && metadata.finalizers === undefined,
    );
    const query = 'labelSelector=app%3Dy';
    const held = [...this.#state.values()].some(
      ({ metadata = {} }) =>
        metadata.namespace === namespace && metadata.labels?.['app'] === 'y' && metadata.finalizers !== undefined,
    );
    if (held) return;
    let revision = this.#server.store.revision;
    await this.#ask('DELETE', `${pathIn(namespace)}?${query}`);
    for (const object of swept.toSorted((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1)))
      this.#gone(object, (revision += 1));
  }

  #record(after: ApiObject, before: ApiObject | undefined): void {
    // A write that changes nothing takes no revision.
    if (before !== undefined && revisionOf(after) === revisionOf(before)) return;
    this.history.push({ revision: revisionOf(after), before, after });
    this.#state.set(`${after.metadata?.namespace}/${after.metadata?.name}`, after);
  }

  #gone(before: ApiObject, revision: number): void {
    this.history.push({ revision, before, after: undefined });
    this.#state.delete(`${before.metadata?.namespace}/${before.metadata?.name}`);
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)] as T;
  }

  async #ask(method: string, path: string, body?: object): Promise<ApiObject> {
    const answer = await send(this.#server, this.#agent, method, path, body);
    let text = '';
    for await (const chunk of answer.setEncoding('utf8')) text += chunk as string;
    if ((answer.statusCode ?? 0) >= 300) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text) as ApiObject;
  }
}

function send(server: ApiServer, agent: Agent, method: string, path: string, body?: object): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
    const call = request(server.url + path, { method, agent, headers }, resolve);
    call.on('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** A watch that records its frames. */
class Recorder {
  readonly #facts: Omit<Recording, 'frames' | 'isWhole'>;
  readonly #answer: IncomingMessage;
  readonly #agent: Agent;
  #lines: string[] = [''];

  private constructor(facts: Omit<Recording, 'frames' | 'isWhole'>, answer: IncomingMessage, agent: Agent) {
    this.#facts = facts;
    this.#answer = answer;
    this.#agent = agent;
    answer.setEncoding('utf8').on('data', (chunk: string) => {
      const [first = '', ...more] = chunk.split('\n');
      this.#lines.push((this.#lines.pop() ?? '') + first, ...more);
    });
    answer.on('error', () => {});
  }

  static async start(server: ApiServer, { asked, sees }: (typeof WATCHED)[number], start: Start): Promise<Recorder> {
    const { namespace, ...selectors } = asked;
    const query = new URLSearchParams({ watch: 'true', ...selectors });
    if (typeof start === 'number') query.set('resourceVersion', String(start));
    if (start !== 'plain') query.set('allowWatchBookmarks', 'true');
    if (start === 'streamed') {
      query.set('sendInitialEvents', 'true');
      query.set('resourceVersionMatch', 'NotOlderThan');
    }
    const path = namespace === undefined ? '/api/v1/configmaps' : pathIn(namespace);
    // No write happens while a watch is being opened.
    const from = typeof start === 'number' ? start : server.store.revision;
    const agent = new Agent();
    const answer = await send(server, agent, 'GET', `${path}?${query}`);
    if (answer.statusCode !== 200) throw new Error(`${path}?${query}: ${answer.statusCode}`);
    // A server with streaming lists marks the end of the initial state of every watch that allows bookmarks.
    const initial = typeof start === 'number' ? 'none' : start === 'plain' ? 'plain' : 'marked';
    return new Recorder({ title: `${JSON.stringify(asked)} from ${start}`, sees, from, initial }, answer, agent);
  }

  /** The revision to resume from: the last one received, unless the initial state may be incomplete. */
  get resumeFrom(): number | undefined {
    const { initial, from } = this.#facts;
    const { frames } = this.recording(false);
    const last = Math.max(from, ...frames.map(({ object }) => revisionOf(object)));
    return initial === 'none' || last > from ? last : undefined;
  }

  /** Whether every event was received. */
  knows(history: readonly Revision[]): boolean {
    const { frames } = this.recording(false);
    const last = history.at(-1)?.revision ?? 0;
    if (frames.some(({ type, object }) => type === 'BOOKMARK' && revisionOf(object) >= last)) return true;
    const live = frames.filter(({ object }) => revisionOf(object) > this.#facts.from);
    return this.#facts.initial === 'plain' && live.length >= expected(history, this.#facts).length;
  }

  recording(isWhole: boolean): Recording {
    const frames = this.#lines.slice(0, -1).map((line) => JSON.parse(line) as Frame);
    return { ...this.#facts, frames, isWhole };
  }

  cut(): void {
    this.#answer.destroy();
    this.#agent.destroy();
  }
}

/** A random run: watches begin at any revision in any form; some are cut and resumed. */
async function run(seed: number): Promise<{ history: readonly Revision[]; recordings: readonly Recording[] }> {
  const random = seeded(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  await using server = await startApiServer({ tls: false, bookmarks: { everyMs: 2, tickMs: 1 } });
  for (const name of NAMESPACES) server.local.create('', 'namespaces', { metadata: { name } });
  const first = server.store.revision;
  const writer = new Writer(server, random);
  const running: { readonly recorder: Recorder; readonly watched: (typeof WATCHED)[number] }[] = [];
  const recordings: Recording[] = [];
  const start = async (watched = pick(WATCHED), from: Start = anyStart()): Promise<void> => {
    running.push({ watched, recorder: await Recorder.start(server, watched, from) });
  };
  const anyStart = (): Start =>
    random() < 0.5 ? pick(['plain', 'bookmarked', 'streamed'] as const) : writer.anyRevision(first);

  for (const watched of WATCHED) await start(watched);
  for (let writes = 0; writes < WRITES; writes += 1) {
    await writer.write();
    if (random() < 0.2) await writer.burst();
    if (random() < 0.05) await start();
    if (random() < 0.05 && running.length > 4) {
      const [{ recorder, watched }] = running.splice(Math.floor(random() * running.length), 1) as [(typeof running)[0]];
      recorder.cut();
      recordings.push(recorder.recording(false));
      await start(watched, recorder.resumeFrom ?? anyStart());
    }
  }
  // Bookmarks are sent only if there is a revision newer than the start.
  server.local.create('', 'secrets', { metadata: { name: 'last', namespace: 'one' } });
  const deadline = Date.now() + 90_000;
  while (!running.every(({ recorder }) => recorder.knows(writer.history))) {
    if (Date.now() > deadline) throw new Error('a watch never heard of the end');
    await sleep(10);
  }
  for (const { recorder } of running) {
    recordings.push(recorder.recording(true));
    recorder.cut();
  }
  writer.close();
  return { history: writer.history, recordings };
}

describe('F96: the promises of a watch', () => {
  test.each([1, 2, 3])(
    'F96: every stream of a random run is ordered, unique, reliable, atomic, resumable, bookmarkable, filtered, and shows the previous state (seed %i)',
    async (seed) => {
      const { history, recordings } = await run(seed);
      expect(recordings.length).toBeGreaterThan(20);
      expect(recordings.reduce((sum, { frames }) => sum + frames.length, 0)).toBeGreaterThan(1_000);
      const broken = recordings.flatMap((recording) =>
        Object.entries(VALIDATORS).flatMap(([name, validator]) => {
          const wrong = validator(recording, history);
          return wrong === undefined ? [] : [`${recording.title} is not ${name}: ${wrong}`];
        }),
      );
      expect(broken).toEqual([]);
    },
  );

  test('F96: the validators notice each kind of broken stream', () => {
    const { history, recording } = goodStream();
    const [one, two, three, mark, four] = recording.frames as [Frame, Frame, Frame, Frame, Frame];
    const wrong = (frames: readonly Frame[]): string[] =>
      Object.keys(VALIDATORS).filter((name) => VALIDATORS[name]?.({ ...recording, frames }, history) !== undefined);
    expect(wrong(recording.frames)).toEqual([]);
    expect(wrong([two, one, three, mark, four])).toContain('ordered');
    expect(wrong([one, two, two, three, mark, four])).toContain('unique');
    expect(wrong([one, three, mark, four])).toEqual(['reliable', 'bookmarkable']);
    expect(wrong([one, two, three, mark])).toEqual(['reliable']);
    expect(wrong([one, { ...two, object: { ...two.object, data: {} } }, three, mark, four])).toEqual(['atomic']);
    expect(wrong([two, three, mark, four])).toContain('resumable');
    expect(wrong([one, two, mark, three, four])).toContain('bookmarkable');
    const stray = { ...two, object: { ...two.object, metadata: { ...two.object.metadata, labels: {} } } };
    expect(wrong([one, stray, three, mark, four])).toContain('filtered');
    expect(wrong([one, { ...two, type: 'ADDED' }, three, mark, four])).toEqual(['previousState']);
    const late = { ...three, object: { ...three.object, data: { text: 'later' } } };
    expect(wrong([one, two, late, mark, four])).toEqual(['previousState']);
  });
});

/** Created, changed, no longer selected, a bookmark, selected again. */
function goodStream(): { history: readonly Revision[]; recording: Recording } {
  const object = (revision: number, app: string): ApiObject => ({
    metadata: { name: 'a', namespace: 'one', resourceVersion: String(revision), labels: { app } },
    data: { text: String(revision) },
  });
  const states = [undefined, object(11, 'x'), object(12, 'x'), object(13, 'y'), object(15, 'x')];
  const history = states.slice(1).map((after, index): Revision => {
    return { revision: revisionOf(after as ApiObject), before: states[index], after };
  });
  const sees = ({ metadata }: ApiObject): boolean => metadata?.labels?.['app'] === 'x';
  const facts = { title: 'good', sees, from: 10, initial: 'none', isWhole: true } as const;
  const events = expected(history, facts).map(({ type, object: of }): Frame => ({ type, object: of }));
  const mark: Frame = { type: 'BOOKMARK', object: { metadata: { resourceVersion: '14' } } };
  return { history, recording: { ...facts, frames: [...events.slice(0, 3), mark, ...events.slice(3)] } };
}
