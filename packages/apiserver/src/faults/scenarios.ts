import { KubeError } from 'kube-informer/core';
import { type Check, notNegativeCheck, numberCheck, shapeCheck, checkShape } from '../core/shape-check.ts';
import type { FaultHost } from './fault-host.ts';
import type { FaultMenu } from './menu.ts';
import { randomSequence } from './random.ts';
import type { CutKind, FaultHandle, FaultRule } from './rules/rule.ts';

export type ScenarioName =
  | 'expired-on-resume'
  | 'flaky-network'
  | 'rolling-restart'
  | 'etcd-restore'
  | 'old-server'
  | 'overload';

export interface ScenarioOptions {
  /**
   * Seed of its own random numbers; the same seed gives the same faults for the same requests. @default the
   * server's env
   */
  readonly seed?: number;
  /**
   * `etcd-restore`: time until the current state is restored. `rolling-restart`: time between two restarts.
   * @default 200
   */
  readonly afterMs?: number;
}

const OPTIONS = shapeCheck({ seed: numberCheck, afterMs: notNegativeCheck } satisfies Record<
  keyof ScenarioOptions,
  Check
>);

export interface ScenarioHandle {
  /** Resolves when the scenario is over; for repeating ones, when they are removed. */
  readonly done: Promise<void>;
  remove(): void;
}

interface Stage {
  readonly menu: FaultMenu;
  readonly host: FaultHost;
  readonly random: (() => number) | undefined;
  readonly afterMs: number;
  readonly signal: AbortSignal;
  readonly add: (rule: FaultRule) => FaultHandle;
}

const CUTS: readonly CutKind[] = ['rst', 'fin', 'goaway', 'rst-stream'];
const always = Infinity;

const SCENARIOS: Readonly<Record<ScenarioName, (stage: Stage) => Promise<void> | void>> = {
  /** Every watch breaks, and a client that resumes gets 410. */
  'expired-on-resume': async ({ menu, host, add }) => {
    const resumes = { verb: 'watch', query: { resourceVersion: /^[1-9]/ } } as const;
    menu.expireHistory();
    const times = host.watches.size;
    if (times === 0) return;
    const refused = add({ match: resumes, at: { event: 0 }, do: { error: 'expired' }, times });
    menu.cutWatches();
    await refused.done;
  },

  /** Connections break in every way and at every place, some are slow, and some are never established. */
  'flaky-network': ({ add, signal }) => {
    for (const kind of CUTS)
      add({ match: { verb: 'watch' }, at: { event: [1, 12] }, do: { cut: kind }, times: always, probability: 0.2 });
    add({
      match: { verb: 'watch' },
      at: { event: [1, 8], offset: 'mid-utf8' },
      do: { cut: 'rst' },
      times: always,
      probability: 0.2,
    });
    add({ match: { verb: 'watch' }, at: { bytes: [1, 4000] }, do: { cut: 'fin' }, times: always, probability: 0.2 });
    add({ match: { verb: 'watch' }, do: { delay: { ms: 2, jitterMs: 10 } }, times: always, probability: 0.3 });
    add({ match: { verb: 'watch' }, do: { split: 3 }, times: always, probability: 0.3 });
    add({ match: { verb: 'list' }, at: { bytes: [1, 2000] }, do: { cut: 'rst' }, times: always, probability: 0.2 });
    add({ do: { cut: 'rst' }, times: always, probability: 0.1 });
    add({ do: { delay: { ms: 1, jitterMs: 20 } }, at: 'head', times: always, probability: 0.3 });
    return scenarioAborted(signal);
  },

  /** The server is replaced twice: GOAWAY, some time without a server, and a start without history. */
  'rolling-restart': async ({ host, afterMs, signal }) => {
    for (let i = 0; i < 2 && !signal.aborted; i += 1) {
      host.sayGoodbye();
      await host.env.sleep(afterMs / 4, signal);
      if (signal.aborted) return;
      await host.restart({ keep: 'data', downMs: afterMs / 4 });
      await host.env.sleep(afterMs, signal);
    }
  },

  /** The current state is restored later: writes in between are undone, and versions repeat. */
  'etcd-restore': async ({ host, afterMs, signal }) => {
    const snapshot = host.snapshot();
    await host.env.sleep(afterMs, signal);
    if (!signal.aborted) host.restore(snapshot, { revisions: 'rollback' });
  },

  'old-server': ({ menu, signal }) => {
    const undo = menu.emulate('1.20');
    signal.addEventListener('abort', () => undo.remove(), { once: true });
    return scenarioAborted(signal);
  },

  /** An overloaded server: caches that are not ready, 429 in all forms, failures of its backends, slow lists. */
  overload: ({ add, signal }) => {
    const some = { times: always, probability: 0.15 };
    const initializing = { code: 429, message: 'storage is (re)initializing', retryAfterSeconds: 1 };
    add({ match: { verb: ['list', 'watch'] }, do: { status: initializing }, times: 1 });
    add({ do: { status: { code: 429, form: 'plain', retryAfterSeconds: 1 } }, ...some });
    add({ do: { status: { code: 429 } }, ...some });
    add({ do: { status: 503 }, ...some });
    add({ do: { status: { code: 502, form: 'html' } }, times: always, probability: 0.05 });
    add({ do: { status: 504 }, times: always, probability: 0.05 });
    add({ match: { verb: 'list' }, do: { delay: { ms: 20, jitterMs: 80 } }, times: always, probability: 0.5 });
    add({ match: { verb: 'watch' }, at: { ms: [50, 400] }, do: { end: true }, times: always, probability: 0.5 });
    return scenarioAborted(signal);
  },
};

export function runScenario(
  menu: FaultMenu,
  host: FaultHost,
  name: ScenarioName,
  options: ScenarioOptions,
): ScenarioHandle {
  const run = Object.hasOwn(SCENARIOS, name) ? SCENARIOS[name] : undefined;
  if (run === undefined)
    throw new KubeError(
      'INVALID_OPTION',
      `scenario: expected one of ${Object.keys(SCENARIOS).join(', ')}, got ${name}`,
    );
  checkShape(OPTIONS, options, '', 'scenario');
  const { seed, afterMs = 200 } = options;
  const stop = new AbortController();
  const random = seed === undefined ? undefined : randomSequence(seed);
  const handles: FaultHandle[] = [];
  const add = (rule: FaultRule): FaultHandle => {
    const handle = menu.add(rule, random);
    handles.push(handle);
    return handle;
  };
  return {
    done: Promise.resolve(run({ menu, host, random, afterMs, signal: stop.signal, add })),
    remove: () => {
      stop.abort();
      for (const handle of handles) handle.remove();
    },
  };
}

const scenarioAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
