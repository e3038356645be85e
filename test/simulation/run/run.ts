import type { Coverage } from '../world/coverage.ts';
import type { FaultRates } from '../world/faults.ts';
import type { FreshnessReport } from '../checks/freshness.ts';
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
  /** Whether a scenario is played without the faults of the seed. @default drawn from the seed */
  readonly pure?: boolean;
  /** Overrides the seed's setup. */
  readonly setup?: Partial<Setup>;
  /** The only faults to inject. */
  readonly faults?: FaultRates;
  /** The name of a scenario, or `any`: drawn from the seed. @default none */
  readonly scenario?: string;
  /** Whether I16 to I20 are checked. @default in scenarios only */
  readonly freshness?: boolean;
  /** Invariants that are not checked, to see what else breaks. */
  readonly without?: readonly string[];
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
  /** The name of the scenario, and how often it changed something. */
  readonly scenario: string | undefined;
  readonly struck: number;
  readonly freshness: FreshnessReport;
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

function replay(seed: number, { faults, setup, scenario, freshness }: RunOptions): string {
  const more = [
    scenario === undefined ? '' : ` --scenario ${scenario}`,
    freshness === true ? ' --freshness' : '',
    faults === undefined ? '' : ` --faults '${JSON.stringify(faults)}'`,
    setup === undefined ? '' : ` --setup '${JSON.stringify(setup)}'`,
  ];
  return `replay: npm run sim -- --seed ${seed}${more.join('')} --trace`;
}
