import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ESTIMATE_QUESTIONS } from '../../../packages/apiserver/test/rig/rules/estimates.ts';
import { RULE_QUESTIONS, type RuleQuestion } from '../../../packages/apiserver/test/rig/rules/questions.ts';
import { built, type GoModule, whatBuildingLacks } from '../harness/go-program.ts';

const CEL: GoModule = {
  name: 'cel',
  source: fileURLToPath(new URL('../cel', import.meta.url)),
  packages: { cel: '.' },
};
const fixturesFile = (name: string): string =>
  fileURLToPath(new URL(`../../../packages/apiserver/test/api/rules/${name}.fixtures.json`, import.meta.url));
const TAKES = 30;

const missing = await whatBuildingLacks(CEL);
if (missing !== undefined) console.warn(`\nSKIPPED: rules of the real validation: ${missing}\n`);

/** One line of JSON for each question. */
async function answers(program: string, questions: readonly RuleQuestion[]): Promise<object[]> {
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(
    questions
      .map(({ schema, object, old, estimate }) => `${JSON.stringify({ schema, object, old, estimate })}\n`)
      .join(''),
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
async function lines(program: string, questions: readonly RuleQuestion[]): Promise<string[]> {
  const found = await answers(program, questions);
  return questions.map(({ title }, index) =>
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
  for (const [name, questions] of [
    ['rules', RULE_QUESTIONS],
    ['estimates', ESTIMATE_QUESTIONS],
  ] as const)
    test(`the fixtures are the answers of Kubernetes: ${name}`, { timeout: 1_800_000 }, async () => {
      const [program, file] = [join(await built(CEL, console.log), 'cel'), fixturesFile(name)];
      if (process.env['FIXTURES'] === 'write')
        await writeFile(file, `[\n${(await lines(program, questions)).join(',\n')}\n]\n`);
      const kept = (JSON.parse(await readFile(file, 'utf8')) as Answer[]).map((answer) => JSON.stringify(answer));
      expect(kept).toHaveLength(questions.length);
      // What it costs to look for something in a map depends on that order: the kept answer is one of those that Go gives.
      let open = kept;
      for (let take = 0; take < TAKES && open.length > 0; take += 1) {
        const given = new Set((await lines(program, questions)).map(comparable));
        open = open.filter((answer) => !given.has(comparable(answer)));
      }
      expect(open).toEqual([]);
    });
});
