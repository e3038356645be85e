import { parseArgs } from 'node:util';
import { CANARY } from './zoo/bugs.ts';
import { Coverage } from './world/coverage.ts';
import type { FaultRates } from './world/faults.ts';
import { type Report, runSeed } from './run/run.ts';
import { SCENARIOS } from './scenarios/index.ts';
import type { Setup } from './world/setup.ts';
import { BUGS, kill } from './zoo/zoo.ts';

/**
 * npm run sim -- --seed 7 --trace              one seed, with every step printed
 * npm run sim -- --seeds 2000 [--keep-going]   many seeds, and what they covered
 * … --faults '{"stall":0.9}'                   only these faults
 * … --setup '{"queue":"delta"}'                with this setup instead of the seed's
 * … --scenario relay-body                      in this scenario; `any`: drawn from the seed; `list`: their names
 * … --freshness                                I16 to I20, also outside of scenarios
 * … --pure                                     a scenario without the faults of the seed
 * … --without I18,I19                          leaves out these invariants, to see what else breaks
 * npm run sim -- --zoo [--bug silence]         how many seeds it takes to find each planted bug
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string' },
    trace: { type: 'boolean', default: false },
    'keep-going': { type: 'boolean', default: false },
    zoo: { type: 'boolean', default: false },
    bug: { type: 'string', default: '' },
    faults: { type: 'string' },
    setup: { type: 'string' },
    scenario: { type: 'string' },
    freshness: { type: 'boolean' },
    without: { type: 'string' },
    pure: { type: 'boolean' },
  },
});

// Stack traces of simulated failures cost a third of the run; they are needed only with a trace.
if (!values.trace) Error.stackTraceLimit = 0;
if (values.scenario === 'list') for (const { name, about } of SCENARIOS) console.log(`${name.padEnd(24)}${about}`);
else process.exitCode = (await (values.zoo ? hunt() : play())) ? 0 : 1;

async function play(): Promise<boolean> {
  const first = Number(values.seed);
  const count = Number(values.seeds ?? 1);
  const coverage = new Coverage();
  const startedAt = performance.now();
  const reports: Report[] = [];
  let good = true;
  for (let seed = first; seed < first + count && (good || values['keep-going']); seed += 1) {
    try {
      const report = await runSeed(seed, {
        coverage,
        ...(values.trace ? { trace: (line) => console.log(line) } : {}),
        ...(values.faults === undefined ? {} : { faults: JSON.parse(values.faults) as FaultRates }),
        ...(values.setup === undefined ? {} : { setup: JSON.parse(values.setup) as Partial<Setup> }),
        ...(values.scenario === undefined ? {} : { scenario: values.scenario }),
        ...(values.freshness === undefined ? {} : { freshness: values.freshness }),
        ...(values.pure === undefined ? {} : { pure: values.pure }),
        ...(values.without === undefined ? {} : { without: values.without.split(',') }),
      });
      reports.push(report);
      if (count === 1) console.log(report);
    } catch (error) {
      good = false;
      console.error((error as Error).message);
      if (values.trace) console.error((error as Error).cause);
    }
  }
  console.log(`\n${coverage.toString()}\n\n${summary(reports, (performance.now() - startedAt) / 1_000)}`);
  for (const pair of coverage.surprises()) console.log(`declared impossible, but reached: ${pair}`);
  if (count >= 500 && values.scenario === undefined)
    for (const pair of coverage.missing()) console.log(`never reached: ${pair}`);
  return good;
}

function summary(reports: readonly Report[], seconds: number): string {
  const sum = (of: (report: Report) => number): number => reports.reduce((total, report) => total + of(report), 0);
  const share = ({ convergedMs, boundMs }: Report): number => convergedMs / boundMs;
  const slowest = reports.reduce(
    (worst, report) => (share(report) > share(worst) ? report : worst),
    reports[0] as Report,
  );
  return [
    `${reports.length} seeds, ${(sum((report) => report.simulatedMs) / 3_600_000).toFixed(1)} simulated hours,`,
    `${sum((report) => report.writes)} writes, ${sum((report) => report.requests)} requests,`,
    `${sum((report) => report.epochs)} epochs, ${sum((report) => report.steps)} steps in ${seconds.toFixed(1)} s;`,
    slowest === undefined
      ? ''
      : `slowest convergence ${(slowest.convergedMs / 1_000).toFixed(0)} s of ${(slowest.boundMs / 1_000).toFixed(0)} s (seed ${slowest.seed})`,
  ].join(' ');
}

async function hunt(): Promise<boolean> {
  let good = true;
  for (const bug of [CANARY, ...BUGS]) {
    if (!bug.name.includes(values.bug)) continue;
    const killed = await kill(bug, values.seeds === undefined ? undefined : Number(values.seeds));
    good &&= killed !== undefined;
    console.log(`${killed === undefined ? 'alive' : String(killed.seeds).padStart(5)}  ${bug.name}`);
    if (killed !== undefined) console.log(`       ${killed.violation.message}`);
  }
  return good;
}
