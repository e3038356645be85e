import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { LeaderElector, type LeaderElectorOptions, type Term } from '@kube-informer/controller/election';
import { type Env, systemEnv } from 'kube-informer/core';
import type { Holder } from './lease-log.ts';

type Leases = LeaderElectorOptions['leases'];

export interface Times {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

export interface Clock {
  /** Error of the wall clock. */
  readonly skewMs: number;
  /** How fast the clocks run; client-go's are always right. */
  readonly rate: number;
}

/** One elector. `cut` makes its requests fail until `heal`; `stop` ends it, and releases the lease unless it is cut. */
export interface Candidate {
  readonly identity: string;
  readonly kind: 'ours' | 'client-go';
  cut(): void;
  heal(): void;
  stop(): Promise<void>;
}

/** How requests fail that are cut: at once, never, or after they were carried out. */
export type Cut = 'refused' | 'silent' | 'lost-answer';

export class OurCandidate implements Candidate, Holder {
  readonly kind = 'ours';
  readonly identity: string;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #isCut = false;
  #term: Term | undefined;

  constructor(identity: string, leases: Leases, lease: string, namespace: string, how: Times & Clock & { cut: Cut }) {
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs, cut } = how;
    this.identity = identity;
    const elector = new LeaderElector({
      leases: this.#cuttable(leases, cut),
      name: lease,
      namespace,
      identity,
      leaseDurationMs,
      renewDeadlineMs,
      retryPeriodMs,
      env: clockOff(how),
    });
    this.#running = elector.run(async (term) => {
      this.#term = term;
      if (!term.signal.aborted) await once(term.signal, 'abort');
    }, this.#stop.signal);
    this.#running.catch(() => {}); // `stop` rejects
  }

  held(): number | undefined {
    return this.#term?.fence.held() === true ? this.#term.fence.number : undefined;
  }

  cut(): void {
    this.#isCut = true;
  }

  heal(): void {
    this.#isCut = false;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #cuttable(leases: Leases, how: Cut): Leases {
    const send = async <T>(call: () => Promise<T>): Promise<T> => {
      if (!this.#isCut) return call();
      if (how === 'silent') return new Promise(() => {});
      if (how === 'lost-answer') await call();
      throw new Error('the network is cut');
    };
    return {
      get: (key, options) => send(() => leases.get(key, options)),
      create: (lease, options) => send(() => leases.create(lease, options)),
      replace: (lease, options) => send(() => leases.replace(lease, options)),
    };
  }
}

/** An Env whose clocks are wrong and run too fast or too slow. */
function clockOff({ skewMs, rate }: Clock): Env {
  return {
    ...systemEnv,
    now: () => systemEnv.now() * rate,
    wallNow: () => systemEnv.wallNow() * rate + skewMs,
    bootNow: () => systemEnv.now() * rate,
    sleep: (ms, signal) => systemEnv.sleep(ms / rate, signal),
    log: () => {},
  };
}

/** The Go program with electors of client-go, which are started and stopped by lines. */
export class GoElectors implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #over = new Map<string, () => void>();

  constructor(program: string, kubeconfig: string, namespace: string, lease: string) {
    this.#child = spawn(program, ['electors', namespace, lease], {
      env: { ...process.env, KUBECONFIG: kubeconfig },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    process.once('exit', () => this.#child.kill('SIGKILL'));
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      this.#over.get((JSON.parse(line) as { over: string }).over)?.();
    });
  }

  start(identity: string, { skewMs, ...times }: Times & Omit<Clock, 'rate'>): Candidate {
    const say = (command: string, more: object = {}): void =>
      void this.#child.stdin?.write(`${JSON.stringify({ do: command, identity, ...more })}\n`);
    const over = new Promise<void>((resolve) => void this.#over.set(identity, resolve));
    say('start', { skewMs, ...times });
    return {
      identity,
      kind: 'client-go',
      cut: () => say('cut'),
      heal: () => say('heal'),
      stop: () => {
        say('stop');
        return over;
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
