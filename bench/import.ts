/**
 * The CPU time of an import of each package's main entry, as a part of the CPU time of an empty Node process in the same run: the ratio
 * depends less on the machine than milliseconds do. Medians. Run with `npm run build && npx tsx bench/import.ts`; `--write` keeps the ratios in
 * bench/baseline.json. Compare on a quiet machine only; no test does.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readBaseline, writeBaseline } from '../tools/build/sizes.ts';

const ROUNDS = 15;
const ENTRIES = ['kube-informer', 'kube-informer/client', '@kube-informer/apiserver', '@kube-informer/controller'];
const cwd = fileURLToPath(new URL('.', import.meta.url));

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

/** Milliseconds of CPU time of a process that imports the entry, or nothing. */
function cpuMsOf(entry: string | undefined): number {
  const what = entry === undefined ? '' : `await import('${entry}');`;
  const script = `${what} const { user, system } = process.cpuUsage(); console.log((user + system) / 1000);`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd, encoding: 'utf8' }));
}

const empty: number[] = [];
const imported = new Map(ENTRIES.map((entry) => [entry, [] as number[]]));
// In turns, so that a load on the machine meets all of them.
for (let round = 0; round < ROUNDS; round += 1) {
  empty.push(cpuMsOf(undefined));
  for (const [entry, times] of imported) times.push(cpuMsOf(entry));
}

const limit = median(empty);
console.log(`an empty process: ${limit.toFixed(0)} ms of CPU`);
const kept = await readBaseline();
const importRatio: Record<string, number> = {};
for (const [entry, times] of imported) {
  importRatio[entry] = Number((median(times) / limit - 1).toFixed(2));
  console.log(`import '${entry}' adds ${importRatio[entry]} of that; kept ${kept.importRatio[entry] ?? 'nothing'}`);
}
if (process.argv.includes('--write')) await writeBaseline({ importRatio });
