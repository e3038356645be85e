import type { Lease } from '@kube-informer/kubernetes';
import { LeaderElector, type LeaderElectorOptions, type Term } from '@kube-informer/controller/election';
import type { CallOptions } from 'kube-informer/client';
import { FakeClock, fakeEnv, type FakeEnv, settle, statusFailure } from 'kube-informer/testing';
import { onTestFinished } from 'vitest';

type Verb = 'get' | 'create' | 'replace';

/** Fault of a request: none, the server fails it, never responds, or executes it and never responds. */
type Fault = 'none' | 'fail' | 'hang' | 'lose-answer';

/** One Lease on a server in memory, with the resourceVersion rule and scripted faults. */
export class FakeLeases {
  lease: Lease | undefined;
  /** Every request, in order: `replace a`. */
  readonly calls: string[] = [];
  /** Holders in the order in which the server stored them. */
  readonly holders: string[] = [];
  faults: Fault[] = [];
  /** The fault of every request, while set. */
  always: Fault | undefined;
  /** Called before the server carries out a request. */
  before: (call: string) => void = () => {};
  #version = 0;

  /** The requests of one elector. `delay` runs before and after a request is carried out. */
  client(who: string, delay: () => Promise<void> = () => Promise.resolve()): LeaderElectorOptions['leases'] {
    const call = async (verb: Verb, { signal }: CallOptions, act: () => Lease): Promise<Lease> => {
      this.calls.push(`${verb} ${who}`);
      const fault = this.faults.shift() ?? this.always;
      await delay();
      this.before(`${verb} ${who}`);
      if (fault === 'fail') throw statusFailure(503, 'ServiceUnavailable', 'down');
      if (fault === 'hang') return never(signal);
      const lease = structuredClone(act());
      if (fault === 'lose-answer') return never(signal);
      await delay();
      return lease;
    };
    return {
      get: (_key, options) => call('get', options, () => this.#stored()),
      create: (lease, options) =>
        call('create', options, () => {
          if (this.lease !== undefined) throw statusFailure(409, 'AlreadyExists', 'there is one');
          return this.#store(lease);
        }),
      replace: (lease, options) =>
        call('replace', options, () => {
          const { metadata } = this.#stored();
          if (lease.metadata?.resourceVersion !== metadata?.resourceVersion)
            throw statusFailure(409, 'Conflict', 'it has changed');
          return this.#store(lease);
        }),
    };
  }

  #stored(): Lease {
    if (this.lease === undefined) throw statusFailure(404, 'NotFound', 'there is none');
    return this.lease;
  }

  #store(lease: Lease): Lease {
    this.#version += 1;
    this.lease = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(this.#version) } };
    this.holders.push(lease.spec?.holderIdentity ?? '');
    return this.lease;
  }

  /** Changes the Lease as a person with kubectl, or another elector, would. */
  edit(spec: Partial<Lease['spec']>, annotations: Record<string, string> = {}): void {
    const before = this.lease ?? { metadata: { name: 'lease' } };
    const metadata = { ...before.metadata, annotations: { ...before.metadata?.annotations, ...annotations } };
    this.#store({ ...before, metadata, spec: { ...before.spec, ...spec } });
  }
}

/** A request that never settles and ignores the signal, as with a broken client. */
const never = (_signal: AbortSignal | undefined): Promise<never> => new Promise(() => {});

export interface Candidate {
  readonly elector: LeaderElector;
  readonly env: FakeEnv;
  readonly states: string[];
  /** The last term; its fence answers also after the term. */
  term: Term | undefined;
  readonly stop: AbortController;
  readonly running: Promise<void>;
}

export interface CandidateOptions extends Partial<LeaderElectorOptions> {
  readonly env?: FakeEnv;
  readonly delay?: () => Promise<void>;
  /** The work. @default until its signal aborts */
  readonly lead?: (term: Term) => Promise<void>;
}

export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

export function rig(): {
  clock: FakeClock;
  leases: FakeLeases;
  readonly start: (id: string, o?: CandidateOptions) => Candidate;
} {
  const clock = new FakeClock();
  const leases = new FakeLeases();
  return {
    clock,
    leases,
    start(identity, { lead = ({ signal }: Term) => untilAborted(signal), delay, ...options } = {}) {
      const env = options.env ?? fakeEnv({ clock });
      const states: string[] = [];
      const elector = new LeaderElector({
        leases: leases.client(identity, delay),
        name: 'lease',
        namespace: 'ops',
        identity,
        onState: (state) => states.push(state.kind === 'standby' ? `standby behind ${state.leader}` : state.kind),
        ...options,
        env,
      });
      const stop = new AbortController();
      onTestFinished(() => stop.abort());
      const candidate: Candidate = {
        elector,
        env,
        states,
        term: undefined,
        stop,
        running: elector.run((term) => {
          candidate.term = term;
          return lead(term);
        }, stop.signal),
      };
      candidate.running.catch(() => {}); // tests that expect a rejection await it
      return candidate;
    },
  };
}

/** Stops a candidate and lets its release finish. */
export async function stopped({ stop, running }: Candidate, clock: FakeClock): Promise<void> {
  stop.abort();
  await settle();
  await clock.advance(0);
  await running;
}
