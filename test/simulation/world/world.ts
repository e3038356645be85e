import type { SimClock } from './clock.ts';
import type { ClientState, Coverage, FaultKind } from './coverage.ts';
import type { Dice } from './dice.ts';
import { reset, type Swarm } from './faults.ts';
import { decoded, type Entry, History } from './history.ts';
import { Path } from './path.ts';
import { Replica } from './replica.ts';
import type { Setup } from './setup.ts';
import type { Story } from './story.ts';
import type { Call } from './call.ts';
import type { Pace } from './list-body.ts';
import type { Stream } from './stream.ts';

export interface WorldParts {
  readonly clock: SimClock;
  readonly dice: Dice;
  readonly swarm: Swarm;
  readonly setup: Setup;
  readonly story: Story;
  readonly coverage: Coverage | undefined;
  /** How the client reads bodies. @default as in this repository */
  readonly pace?: Pace | undefined;
}

/** A change of the storage that the client has not noticed yet. */
interface Rewind {
  /** The newest version sent to the client; it may not be in the cache yet. */
  clientAt: number;
  /** The newest version both histories share. */
  readonly backup: number;
  /** Another cluster, not a backup: only a clusterId shows it. */
  readonly foreign: boolean;
}

/**
 * The cluster behind the server: one storage, the replicas in front of it, the open
 * connections, and everything that can happen to all of them at once.
 */
export class World {
  readonly parts: WorldParts;
  /** The path between the client and the servers. */
  readonly path: Path;
  readonly replicas: readonly Replica[];
  readonly streams: Set<Stream> = new Set();
  readonly calls: Set<Call> = new Set();
  /** Every epoch of the storage, the current one last. */
  readonly epochs: History[];
  /** Keys that had a bad state: their old state may stay, and its version too. */
  readonly touched: Set<string> = new Set();
  /** The version the client reports; 0 before its first list. */
  clientAt: () => number = () => 0;
  /** Called after every write. */
  onWritten: (entry: Entry) => void = () => {};
  /** The newest version the client was shown. */
  shown = 0;
  /** The client was told a wrong version, and its cache has not been right since. */
  tainted = false;
  #rewind: Rewind | undefined;
  #downUntil = 0;
  #writes = 0;
  #uid = 0;
  #cluster = 1;

  constructor(parts: WorldParts) {
    this.parts = parts;
    this.path = new Path(parts.dice.fork(1), (what) => parts.story.tell('path', what));
    const history = History.begin(parts.dice.pick([1, 90, 9_990, 99_950]));
    this.epochs = [history];
    this.replicas = ['one', 'two', 'three']
      .slice(0, parts.setup.replicas)
      .map((name) => new Replica(name, history, parts.setup.window));
  }

  get history(): History {
    return this.epochs.at(-1) as History;
  }

  get writes(): number {
    return this.#writes;
  }

  /** The state of the client, as a server sees it. */
  get clientState(): ClientState {
    for (const call of this.calls) if (call.isMain) return 'listing';
    for (const stream of this.streams) if (stream.role !== 'echo') return stateOf(stream);
    return 'waiting';
  }

  get isDown(): boolean {
    return this.parts.clock.now() < this.#downUntil;
  }

  /** Whether the client has a history that no longer exists, and has not noticed. */
  get rewound(): boolean {
    return this.#rewind !== undefined;
  }

  /** Whether the cluster was replaced unnoticed: until then changes of one look like changes of the other. */
  get isForeign(): boolean {
    return this.#rewind?.foreign === true;
  }

  /** The clusterId that a source reports. */
  get clusterId(): string {
    return `cluster-${this.#cluster}`;
  }

  // — writes —————————————————————————————————————————————————————————————

  /**
   * False while a write would hide a restore permanently: a storage that has grown past the client's
   * version again looks like the old one, and so does one whose restored objects have been written again.
   * Only a source with a clusterId can tell.
   */
  get mayWrite(): boolean {
    return this.#mayReach(this.history.rv + 1);
  }

