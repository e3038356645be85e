import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
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
const FIXTURES = fileURLToPath(
  new URL('../../../packages/apiserver/test/api/rules/rules.fixtures.json', import.meta.url),
);
const TAKES = 30;

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

interface Answer {
  readonly title: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}

/** The answers to all questions, one line each. The number behind `selfType` changes with every compilation. */
async function lines(program: string): Promise<string[]> {
  const found = await answers(program);
  return RULE_QUESTIONS.map(({ title }, index) =>
    JSON.stringify({ title, ...found[index] }).replace(/selfType\d+/g, 'selfType'),
  );
}

/** Go visits maps in any order: errors come in any order, too. */
function comparable(line: string): string {
  const { errors = [], ...rest } = JSON.parse(line) as Answer;
  return JSON.stringify({ ...rest, errors: errors.map((error) => JSON.stringify(error)).sort() });
}

describe.skipIf(missing !== undefined)('rules of custom resources', () => {
  // FIXTURES=write writes them anew.
  test('the fixtures are the answers of Kubernetes', { timeout: 1_800_000 }, async () => {
    const program = join(await built(CEL, console.log), 'cel');
    if (process.env['FIXTURES'] === 'write') await writeFile(FIXTURES, `[\n${(await lines(program)).join(',\n')}\n]\n`);
    const kept = (JSON.parse(await readFile(FIXTURES, 'utf8')) as Answer[]).map((answer) => JSON.stringify(answer));
    expect(kept).toHaveLength(RULE_QUESTIONS.length);
    // What it costs to look for something in a map depends on that order: the kept answer is one of those that Go gives.
    let open = kept;
    for (let take = 0; take < TAKES && open.length > 0; take += 1) {
      const given = new Set((await lines(program)).map(comparable));
      open = open.filter((answer) => !given.has(comparable(answer)));
    }
    expect(open).toEqual([]);
  });
});
