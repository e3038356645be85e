/**
 * Three replicas of an operator for a day: `npm run soak`. Needs neither Go nor root.
 *
 *   npm run soak                      24 hours of simulated time, in minutes
 *   npm run soak -- --hours 2         other lengths
 *   npm run soak -- --seed 7          other changes, faults and skews
 *   npm run soak -- --real            in real time: 24 hours take a day
 *   npm run soak -- --out f.json      keeps the figures for tools/evidence/evidence.mjs
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { soak } from './soak.ts';

const { values: args } = parseArgs({
  options: {
    hours: { type: 'string', default: '24' },
    seed: { type: 'string', default: '1' },
    real: { type: 'boolean', default: false },
    out: { type: 'string' },
  },
});
const hours = Number(args.hours);
const seed = Number(args.seed);
const { violations, hours: measured, figures } = await soak({ hours, seed, real: args.real, log: console.log });
const time = args.real ? 'real' : 'simulated';
console.log(`seed ${seed}: ${hours} hours of ${time} time`, figures);
for (const violation of violations) console.error(`VIOLATION: ${violation}`);
if (args.out !== undefined)
  writeFileSync(
    args.out,
    `${JSON.stringify({ time, hours, seed, figures, violations: violations.length, measured }, undefined, 2)}\n`,
  );
process.exit(violations.length === 0 ? 0 : 1);
