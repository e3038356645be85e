import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ApiServer, startApiServer } from '@kube-informer/apiserver';
import { seededRandom } from 'kube-informer/testing';
import { type Copy, definitions, differences, OPERATORS, type Site } from '../chaos/replicas/sites.ts';
import { SoakReplica, SoakTraffic } from './soak-replica.ts';
import { realTime, type SoakTime, simulatedTime } from './soak-time.ts';

const REPLICAS = 3;
/** Number of watches: one of sites and one of copies for each replica. */
const WATCHES = 2 * REPLICAS;
const NAMES = 15;
const HOUR_MS = 3_600_000;
/** Mean times between two changes by the user, and between two faults. */
const CHANGE_MS = 15_000;
const FAULT_MS = 300_000;
/** Wall clocks of the replicas are wrong by up to this. */
const MAX_SKEW_MS = 7_200_000;
/** Maximum time to the desired state after the last fault and change: a lost lease, a broken watch, retries. */
const CONVERGED_MS = 900_000;
const CHECK_MS = 5_000;
/** Maximum growth of live bytes from the first hour to the last one: the caches differ a little in size. */
const MAX_GROWTH = 0.25;
const MAX_GROWTH_BYTES = 6_000_000;

const FAULTS = [
  'lease lost',
  'crash',
  'stop',
  'watches cut',
  'history expired',
  'writes fail',
  'answers lost',
  'server restart',
] as const;
type SoakFault = (typeof FAULTS)[number]; // prettier-ignore

export interface SoakOptions {
  readonly hours: number;
  readonly seed: number;
  /** Real time instead of simulated time. */
  readonly real?: boolean;
  readonly log?: (line: string) => void;
}

/** Measurements at the end of an hour, in the desired state. */
interface SoakHour {
  readonly convergedMs: number;
  readonly heapBytes: number;
  readonly timers: number | undefined;
  readonly watches: number;
}

export interface SoakReport {
  readonly violations: readonly string[];
  readonly hours: readonly SoakHour[];
  readonly figures: Readonly<Record<string, number>>;
}

/**
 * Three replicas of an operator on one embedded server, for hours: a user changes what they work on, leases are lost, replicas
 * crash and are replaced, the server restarts. Every hour the user rests until all is as wanted, and what is held is measured.
 *
 * A violation: something is not as wanted in time; a write was sent by a replica that the Lease did not name; memory, timers or
 * watches grow; a timer is left after the end.
 */
export async function soak({ hours, seed, real = false, log = () => {} }: SoakOptions): Promise<SoakReport> {
  const traffic = new SoakTraffic();
  const time = real ? realTime : simulatedTime(() => traffic.count);
  const server = await startApiServer({
    tls: false,
    auth: 'open',
    env: time.env(seed),
    controllers: ['garbageCollector'],
    requestLog: 0,
    history: { events: 500, bytes: 2_000_000 }, // full within the first hour, so that later growth is not the history
  });
  server.load(definitions as never);
  const world = new SoakWorld(server, time, traffic, seed);
  const startedAt = performance.now();
  await world.start();
  for (let hour = 1; hour < hours + 1; hour += 1) {
    await world.live(HOUR_MS * Math.min(1, hours - hour + 1));
    log(`hour ${hour}: ${world.describe(await world.rest())}`);
  }
  await world.end();
  await server.close();
  if (time.timers !== undefined && time.timers > 0) world.violations.push(`${time.timers} timers are left after the end`);
  const realSeconds = Math.round((performance.now() - startedAt) / 1_000);
  return { violations: world.violations, hours: world.hours, figures: { ...world.figures, requests: traffic.total, realSeconds } };
} // prettier-ignore

class SoakWorld {
  readonly violations: string[] = [];
  readonly hours: SoakHour[] = [];
  readonly figures: Record<string, number> = { changes: 0, writes: 0, unheld: 0, starts: 0, terms: 0 };
  readonly #server: ApiServer;
  readonly #time: SoakTime;
  readonly #traffic: SoakTraffic;
  readonly #random: () => number;
  readonly #replicas: SoakReplica[] = [];
  #lastHolder: string | undefined;