  #mayReach(rv: number): boolean {
    return this.#rewind === undefined || this.#rewind.foreign || rv < this.#rewind.clientAt;
  }

  put(key: string, bad: boolean): void {
    const uid = this.history.state.get(key)?.object.metadata.uid ?? `uid-${(this.#uid += 1)}`;
    if (bad) this.touched.add(key);
    this.#written(this.history.put(key, uid, this.#writes, bad));
  }

  delete(key: string): void {
    this.#written(this.history.delete(key));
  }

  /** Other resources are written. */
  skip(versions: number): void {
    if (!this.#mayReach(this.history.rv + versions)) return;
    this.history.skip(versions);
    if (this.parts.setup.progressNotify) this.follow();
  }

  #written(entry: Entry | undefined): void {
    if (entry === undefined) return;
    this.#writes += 1;
    const { story } = this.parts;
    if (story.isTold) story.tell('storage', `${entry.type} ${entry.key}@${entry.rv}`);
    this.onWritten(entry);
    this.follow();
  }

  /** Updates the replicas and their streams. */
  follow(): void {
    for (const replica of this.replicas) this.refresh(replica);
  }

  /** Moves one replica on, as a consistent read of it does. */
  refresh(replica: Replica): void {
    if (!replica.follow()) return;
    for (const stream of this.streams) if (stream.replica === replica) this.feed(stream);
  }

  /** Sends the changes of the stream's replica that were not sent yet. */
  feed(stream: Stream): void {
    const { replica } = stream;
    if (replica === undefined) return;
    const { entries } = this.history;
    for (
      let entry = entries[stream.cursor];
      entry !== undefined && entry.rv <= replica.rv;
      entry = entries[stream.cursor]
    ) {
      stream.cursor += 1;
      // A watch from a version that had not been reached stays silent until it has been passed.
      if (entry.rv > stream.from) this.#sendEntry(stream, entry);
    }
  }

  #sendEntry(stream: Stream, entry: Entry): void {
    const { swarm, dice } = this.parts;
    if (!stream.initial && swarm.strikes('lost-event')) return this.fault('lost-event', 'watching');
    if (!stream.initial && swarm.strikes('replay')) {
      this.fault('replay', 'watching');
      const from = Math.max(0, stream.cursor - 1 - dice.whole(1, 8));
      for (const old of this.history.entries.slice(from, stream.cursor - 1)) stream.send(frameOf(old));
    }
    const { rewriteFrame = (frame) => frame } = this.path.layers;
    stream.send(rewriteFrame(frameOf(entry)));
    if (!swarm.strikes('duplicate')) return;
    this.fault('duplicate', stateOf(stream));
    stream.send(rewriteFrame(frameOf(entry)));
  }

  // — weather ————————————————————————————————————————————————————————————

  fault(kind: FaultKind, state: ClientState): void {
    this.parts.coverage?.count(kind, state);
    this.parts.story.tell('fault', `${kind} (${state})`);
  }

  compact(): void {
    this.history.compacted = this.history.rv;
    for (const replica of this.replicas) replica.compact();
  }

  lag(replica: Replica, ms: number): void {
    if (replica.lagging) return;
    replica.lagging = true;
    this.parts.clock.after(ms, () => {
      replica.lagging = false;
      this.follow();
    });
  }

  /** Refuses requests for a while, and breaks open connections. */
  outage(ms: number): void {
    this.#downUntil = Math.max(this.#downUntil, this.parts.clock.now() + ms);
    this.#cutAll();
  }

  /** The storage goes back to a backup and the servers start again. False when the last one is still unnoticed. */
  restore(): boolean {
    const { dice, story } = this.parts;
    const { entries } = this.history;
    if (this.#rewind !== undefined || entries.length < 14) return false;
    const backup = (entries[entries.length - dice.whole(3, Math.min(60, entries.length - 10))] as Entry).rv;
    const clientAt = this.clientAt();
    story.tell('storage', `restored from ${this.history.rv} to ${backup}, client at ${clientAt}`);
    // A client that never had the lost states has nothing to notice.
    const at = clientAt > backup ? clientAt : this.shown;
    if (at > backup) this.#rewind = { clientAt: at, backup, foreign: false };
    this.#begin(this.history.fork(backup));
    return true;
  }

  /** Restores the state at `backup` and raises the versions, as `--bump-revision` does: the watches of all clients are too old. */
  restoreRaised(backup: number): boolean {
    if (this.#rewind !== undefined) return false;
    const { story, dice } = this.parts;
    const clientAt = this.clientAt();
    const other = this.history.fork(backup);
    other.skip(this.history.rv - backup + dice.whole(100, 100_000));
    other.compacted = other.rv;
    story.tell(
      'storage',
      `restored from ${this.history.rv} to ${backup}, raised to ${other.rv}, client at ${clientAt}`,
    );
    this.#rewind = { clientAt, backup, foreign: false };
    this.#begin(other);
    return true;
  }

  /** Replaces the cluster by another one with similar versions. */
  exchange(): boolean {
    const { dice, story } = this.parts;
    // A list of one cluster with the clusterId of the other cannot be recognised.
    if (this.#rewind !== undefined || [...this.calls].some((call) => !call.isMain)) return false;
    const other = History.begin(Math.max(1, this.history.rv + dice.whole(-80, 20)));
    for (const key of this.history.state.keys()) {
      if (dice.chance(0.8)) other.put(key, `uid-${(this.#uid += 1)}`, this.#writes, false);
    }
    const clientAt = this.clientAt();
    story.tell('storage', `exchanged at ${this.history.rv} for one at ${other.rv}, client at ${clientAt}`);
    this.#cluster += 1;
    if (clientAt > 0) this.#rewind = { clientAt, backup: 0, foreign: true };
    this.#begin(other);
    return true;
  }

  #begin(history: History): void {
    this.epochs.push(history);
    this.shown = 0;
    for (const replica of this.replicas) replica.restart(history);
    this.#cutAll();
  }

  /** A new request of the client: nothing is in flight to it any more. */
  settled(): void {
    if (this.#rewind === undefined || this.#rewind.foreign) return;
    this.#rewind.clientAt = this.clientAt();
    if (this.#rewind.clientAt <= this.#rewind.backup) this.#rewind = undefined;
  }

  /** The client has noticed the restore. */
  noticed(): void {
    this.#rewind = undefined;
  }

  /** Faults are over. What they left behind (silent streams, unnoticed restores, a client in backoff) is not. */
  heal(): void {
    this.parts.swarm.healthy = true;
    this.path.clear();
    this.#downUntil = 0;
    for (const replica of this.replicas) {
      replica.lagging = false;
      replica.cutOff = false;
    }
    this.follow();
  }

  /** Breaks open connections; the next ones may go another way. */
  reconnect(): void {
    // A dead connection does not deliver its own end.
    for (const stream of this.streams) if (!stream.stalled) stream.end(reset());
  }

  #cutAll(): void {
    this.reconnect();
    for (const call of this.calls) call.fail(reset());
  }
}

export function stateOf(stream: Stream): ClientState {
  return stream.initial ? 'watch-listing' : 'watching';
}

export function frameOf({ type, object }: Entry): { type: Entry['type']; object: ReturnType<typeof decoded> } {
  return { type, object: decoded(object) };
}
