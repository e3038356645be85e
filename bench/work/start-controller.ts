import { setTimeout as sleep } from 'node:timers/promises';
import type { Contestant } from '../contestants/contestant.ts';
import type { Run } from '../contestants/node/controllers.ts';
import { ContestantProcess } from '../measure/contestant-process.ts';

const POLL_MS = 100;
/** Runs that are caused by other runs come sooner than this. */
const QUIET_MS = 2_000;
const RUNS_WITHIN_MS = 600_000;
export const WORKERS = 16;

export interface StartedController extends AsyncDisposable {
  readonly process: ContestantProcess;
  /** CPU and time when it was told to run. */
  readonly cpuUs: number;
  readonly at: number;
}

export type ControllerOptions = Pick<Run, 'selector'> & Partial<Run>;

/** Starts a controller's process and lets it run. */
export async function startController(
  contestant: Contestant,
  kubeconfig: string,
  options: ControllerOptions,
): Promise<StartedController> {
  const process = new ContestantProcess(contestant.program('watch-list'), kubeconfig);
  try {
    const { cpuUs } = await process.next();
    const at = performance.now();
    const defaults = { do: 'run', work: 'nothing', workers: WORKERS, election: '' } as const;
    await process.ask({ ...defaults, ...options, form: contestant.form });
    return { process, cpuUs, at, [Symbol.asyncDispose]: () => process[Symbol.asyncDispose]() };
  } catch (error) {
    await process[Symbol.asyncDispose]();
    throw error;
  }
}

/** Waits until the controller has run as often, and runs no more. Gives what it took until the last run. */
export async function untilQuiet(
  { process, cpuUs, at }: StartedController,
  leastRuns: number,
): Promise<{ cpuMs: number; wallMs: number; runs: number }> {
  let last = { cpuMs: 0, wallMs: 0, runs: -1 };
  for (;;) {
    const told = await process.ask({ do: 'tell' });
    const now = performance.now() - at;
    const { runs = 0 } = told;
    if (runs !== last.runs) last = { cpuMs: (told.cpuUs - cpuUs) / 1_000, wallMs: now, runs };
    else if (runs >= leastRuns && now - last.wallMs > QUIET_MS) return last;
    if (now > RUNS_WITHIN_MS) throw new Error(`${runs} of ${leastRuns} runs within ${RUNS_WITHIN_MS / 1_000} s`);
    await sleep(POLL_MS);
  }
}
