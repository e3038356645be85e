import type { Contestant } from '../contestants/contestant.ts';
import type { Start } from '../contestants/node/protocol.ts';
import { ContestantProcess } from '../measure/contestant-process.ts';
import type { DataSet } from '../data/workload.ts';
import type { Replay } from '../server/replay.ts';

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
  readonly kubeconfig: string;
  readonly sizes: readonly number[];
  readonly resources: readonly ('pods' | 'widgets')[];
  readonly data: readonly DataSet[];
  /** The size of all work that is not about size. */
  readonly objects: number;
  readonly churn: number;
  readonly replay: Replay;
}

/** One row of the list: its cases, who takes part, and how one run goes. */
export interface Work {
  readonly name: string;
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

export const isOurs = ({ isLimit = false }: Contestant): boolean => !isLimit;
