import { noStackTraces } from '../run/no-stack-traces.ts';
import { expect, test } from 'vitest';
import { BUGS, kill } from './zoo.ts';

noStackTraces();

test.each(BUGS.map((bug) => [bug.name, bug] as const))(
  'a planted bug is found: %s',
  async (_name, bug) => {
    const killed = await kill(bug);
    expect(killed, 'no seed found it').toBeDefined();
    expect(killed?.violation.message).toContain(`npm run sim -- --seed ${killed?.seeds}`);
  },
  120_000,
);
