import type { Coverage } from '../world/coverage.ts';
import type { FaultRates } from '../world/faults.ts';
import { Violation } from '../checks/invariants.ts';
import type { Setup } from '../world/setup.ts';
import { Simulation } from './simulation.ts';
import type { Engine } from './subject.ts';

export interface RunOptions {
  /** @default the engine of this repository */
  readonly engine?: Engine;
  /** Called with every line of the trace. @default none, which is faster */
  readonly trace?: (line: string) => void;
  readonly coverage?: Coverage;
  /** Leaves out all handlers but the recording one. @default false */
  readonly alone?: boolean;
  /** Overrides the seed's setup. */
  readonly setup?: Partial<Setup>;
  /** Only these faults. */
  readonly faults?: FaultRates;
}

export interface Report {
  readonly seed: number;
  readonly steps: number;
  readonly simulatedMs: number;
  readonly writes: number;
  readonly requests: number;
  /** From the end of the faults to the last change of the cache. */
  readonly convergedMs: number;
  readonly boundMs: number;
  readonly epochs: number;
}

/** Runs one seed from the first list to after the stop. Rejects with a Violation that says how to replay it. */
export async function runSeed(seed: number, options: RunOptions = {}): Promise<Report> {
  const simulation = new Simulation(seed, options);
  try {
    return await simulation.run();
  } catch (error) {
    const invariant = error instanceof Violation ? error.invariant : 'simulation';
    const at = (simulation.clock.now() / 1_000).toFixed(3);
    const message = (error as Error).message.replace(`${invariant}: `, '');
    const violation = new Violation(invariant, `seed ${seed}, at ${at} s: ${message} — ${replay(seed, options)}`);
    violation.cause = error;
    throw violation;
  }
}

function replay(seed: number, { faults, setup }: RunOptions): string {
  const more = [
    faults === undefined ? '' : ` --faults '${JSON.stringify(faults)}'`,
    setup === undefined ? '' : ` --setup '${JSON.stringify(setup)}'`,
  ];
  return `replay: npm run sim -- --seed ${seed}${more.join('')} --trace`;
}
