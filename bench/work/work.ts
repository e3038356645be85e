import type { Contestant } from '../contestants/contestant.ts';
import type { Start } from '../contestants/node/protocol.ts';
import { ContestantProcess } from '../measure/contestant-process.ts';
import type { Rig } from '../server/rig.ts';

/** One thing to measure, by name: `{ objects: 10_000, initial: 'list' }`. It is part of the results. */
export interface Case {
  readonly [name: string]: string | number;
}

/** What one run of one contestant gave, by the name of the figure, with its unit: `cpuMs`, `heldBytes`. */
export interface Figures {
  readonly [name: string]: number;
}

/** What a run is made with. */
export interface Bench {
  readonly rig: Rig;
  /** Sizes of the first sync. */
  readonly sizes: readonly number[];
  /** Sizes of the reads. */
  readonly readSizes: readonly number[];
  /** The size of all work that is not about size. */
  readonly objects: number;
  readonly churn: number;
  /** Only what guards against a regression. */
  readonly isQuick: boolean;
}

/** One thing that is measured: its cases, its contestants, and how one run goes. */
export interface Work {
  readonly name: string;
  /** Where one run takes minutes, or all runs give the same. @default as many as asked for */
  readonly maxRounds?: number;
  cases(bench: Bench): readonly Case[];
  takes(contestant: Contestant, one: Case): boolean;
  measure(bench: Bench, contestant: Contestant, one: Case): Promise<Figures>;
}

export type StartOptions = Partial<Omit<Start, 'do' | 'form'>> & Pick<Start, 'selector'>;

/** A started contestant and what its first sync took. */
export interface Started extends AsyncDisposable {
  readonly contestant: ContestantProcess;
  readonly sync: Figures;
  /** The heap before anything was cached. */
  readonly emptyBytes: number;
}

/** Starts a contestant's process and waits for its first sync. */
export async function startContestant(
  contestant: Contestant,
  kubeconfig: string,
  options: StartOptions,
): Promise<Started> {
  const { initial = contestant.initial[0] ?? 'list' } = options;
  const running = new ContestantProcess(contestant.program(initial), kubeconfig);
  try {
    const ready = await running.next();
    running.resetPeak();
    const synced = await running.ask({
      do: 'start',
      resource: 'pods',
      namespaces: [''],
      handlers: 1,
      read: 'key',
      ...options,
      form: contestant.form,
      initial,
    });
    const { objects = 0, wallMs = 0, blockMs, longestGcMs } = synced;
    const cpuMs = (synced.cpuUs - ready.cpuUs) / 1_000;
    const ofNode = blockMs === undefined ? {} : { blockMs, longestGcMs: longestGcMs ?? 0 };
    return {
      contestant: running,
      emptyBytes: ready.heapBytes ?? 0,
      sync: { objects, cpuMs, wallMs, peakBytes: running.peakBytes, ...ofNode },
      [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
    };
  } catch (error) {
    await running[Symbol.asyncDispose]();
    throw error;
  }
}

export const isCache = ({ role }: Contestant): boolean => role === 'cache';
