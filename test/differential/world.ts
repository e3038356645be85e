import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiServer, type FaultHandle, startApiServer } from '@kube-informer/apiserver';
import { keyOf } from './canonical.ts';
import { Front } from './front.ts';
import { type CheckName, CONFIG_MAPS, PODS, type Script, type Subjects, WIDGETS } from './script.ts';
import type { Subject } from './subject.ts';

const NAMESPACE = 'default';
const POLL_MS = 15;

type Seams = NonNullable<Parameters<ApiServer['faults']['use']>[0]>;
type Sink = ReturnType<NonNullable<Seams['watchSink']>>;
type FaultRequest = Parameters<NonNullable<Seams['beforeHead']>>[0];
type Held = { readonly metadata?: Readonly<Record<string, unknown>> };

/** A step of the script did not happen in time. */
export class NotWithin extends Error {
  readonly check: CheckName;

  constructor(check: CheckName, what: string) {
    super(what);
    this.check = check;
  }
}

/** A check that a script adds. */
export interface Claim {
  readonly check: string;
  readonly text: string;
  readonly holds: boolean;
}

/** One run of a script: a server, a client, and functions that change objects. */
export class World {
  readonly server: ApiServer;
  readonly front: Front;
  readonly claims: Claim[] = [];
  /** The faults from the start of the script. */
  readonly first: FaultHandle[] = [];
  /** Lists and watches of the script's resource, in order. */
  readonly requests: { readonly verb: string; readonly query: URLSearchParams; readonly at: number }[] = [];
  readonly #script: Script;
  readonly #subjects: Subjects;
  readonly #deadline: number;
  readonly #cleanups: (() => Promise<unknown> | void)[] = [];
  #subject: Subject | undefined;
  #count = 0;
  #tokenFile: string | undefined;

