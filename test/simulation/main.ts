import { parseArgs } from 'node:util';
import { Coverage } from './coverage.ts';
import { runSeed } from './run.ts';

/** `npm run sim -- --seed 7 [--seeds 100] [--trace]` */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
    'keep-going': { type: 'boolean', default: false },
  },
});

const first = Number(values.seed);
const count = Number(values.seeds);
const coverage = new Coverage();
const startedAt = performance.now();
let steps = 0;
let simulatedMs = 0;
let slowest = { seed: 0, share: 0, ms: 0 };
const violations: string[] = [];
for (let seed = first; seed < first + count; seed += 1) {
  try {
    const report = await runSeed(seed, { coverage, ...(values.trace ? { trace: (line) => console.log(line) } : {}) });
    steps += report.steps;
    simulatedMs += report.simulatedMs;
    const share = report.convergedMs / report.boundMs;
    if (share > slowest.share) slowest = { seed, share, ms: report.convergedMs };
    if (count === 1) console.log(report);
  } catch (error) {
    violations.push((error as Error).message);
    console.error((error as Error).message);
    if (values.trace) console.error((error as Error).cause);
    if (!values['keep-going']) break;
  }
}
const seconds = (performance.now() - startedAt) / 1_000;
console.log(`\n${coverage.toString()}\n`);
console.log(
  `${count} seeds, ${(simulatedMs / 3_600_000).toFixed(1)} simulated hours, ${steps} steps in ${seconds.toFixed(1)} s;`,
  `slowest convergence ${(slowest.ms / 1_000).toFixed(0)} s, ${(slowest.share * 100).toFixed(0)} % of its bound (seed ${slowest.seed})`,
);
const missing = coverage.missing();
if (missing.length > 0) console.log(`never met: ${missing.join('; ')}`);
const surprises = coverage.surprises();
if (surprises.length > 0) console.log(`declared unreachable and met: ${surprises.join('; ')}`);
if (violations.length > 0) process.exitCode = 1;
