import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { definitionSchemaErrors } from '../../../src/api/kinds/definition/definition-schema.ts';
import { loadRules } from '../../../src/api/rules/load-rules.ts';
import { evaluateRules } from '../../../src/api/rules/evaluate-rules.ts';
import { schemaFrom } from '../../../src/api/schema/schema-from.ts';
import type { FieldError } from '../../../src/core/field-error.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { ApiObject } from '../../../src/core/kube-object.ts';
import { Work } from '../../../src/core/work.ts';
import { RULE_QUESTIONS, type RuleQuestion } from '../../rig/rules/questions.ts';

interface Fault {
  readonly field: string;
  readonly message: string;
}

/** The responses of Kubernetes; made by test/real/apiserver/rules.test.ts. */
interface Truth {
  readonly title: string;
  readonly definition: readonly Fault[];
  readonly errors: readonly Fault[];
  readonly warnings: readonly string[];
  readonly cost: number;
}

const TRUTH = JSON.parse(readFileSync(new URL('rules.fixtures.json', import.meta.url), 'utf8')) as readonly Truth[];

/** Expressions about which this server says something else, and why. */
const RECOVERY = 'the real parser recovers, and adds messages about the rest';
const DIFFERENT: ReadonlyMap<string, string> = new Map([
  ...['-', '{:1}', '1 ? : 2', '? 1 : 2', 'self.count ++', 'self.?', 'in', 'in == 1', 'self.in == 1'].map((text): [string, string] => [text, RECOVERY]),
  ['dyn(self.when).startsWith(dyn(self.wait))', 'names the types of the arguments'],
  ['! ', 'another word for the end that is missing'],
]); // prettier-ignore

/** The number behind it changes with every compilation. */
const lines = (faults: readonly (Fault | FieldError)[]): string[] =>
  faults.map(({ field, message }) => `${field}: ${message}`.replace(/selfType\d+/g, 'selfType')).toSorted();

const answer = ({ schema, object, old }: RuleQuestion): ReturnType<typeof evaluateRules> =>
  evaluateRules(object as ApiObject, schemaFrom(schema as JsonObject), old as ApiObject | undefined);

beforeAll(loadRules);

describe('rules answer as Kubernetes does', () => {
  test('there is an answer to every question', () => {
    expect(RULE_QUESTIONS.map(({ title }) => title)).toEqual(TRUTH.map(({ title }) => title));
    expect([...DIFFERENT.keys()].filter((title) => !TRUTH.some((one) => one.title === title))).toEqual([]);
  });

  for (const [index, question] of RULE_QUESTIONS.entries()) {
    const truth = TRUTH[index] as Truth;
    const { title } = question;
    const why = DIFFERENT.get(title);
    if (why !== undefined) {
      test(`${title}: ${why}`, () => {
        expect(lines(answer(question).errors)).not.toEqual(lines(truth.errors));
      });
      continue;
    }
    test(title, () => {
      const { errors, warnings } = answer(question);
      expect(lines(errors)).toEqual(lines(truth.errors));
      expect([...warnings].toSorted()).toEqual([...truth.warnings].toSorted());
      const path = 'spec.validation.openAPIV3Schema';
      const definition = definitionSchemaErrors(question.schema as never, path, new Work('the definition'));
      expect(lines(definition)).toEqual(lines(truth.definition));
    });
  }

  test('the cost is that of the real server', () => {
    const wrong = RULE_QUESTIONS.filter((question, index) => answer(question).cost !== TRUTH[index]?.cost);
    expect(wrong.map(({ title }) => title)).toEqual([]);
  });
});