  constructor(server: ApiServer, time: SoakTime, traffic: SoakTraffic, seed: number) {
    this.#server = server;
    this.#time = time;
    this.#traffic = traffic;
    this.#random = seededRandom(seed);
  }

  async start(): Promise<void> {
    for (let at = 0; at < REPLICAS; at += 1) await this.#startReplica();
  }

  /** A user changes sites, and faults happen. */
  async live(ms: number): Promise<void> {
    const until = this.#time.now() + ms;
    let faultAt = this.#time.now() + this.#wait(FAULT_MS);
    while (this.#time.now() < until) {
      await this.#time.pass(Math.max(1_000, Math.round(this.#wait(CHANGE_MS) / 1_000) * 1_000));
      this.#change();
      if (this.#time.now() < faultAt) continue;
      const fault = FAULTS[Math.floor(this.#random() * FAULTS.length)] as SoakFault;
      this.figures[fault] = (this.figures[fault] ?? 0) + 1;
      await this.#cause(fault);
      faultAt = this.#time.now() + this.#wait(FAULT_MS);
    }
  }

  /** Waits for the desired state, then measures memory, timers and watches. */
  async rest(): Promise<SoakHour> {
    const startedAt = this.#time.now();
    let found = this.#differences();
    for (; found.length > 0 && this.#time.now() - startedAt < CONVERGED_MS; found = this.#differences())
      await this.#time.pass(CHECK_MS);
    this.violations.push(...found.map((text) => `hour ${this.hours.length + 1}: ${text}`));
    const convergedMs = this.#time.now() - startedAt;
    await this.#time.pass(120_000); // events, retries and bookmarks come to rest
    // A watch that has just been replaced is closed a moment later.
    for (let at = 0; at < 60 && this.#server.watchers().length !== WATCHES; at += 1) await this.#time.pass(1_000);
    const leaders = this.#replicas.filter(({ operator }) => operator.state.kind === 'leading').length;
    if (leaders !== 1) this.violations.push(`hour ${this.hours.length + 1}: ${leaders} replicas lead`);
    this.#server.history.compact();
    const hour = { convergedMs, heapBytes: liveBytes(), timers: this.#time.timers, watches: this.#server.watchers().length };
    this.hours.push(hour);
    this.#compare(hour);
    return hour;
  } // prettier-ignore

  describe({ convergedMs, heapBytes, timers, watches }: SoakHour): string {
    const { changes, writes, starts, terms } = this.figures;
    return (
      `as wanted after ${convergedMs / 1_000} s; ${changes} changes, ${writes} writes, ${starts} starts, ${terms} terms; ` +
      `held: ${(heapBytes / 1e6).toFixed(1)} MB, ${timers ?? 'unknown'} timers, ${watches} watches`
    );
  }

  async end(): Promise<void> {
    const stopped = Promise.all(this.#replicas.map((one) => one.stop()));
    let isDone = false;
    void stopped.then(() => (isDone = true));
    for (let second = 0; second < 120 && !isDone; second += 1) await this.#time.pass(1_000);
    if (!isDone) this.violations.push('a replica does not stop');
    if (this.#server.watchers().length > 0) this.violations.push(`${this.#server.watchers().length} watches are left after the end`);
  } // prettier-ignore

  /** Compares an hour with the first one, in which everything bounded had time to fill. */
  #compare({ heapBytes, timers, watches }: SoakHour): void {
    const [first] = this.hours as [SoakHour];
    const at = `hour ${this.hours.length}`;
    if (watches !== WATCHES) this.violations.push(`${at}: ${watches} watches, not ${WATCHES}`);
    if (heapBytes > first.heapBytes * (1 + MAX_GROWTH) + MAX_GROWTH_BYTES)
      this.violations.push(`${at}: ${heapBytes} live bytes, after the first hour ${first.heapBytes}`);
    // A put-off status, a retry or a series of events may have a timer of its own.
    if (timers !== undefined && first.timers !== undefined && timers > first.timers + 2 * NAMES)
      this.violations.push(`${at}: ${timers} timers, after the first hour ${first.timers}`);
  }

  #wait(meanMs: number): number {
    return meanMs * (0.2 + 1.6 * this.#random());
  }

  #change(): void {
    const { local } = this.#server;
    const name = `s${Math.floor(this.#random() * NAMES)}`;
    const old = local.get('example.com', 'sites', OPERATORS, name);
    const isDelete = this.#random() < 0.15;
    const spec = { message: `m${(this.figures['changes'] = (this.figures['changes'] ?? 0) + 1)}`, copies: Math.floor(this.#random() * 4) };
    if (old !== undefined && (isDelete || old.metadata?.deletionTimestamp !== undefined)) local.remove('example.com', 'sites', OPERATORS, name);
    else if (old !== undefined) local.update('example.com', 'sites', { ...old, spec });
    else local.create('example.com', 'sites', { apiVersion: 'example.com/v1', kind: 'Site', metadata: { name, namespace: OPERATORS }, spec });
  } // prettier-ignore

  async #cause(fault: SoakFault): Promise<void> {
    const { faults } = this.#server;
    const leader = this.#replicas.find(({ operator }) => operator.state.kind === 'leading');
    switch (fault) {
      case 'lease lost':
        if (leader === undefined) return;
        leader.cut = 'leases';
        await this.#time.pass(30_000);
        leader.cut = 'nothing';
        return;
      case 'crash':
      case 'stop': {
        const one = leader ?? (this.#replicas[0] as SoakReplica);
        this.#replicas.splice(this.#replicas.indexOf(one), 1);
        const over = fault === 'crash' ? one.crash() : one.stop();
        await this.#time.pass(10_000);
        await Promise.race([over, this.#time.pass(60_000)]);
        return this.#startReplica();
      }
      case 'watches cut':
        return void faults.cutWatches();
      case 'history expired':
        this.#server.history.compact();
        return void faults.cutWatches();
      case 'writes fail':
        return void faults.failRequests({ match: { resource: 'configmaps', verb: 'patch' }, status: 503, times: 5 });
      case 'answers lost':
        return void faults.add({ match: { resource: 'configmaps', verb: 'patch' }, at: 'head', do: { cut: 'rst' }, times: 3 });
      case 'server restart': {
        const restarted = this.#server.restart({ downMs: 5_000 });
        await this.#time.pass(10_000);
        return restarted;
      }
    }
  } // prettier-ignore

  async #startReplica(): Promise<void> {
    const number = (this.figures['starts'] = (this.figures['starts'] ?? 0) + 1);
    const env = this.#time.env(number, Math.round((this.#random() - 0.5) * 2 * MAX_SKEW_MS));
    const sent = (identity: string, what: string, holder: string | undefined): void => {
      this.figures['writes'] = (this.figures['writes'] ?? 0) + 1;
      if (holder !== this.#lastHolder) this.figures['terms'] = (this.figures['terms'] ?? 0) + 1;
      this.#lastHolder = holder;
      if (holder === identity) return;
      this.figures['unheld'] = (this.figures['unheld'] ?? 0) + 1;
      this.violations.push(`${identity} sent ${what} while ${holder ?? 'nobody'} held the lease`);
    };
    this.#replicas.push(
      await SoakReplica.start({ identity: `replica-${number}`, server: this.#server, env, traffic: this.#traffic, sent }),
    );
  } // prettier-ignore

  #differences(): string[] {
    const { local } = this.#server;
    const all = local.list('example.com', 'sites', OPERATORS) as unknown as Site[];
    return differences(all, local.list('', 'configmaps', OPERATORS) as unknown as Copy[]);
  }
}

/** Bytes of live objects of this process, after a full collection. */
function liveBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
