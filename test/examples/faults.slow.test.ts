import { expect } from 'vitest';
import { example, run } from './rig.ts';

// Slow because its backoffs are real ones.
example(
  'testing/faults.ts',
  'needs nothing at all',
  async () => {
    const printed = await run('examples/testing/faults.ts').ended();
    expect(printed.match(/^ok: /gm)).toHaveLength(6);
    expect(printed).not.toMatch('WRONG');
  },
  360_000,
);
