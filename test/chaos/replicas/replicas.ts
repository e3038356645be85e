import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type KubeObject, systemEnv } from 'kube-informer';
import { Client, type ClientConnectOptions } from 'kube-informer/client';
import { Gate } from './gate.ts';
import { type Copy, differences, OPERATORS, orphans, type Site, SITES, strandedByRestore } from './sites.ts';
import { TermLog } from './term-log.ts';

const PROGRAM = fileURLToPath(new URL('replica.ts', import.meta.url));
/** The next holder waits 15 s, and some more for its turn; a cut or frozen one needs up to that to be noticed. */
const NEXT_LEADER_MS = 180_000;
/** All is as wanted this long after the last fault: a broken watch and a lost lease together. */
const CONVERGED_MS = 180_000;
/** Time without a write before all counts as done. */
const QUIET_MS = 4_000;
/** A replica that has lost its lease knows it when its process runs again. */
const RESIGNED_MS = 60_000;
/** Time after a restore in which the holder is uncertain: that of before or that of the backup. */
const UNCERTAIN_MS = 20_000;
const NAMES = 15;

/** The settings of a replica, and its messages. */
export interface ReplicaBirth {
  readonly connect: ClientConnectOptions;
  readonly identity: string;
}
/** `why`: say why these sites are not as wanted. */
export type ReplicaOrder = { readonly type: 'stop' } | { readonly type: 'why'; readonly keys: readonly string[] };
export type ReplicaWord =
  | { readonly type: 'why'; readonly text: string }
  | { readonly type: 'sent'; readonly at: number; readonly what: string }
  | { readonly type: 'held'; readonly acquiredAt: number; readonly transitions: number }
  /** `epochs`: how often every cache has noticed a restore. `reached`: the version that every cache has reached. */
  | {
      readonly type: 'state';
      readonly kind: string;
      readonly epochs: number;
      readonly reached: number;
      readonly problem: string;
    }
  | { readonly type: 'failed'; readonly message: string };

export type LeaderFault = 'leader kill' | 'leader freeze' | 'leader cut' | 'leader stop';

interface Replica {
  readonly identity: string;
  readonly child: ChildProcess;
  readonly gate: Gate;
  state: string;
  epochs: number;
  reached: number;
  /** The reason the caches of the replica are not ready. */
  problem: string;
}

export interface ReplicasOptions {
  readonly connect: ClientConnectOptions;
  /** `host:port` that the replicas connect to. */
  readonly address: string;
  /** For the user and the comparison: servers that need not all be up. */
  readonly servers: readonly ClientConnectOptions[];
  readonly random: () => number;
}

/** Three replicas of an operator in processes of their own, and a user who changes what they work on. */
export class Replicas implements AsyncDisposable {
  readonly figures = { lives: 0, handOvers: 0, changes: 0, stranded: 0, longestHandOverMs: 0, longestConvergenceMs: 0 };
  readonly #options: ReplicasOptions;
  readonly #clients: readonly Client[];
  readonly #log = new TermLog();
  readonly #failures: string[] = [];
  readonly #all = new Set<Replica>();
  #stopped = false;
  /** Number of callers for which the user must not write. */
  #rests = 0;
  #user: Promise<unknown> | undefined;

  private constructor(options: ReplicasOptions, clients: readonly Client[]) {
    this.#options = options;
    this.#clients = clients;
  }

  static async start(options: ReplicasOptions): Promise<Replicas> {
    const env = { ...systemEnv, log: (): void => {} };
    const clients = await Promise.all(options.servers.map((one) => Client.connect({ proxy: false, env, ...one })));
    const replicas = new Replicas(options, clients);
    for (let at = 0; at < 3; at += 1) await replicas.#live();
    await replicas.#untilLed();
    replicas.#user = Promise.all([replicas.#change(), replicas.#collect()]);
    return replicas;
  }

