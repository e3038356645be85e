import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { whatGoLacks } from '../../differential/go-client.ts';
import { Differential } from '../../differential/index.ts';
import { scripts } from '../../differential/scripts/index.ts';
import { isLost, type Result } from '../../differential/verdict.ts';

const missing = await whatGoLacks();
if (missing !== undefined) console.warn(`\nSKIPPED: the differential test against client-go: ${missing}\n`);

/** File for the results, for tools/evidence/evidence.mjs; not written by default. */
const RESULTS = process.env['DIFFERENTIAL_RESULTS'];

describe.skipIf(missing !== undefined)('ours and client-go in the same scripts', () => {
  let all: Differential;
  beforeAll(async () => {
    all = await Differential.start(scripts, (line) => console.log(line));
  }, 600_000);
  afterAll(async () => {
    if (RESULTS !== undefined) await all?.write(RESULTS);
    await all?.[Symbol.asyncDispose]();
  }, 240_000);

  const titles = scripts.map(({ name, faults, title }) => ({
    name,
    title: `${faults.length === 0 ? '' : `${faults.join(', ')}: `}${title} (${name})`,
  }));
  test.each(titles)('$title', async ({ name }) => {
    const result = await all.result(name);
    expect(result.complaints, explained(result)).toEqual([]);
  });

  test('all scripts together: ours sends no more than client-go and a tenth', async () => {
    const results = await Promise.all(scripts.map(({ name }) => all.result(name)));
    const fair = results.filter(({ breaks }) => !isLost(breaks));
    const sum = (of: (result: Result) => number): number => fair.reduce((total, result) => total + of(result), 0);
    expect(sum(({ ours }) => ours.requests)).toBeLessThanOrEqual(sum(({ clientGo }) => clientGo.requests) * 1.1);
  });
});

function explained({ ours, clientGo }: Result): string {
  const lines = (name: string, { asked, lines: received, errors }: Result['ours']): string[] =>
    [...asked, ...received, ...errors].slice(0, 60).map((line) => `${name}: ${line.slice(0, 200)}`);
  return [...lines('ours', ours), ...lines('client-go', clientGo)].join('\n');
}