  private constructor(script: Script, server: ApiServer, front: Front, withinMs: number) {
    this.#script = script;
    this.#subjects = script.subjects ?? CONFIG_MAPS;
    this.server = server;
    this.front = front;
    this.#deadline = Date.now() + withinMs;
    // Counted at their start: the server logs them at their end, which some never reach.
    server.faults.use({
      beforeRouting: async ({ info: { verb, resource }, query }) => {
        if (!isRead(verb) || resource !== this.#subjects.resource) return 'continue';
        this.requests.push({ verb, query: new URLSearchParams(query), at: performance.now() });
        const version = query.get('resourceVersion') ?? '';
        if (script.versions !== undefined && !['', '0'].includes(version))
          query.set('resourceVersion', script.versions.decode(version));
        return 'continue';
      },
      ...(script.buffersWatches === undefined ? {} : { watchSink: (_request, sink) => buffering(sink) }),
      ...(script.buffersWatches === 'with-headers' ? { beforeHead: withholdHeaders } : {}),
      ...(script.versions === undefined && script.rewrite === undefined
        ? {}
        : { watchSink: (_request, sink) => rewriting(sink, (text) => this.#outside(text)) }),
    });
    if (script.versions !== undefined)
      server.faults.add({
        match: { verb: 'list', resource: this.#subjects.resource },
        do: { body: (value) => JSON.parse(this.#outside(JSON.stringify(value))) as object },
        times: Infinity,
      });
  }

  static async open(script: Script, withinMs: number): Promise<World> {
    const server = await startApiServer(script.server);
    return new World(script, server, await Front.start(server.url), withinMs);
  }

  get subject(): Subject {
    if (this.#subject === undefined) throw new Error('the client has not been started');
    return this.#subject;
  }

  set subject(subject: Subject) {
    this.#subject = subject;
  }

  get remainingMs(): number {
    return Math.max(0, this.#deadline - Date.now());
  }

  // — changes ————————————————————————————————————————————————————————————

  create(name: string, more: object = {}): void {
    const { group, resource } = this.#subjects;
    this.server.local.create(group, resource, this.object(name, more) as never);
  }

  /** Changes an annotation, and the given fields. */
  update(name: string, more: object = {}): void {
    const { group, resource } = this.#subjects;
    const before = this.server.local.get(group, resource, NAMESPACE, name) as Held | undefined;
    if (before === undefined) throw new Error(`there is no ${name}`);
    const { metadata: changes = {}, ...rest } = more as Held;
    const annotations = { ...(before.metadata?.['annotations'] as object), value: String((this.#count += 1)) };
    const next = { ...before, ...rest, metadata: { ...before.metadata, annotations, ...changes } };
    this.server.local.update(group, resource, next as never);
  }

  remove(name: string): void {
    const { group, resource } = this.#subjects;
    this.server.local.remove(group, resource, NAMESPACE, name, { gracePeriodSeconds: 0 } as never);
  }

  /** Writes another resource, which also raises the server's version. */
  elsewhere(count = 1): void {
    for (let i = 0; i < count; i += 1) {
      const name = `elsewhere-${(this.#count += 1)}`;
      this.server.local.create('', 'secrets', { metadata: { name, namespace: NAMESPACE } } as never);
    }
  }

  object(name: string, more: object = {}): object {
    const { group, version, kind } = this.#subjects;
    const { metadata = {}, ...rest } = more as Held;
    const content =
      this.#subjects === PODS
        ? { spec: { containers: [{ name: 'main', image: 'example.com/main:1' }] } }
        : this.#subjects === WIDGETS
          ? { spec: { size: 1 } }
          : { data: { value: '1' } };
    const apiVersion = group === '' ? version : `${group}/${version}`;
    return { apiVersion, kind, metadata: { name, namespace: NAMESPACE, ...metadata }, ...content, ...rest };
  }

  define(): void {
    this.server.local.create('apiextensions.k8s.io', 'customresourcedefinitions', definition(WIDGETS) as never);
  }

  undefine(): void {
    this.server.local.remove('apiextensions.k8s.io', 'customresourcedefinitions', '', 'widgets.example.com');
  }

  // — what is so ——————————————————————————————————————————————————————————

  /** The server's objects that the client selects. */
  state(): object[] {
    const { group, resource } = this.#subjects;
    const { namespace = '', labelSelector, undigestible, uncompared, versions } = this.#script;
    const stored = this.server.local.list(group, resource, namespace) as readonly Held[];
    const seen = stored.filter((object) => ![undigestible, uncompared].includes(keyOf(object)));
    const all =
      versions === undefined ? seen : seen.map((one) => JSON.parse(this.#outside(JSON.stringify(one))) as Held);
    if (labelSelector === undefined) return [...all];
    const [label = '', value] = labelSelector.split('=');
    return all.filter(
      ({ metadata }) => (metadata?.['labels'] as Record<string, string> | undefined)?.[label] === value,
    );
  }

  /** Compares by the handler's events, which is cheap. */
  get isSettled(): boolean {
    const { view } = this.subject.story;
    const { uncompared } = this.#script;
    const state = this.state() as Held[];
    const known = uncompared !== undefined && view.has(uncompared) ? view.size - 1 : view.size;
    return (
      known === state.length &&
      state.every((object) => view.get(keyOf(object)) === object.metadata?.['resourceVersion'])
    );
  }

  // — waits ———————————————————————————————————————————————————————————————

  async until(what: string, holds: () => boolean, check: CheckName = 'played', withinMs = Infinity): Promise<void> {
    const deadline = Math.min(this.#deadline, Date.now() + withinMs);
    while (!holds()) {
      if (!this.subject.isAlive) throw new NotWithin('alive', 'the client ended');
      if (Date.now() > deadline) throw new NotWithin(check, `not in time: ${what}`);
      await sleep(POLL_MS);
    }
  }

  synced(withinMs?: number): Promise<void> {
    return this.until('synced', () => this.subject.isSynced, 'synced', withinMs);
  }

  /** The cache has caught up. */
  settled(withinMs?: number): Promise<void> {
    return this.until('the handler knows what the server has', () => this.isSettled, 'equal', withinMs);
  }

  /** Waits for a new watch. */
  async watching(): Promise<void> {
    await this.until('a watch is open', () => this.server.watchers().length > 0);
  }

  /** Synced and following. */
  async ready(): Promise<void> {
    await this.synced();
    await this.watching();
    await this.settled();
  }

  /** Waits until a fault has happened. */
  async struck(fault: { readonly hit: Promise<void> }): Promise<void> {
    let isHit = false;
    void fault.hit.then(() => (isHit = true));
    await this.until('the fault struck', () => isHit);
  }

  /** Waits until a fault has happened as often as it should. */
  async spent(fault: { readonly done: Promise<void> }): Promise<void> {
    let isDone = false;
    void fault.done.then(() => (isDone = true));
    await this.until('the fault struck as often as it should', () => isDone);
  }

  async pause(ms: number): Promise<void> {
    await sleep(Math.min(ms, this.remainingMs));
  }

  /** G22: checks that the client waits as requested after the n-th request and each of `times` that follow. */
  claimPatience(nth: number, times: number, seconds: number): void {
    // A probe may be on its way when the response comes.
    const asked = this.requests.filter(({ query }) => !isEcho(query));
    for (let i = nth; i < nth + times; i += 1) {
      const gap = (asked[i]?.at ?? Infinity) - (asked[i - 1]?.at ?? 0);
      const text = `Retry-After says ${seconds} s, the next request came after ${Math.round(gap)} ms`;
      this.claim('patient', text, gap >= seconds * 1000 - 20);
    }
  }

  claim(check: string, text: string, holds: boolean): void {
    this.claims.push({ check, text, holds });
  }

  /** The file of the client's token, if the script uses one. */
  async tokenFile(): Promise<string | undefined> {
    if (this.#script.tokenFile !== true) return undefined;
    const dir = await mkdtemp(join(tmpdir(), 'differential-'));
    this.onEnd(() => rm(dir, { recursive: true, force: true }));
    this.#tokenFile = join(dir, 'token');
    await writeFile(this.#tokenFile, this.server.token);
    return this.#tokenFile;
  }

  /** The old token is refused from now on; the new one is in the file. */
  async rotateToken(): Promise<void> {
    if (this.#tokenFile === undefined) throw new Error('the script has no tokenFile');
    await writeFile(this.#tokenFile, this.server.faults.expireToken());
  }

  /** The text of the server as the script changes it on the wire. */
  #outside(text: string): string {
    const { versions } = this.#script;
    const renamed =
      versions === undefined
        ? text
        : text.replaceAll(VERSION, (_all, version: string) => `"resourceVersion":"${versions.encode(version)}"`);
    return this.#script.rewrite?.(renamed, this) ?? renamed;
  }

  onEnd(cleanup: () => Promise<unknown> | void): void {
    this.#cleanups.push(cleanup);
  }

  async close(): Promise<void> {
    for (const cleanup of this.#cleanups.toReversed()) await cleanup();
    await this.front[Symbol.asyncDispose]();
    await this.server.close();
  }
}

const VERSION = /"resourceVersion":"([1-9]\d*)"/g;

/** A sink whose text is changed on the way. It gets whole frames, and passes them on whole. */
const rewriting = (sink: Sink, change: (text: string) => string): Sink => ({
  write: (bytes) => sink.write(Buffer.from(change(bytes.toString()))),
  end: () => sink.end(),
  drained: () => sink.drained(),
  get queued() {
    return sink.queued;
  },
  singleFrames: true,
});

/** A sink that passes everything on together, with the end. */
function buffering(sink: Sink): Sink {
  const kept: Buffer[] = [];
  return {
    write: (bytes) => void kept.push(bytes),
    end: () => {
      if (kept.length > 0) sink.write(Buffer.concat(kept));
      sink.end();
    },
    drained: () => sink.drained(),
    get queued() {
      return sink.queued;
    },
  };
}

/** The methods of a response that write to the wire. */
interface Wire {
  writeHead(...head: unknown[]): unknown;
  flushHeaders(): void;
  write(...body: unknown[]): unknown;
  end(...body: unknown[]): unknown;
}

/** Keeps the headers of a watch back until the first byte of its body, or its end. */
async function withholdHeaders({ info, response }: FaultRequest, status: number): Promise<'continue'> {
  if (info.verb !== 'watch' || status !== 200) return 'continue';
  const wire = response as unknown as Wire;
  const [writeHead, write, end] = [wire.writeHead.bind(wire), wire.write.bind(wire), wire.end.bind(wire)];
  let release = (): void => {};
  wire.writeHead = (...head) => {
    release = () => {
      release = () => {};
      writeHead(...head);
    };
    return response;
  };
  wire.flushHeaders = () => {};
  wire.write = (...body) => {
    release();
    return write(...body);
  };
  wire.end = (...body) => {
    release();
    return end(...body);
  };
  return 'continue';
}

/** Whether a watch only asks for the server's version: it begins with the state of an object that does not exist. */
export const isEcho = (query: URLSearchParams): boolean =>
  query.get('sendInitialEvents') === 'true' && (query.get('fieldSelector') ?? '').startsWith('metadata.name=');

const isRead = (verb: string): boolean => verb === 'list' || verb === 'watch';

const definition = ({ group, version, resource, kind }: Subjects): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${resource}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: resource, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});