  /** Takes the leader away in one of four ways, and resolves when another replica has taken over and the old leader knows it. */
  async cause(fault: LeaderFault): Promise<boolean> {
    const leader = await this.#untilLed();
    const startedAt = Date.now();
    // In the middle of its work, not after it.
    await sleep(this.#options.random() * 2_000);
    switch (fault) {
      case 'leader kill':
        await this.#end(leader, 'SIGKILL');
        await this.#live();
        break;
      case 'leader stop':
        leader.child.send({ type: 'stop' } satisfies ReplicaOrder);
        await Promise.race([once(leader.child, 'exit'), sleep(60_000)]);
        await this.#end(leader, 'SIGKILL');
        await this.#live();
        break;
      case 'leader cut':
        leader.gate.cut();
        await this.#untilLed(leader);
        leader.gate.heal();
        break;
      case 'leader freeze':
        leader.child.kill('SIGSTOP');
        await this.#untilLed(leader);
        leader.child.kill('SIGCONT');
        break;
    }
    await this.#untilLed(leader);
    if (this.#log.holder === leader.identity) this.#failures.push(`${fault}: ${leader.identity} still holds the lease`);
    // Before the next fault: one that was frozen would be taken for the leader that it was.
    const resigned = (): boolean => !this.#all.has(leader) || leader.state !== 'leading';
    if (!(await becomesTrue(resigned, RESIGNED_MS)))
      this.#failures.push(`${fault}: ${leader.identity} believes after ${RESIGNED_MS / 1_000} s that it leads`);
    this.figures.handOvers += 1;
    this.figures.longestHandOverMs = Math.max(this.figures.longestHandOverMs, Date.now() - startedAt);
    return true;
  }

  /** Makes the holder of the lease uncertain until some time after the returned function was called. */
  restoring(): () => void {
    const done = this.#log.restoring(Date.now());
    return () => done(Date.now() + UNCERTAIN_MS);
  }

  /** The user changes nothing until the returned function is called. */
  rest(): () => void {
    this.#rests += 1;
    return () => void (this.#rests -= 1);
  }

  /** Remembers the epochs of now; the returned function names the replicas that have noticed no restore since. */
  epochs(): () => readonly string[] {
    const before = new Map([...this.#all].map((one) => [one, one.epochs]));
    return () => [...before].flatMap(([one, epochs]) => (one.epochs > epochs ? [] : [one.identity]));
  }

  /** Resolves when all replicas are started and their caches have reached a version; rejects if that takes too long. */
  async reached(version: number): Promise<void> {
    const behind = (): Replica[] => [...this.#all].filter((one) => one.state === 'starting' || one.reached < version);
    if (await becomesTrue(() => behind().length === 0, NEXT_LEADER_MS)) return;
    const names = behind().map(({ identity, state, reached, problem }) => `${identity} ${state} ${reached} ${problem}`);
    throw new Error(`caches have not reached version ${version}: ${names.join(', ')}`);
  }

  /** Waits until all is as the sites want it, and resolves to what is not, and to every promise that was broken. */
  async settled(): Promise<string[]> {
    const goOn = this.rest();
    const startedAt = Date.now();
    let found: string[];
    let state = '';
    let since = Date.now();
    for (;;) {
      const [all, copies] = await this.#read();
      const stranded = strandedByRestore(copies, all, (at) => this.#log.isUncertain(at));
      this.figures.stranded = stranded.length;
      found = differences(
        all,
        copies.filter((copy) => !stranded.includes(copy)),
      );
      const now = JSON.stringify([...all, ...copies].map(({ metadata }) => metadata?.resourceVersion));
      if (now !== state) [state, since] = [now, Date.now()];
      const isQuiet = Date.now() - since > QUIET_MS;
      if ((found.length === 0 && isQuiet) || Date.now() - startedAt > CONVERGED_MS) break;
      await sleep(250);
    }
    if (found.length > 0) await this.#explain(found);
    this.figures.longestConvergenceMs = Math.max(this.figures.longestConvergenceMs, since - startedAt);
    goOn();
    // On a busy machine a leader may lose its lease without any fault, and the next one needs its time.
    const leaders = (): number => [...this.#all].filter((one) => one.state === 'leading').length;
    if (!(await becomesTrue(() => leaders() === 1, NEXT_LEADER_MS))) found.push(`${leaders()} replicas lead`);
    return [...found, ...this.#failures, ...this.#log.violations()].map((text) => `replicas: ${text}`);
  }

  get summary(): string {
    const { lives, handOvers, changes, stranded, longestHandOverMs, longestConvergenceMs } = this.figures;
    return (
      `three replicas: ${lives} starts, ${handOvers} leaders lost, ${this.#log.terms} terms, ${changes} changes by a user, ` +
      `${this.#log.writes} writes, ${this.#log.violations().length} without the lease, ${stranded} stranded by a restore; longest hand-over ` +
      `${(longestHandOverMs / 1_000).toFixed(1)} s, all as wanted ${(longestConvergenceMs / 1_000).toFixed(1)} s after the last change`
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    await this.#user;
    for (const one of this.#all) await this.#end(one, 'SIGKILL');
    for (const client of this.#clients) await client.close();
  }

  async #live(): Promise<void> {
    const identity = `replica-${(this.figures.lives += 1)}`;
    const gate = await Gate.before(this.#options.address);
    const child = fork(PROGRAM, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const one: Replica = {
      identity,
      child,
      gate,
      state: 'starting',
      epochs: 0,
      reached: 0,
      problem: 'has said nothing yet',
    };
    this.#all.add(one);
    const dieWithUs = (): void => void child.kill('SIGKILL');
    process.once('exit', dieWithUs);
    child.once('exit', (code, signal) => {
      process.off('exit', dieWithUs);
      if (code !== 0 && this.#all.has(one)) this.#failures.push(`${identity} ended with ${code ?? signal}`);
    });
    child.on('message', (word) => this.#hear(one, word as ReplicaWord));
    const { protocol } = new URL(this.#options.connect.url ?? 'https://');
    const connect = { ...this.#options.connect, url: `${protocol}//127.0.0.1:${gate.port}` };
    child.send({ identity, connect } satisfies ReplicaBirth);
  }

  #hear(one: Replica, word: ReplicaWord): void {
    const replica = one.identity;
    if (word.type === 'sent') this.#log.sent({ replica, ...word });
    else if (word.type === 'held') this.#log.held({ replica, ...word });
    else if (word.type === 'failed') this.#failures.push(`${replica} failed: ${word.message}`);
    else if (word.type === 'why') console.error(word.text);
    else Object.assign(one, { state: word.kind, epochs: word.epochs, reached: word.reached, problem: word.problem });
  }

  /** Has the replicas print why these sites are not as wanted. */
  async #explain(found: readonly string[]): Promise<void> {
    const keys = [...new Set(found.flatMap((text) => /\bs\d+\b/.exec(text)?.[0] ?? []))].map(
      (name) => `${OPERATORS}/${name}`,
    );
    for (const { child } of this.#all) child.send({ type: 'why', keys } satisfies ReplicaOrder);
    await sleep(1_000);
  }

  async #end(one: Replica, signal: NodeJS.Signals): Promise<void> {
    this.#all.delete(one);
    const ended = one.child.exitCode === null && one.child.signalCode === null ? once(one.child, 'exit') : undefined;
    one.child.kill(signal);
    await ended;
    await one.gate[Symbol.asyncDispose]();
  }

  /** The replica that leads, other than `not`. */
  async #untilLed(not?: Replica): Promise<Replica> {
    for (const deadline = Date.now() + NEXT_LEADER_MS; Date.now() < deadline; await sleep(50)) {
      const leader = [...this.#all].find((one) => one !== not && one.state === 'leading');
      if (leader !== undefined) return leader;
    }
    throw new Error(
      `no replica leads: ${[...this.#all].map(({ identity, state, problem }) => `${identity} ${state} ${problem}`).join(', ')}` +
        this.#failures.map((text) => `; ${text}`).join(''),
    );
  }

  async #change(): Promise<void> {
    const { random } = this.#options;
    for (let at = 0; !this.#stopped;) {
      if (this.#rests === 0) {
        const sites = (this.#clients[at % this.#clients.length] as Client).resource<Site>(SITES);
        const name = `s${Math.floor(random() * NAMES)}`;
        const call = { attempts: 'once', timeoutMs: 4_000 } as const;
        const spec = { message: `m${this.figures.changes}`, copies: Math.floor(random() * 4) };
        const site = { apiVersion: 'example.com/v1', kind: 'Site', metadata: { name, namespace: OPERATORS }, spec };
        try {
          if (random() < 0.15) await sites.delete(`${OPERATORS}/${name}`, call);
          else await sites.apply(site, { fieldManager: 'user', force: true, ...call });
          this.figures.changes += 1;
        } catch {
          at += 1; // not there, or the server is down: the other one
        }
      }
      await sleep(50 + random() * 150);
    }
  }

  /** Deletes copies whose site is gone: there is no garbage collector beside a bare kube-apiserver. */
  async #collect(): Promise<void> {
    for (let at = 0; !this.#stopped; at += 1) {
      const maps = (this.#clients[at % this.#clients.length] as Client).resource<KubeObject>('v1/configmaps');
      const call = { attempts: 'once', timeoutMs: 4_000 } as const;
      try {
        const [all, copies] = await this.#read();
        for (const { metadata: { name = '', uid = '' } = {} } of orphans(copies, all))
          await maps.delete(`${OPERATORS}/${name}`, { preconditions: { uid }, ...call });
      } catch {
        // A server that is down, or a copy that has changed: the next round decides.
      }
      await sleep(1_000);
    }
  }

  /** Copies first: see `orphans`. */
  async #read(): Promise<[Site[], Copy[]]> {
    for (let at = 0; ; at += 1) {
      const client = this.#clients[at % this.#clients.length] as Client;
      const call = { namespace: OPERATORS, attempts: 'once', timeoutMs: 5_000 } as const;
      try {
        const copies = await client.resource<KubeObject>('v1/configmaps').list(call);
        const sites = await client.resource<Site>(SITES).list(call);
        return [[...sites.items], [...copies.items] as Copy[]];
      } catch (error) {
        if (at > 200) throw error;
        await sleep(200);
      }
    }
  }
}

async function becomesTrue(isTrue: () => boolean, withinMs: number): Promise<boolean> {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(50)) if (isTrue()) return true;
  return isTrue();
}
