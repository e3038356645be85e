import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { RULE_QUESTIONS } from '../../../packages/apiserver/test/rig/rules/questions.ts';
import { built, type GoModule, whatBuildingLacks } from '../harness/go-program.ts';

const CEL: GoModule = {
  name: 'cel',
  source: fileURLToPath(new URL('../cel', import.meta.url)),
  packages: { cel: '.' },
};
const FIXTURES = '../../../packages/apiserver/test/api/rules/rules.fixtures.json';

const missing = await whatBuildingLacks(CEL);
if (missing !== undefined) console.warn(`\nSKIPPED: rules of the real validation: ${missing}\n`);

/** One line of JSON for each question. */
async function answers(program: string): Promise<object[]> {
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(
    RULE_QUESTIONS.map(({ schema, object, old }) => `${JSON.stringify({ schema, object, old })}\n`).join(''),
  );
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks)
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
}

describe.skipIf(missing !== undefined)('rules of custom resources', () => {
  // `vitest -u` writes the fixtures anew.
  test('the fixtures are the answers of Kubernetes', { timeout: 1_800_000 }, async () => {
    const found = await answers(join(await built(CEL, console.log), 'cel'));
    const lines = RULE_QUESTIONS.map(({ title }, index) => JSON.stringify({ title, ...found[index] }));
    // The number behind it changes with every compilation.
    const text = `[\n${lines.join(',\n')}\n]\n`.replace(/selfType\d+/g, 'selfType');
    await expect(text).toMatchFileSnapshot(FIXTURES);
  });
});
