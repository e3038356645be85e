import { BUGS, kill } from '/work/main/test/simulation/zoo.ts';
import { CANARY } from '/work/main/test/simulation/bugs.ts';
const only = process.argv[2];
for (const bug of [CANARY, ...BUGS]) {
  if (only && !bug.name.includes(only)) continue;
  const t = performance.now();
  try {
    const k = await kill(bug, Number(process.argv[3] ?? bug.seeds ?? 100));
    console.log(
      k ? `${k.seeds}`.padStart(5) : ' LIVE',
      bug.name,
      '—',
      k?.violation.invariant,
      (k?.violation.message ?? '').slice(0, 120),
      Math.round(performance.now() - t) + 'ms',
    );
  } catch (e) {
    console.log('ERR', bug.name, (e as Error).message.slice(0, 300));
  }
}
