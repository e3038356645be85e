import { expect, test } from 'vitest';
import { expectFailure } from '../../rig/failures.ts';
import { type Fixture, ok, widgetCrd } from '../../rig/fixture.ts';
import { until } from '../../rig/target.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const rules = (...list: object[]): object => ({ 'x-kubernetes-validations': list });

/** A definition of a kind with these fields in its spec. */
function definition(f: Fixture, plural: string, kind: string, spec: object): ReturnType<typeof widgetCrd> {
  const crd = widgetCrd(f.group, plural, kind);
  const status = { type: 'object', properties: { phase: { type: 'string', maxLength: 20 } } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec, status } } };
  const own = { versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema }] };
  return { ...crd, spec: { ...crd.spec, ...own } };
}

/** `x-kubernetes-validations`; the language itself is compared by its own vectors. */
export function ruleCases(fixture: () => Fixture): void {
  const whole = { type: 'integer' };

  test('point (v): an object that breaks rules is refused, with the message of each', async () => {
    const f = fixture();
    const { name } = await f.space();
    const spec = {
      type: 'object',
      properties: {
        min: { ...whole, ...rules({ rule: 'self >= 0' }) },
        max: whole,
        port: { 'x-kubernetes-int-or-string': true },
      },
      ...rules(
        { rule: '!has(self.max) || self.min <= self.max', message: 'min is above max', fieldPath: '.min' },
        { rule: 'self.min != 3', messageExpression: "self.max == 1 ? 'min is 3' : 'x'", reason: 'FieldValueForbidden' },
        { rule: '!has(self.port) || self.port > 5' },
      ),
    };
    await f.createCrd(definition(f, 'ruled', 'Ruled', spec));
    const path = `/apis/${f.group}/v1/namespaces/${name}/ruled`;
    const body = (given: object) => ({
      apiVersion: `${f.group}/v1`,
      kind: 'Ruled',
      metadata: { name: 'a' },
      spec: given,
    });
    const post = (given: object) => f.http.ask('POST', path, { body: body(given) });
    expectFailure(await post({ min: 3, max: 1, port: 'http' }), 422, 'Invalid', {
      details: {
        name: 'a',
        group: f.group,
        kind: 'Ruled',
        causes: [
          { reason: 'FieldValueInvalid', field: 'spec.min', message: 'Invalid value: min is above max' },
          { reason: 'FieldValueForbidden', field: 'spec', message: 'Forbidden: min is 3' },
          {
            reason: 'FieldValueInvalid',
            field: 'spec',
            message:
              'Invalid value: "object": \'no such overload\': call arguments did not match a supported operator, function or macro signature for rule: !has(self.port) || self.port > 5',
          },
        ],
      },
    });
    expectFailure(await post({ min: -1 }), 422, 'Invalid', {
      message: `Ruled.${f.group} "a" is invalid: spec.min: Invalid value: -1: failed rule: self >= 0`,
    });
    ok(await post({ min: 1, max: 2, port: 8080 }), 201);
  });

  test('point (v2): rules are not evaluated for values of wrong types', async () => {
    const f = fixture();
    const { name } = await f.space();
    const spec = { type: 'object', properties: { a: whole }, ...rules({ rule: 'self.a > 5' }) };
    await f.createCrd(definition(f, 'typed', 'Typed', spec));
    const path = `/apis/${f.group}/v1/namespaces/${name}/typed`;
    const body = { apiVersion: `${f.group}/v1`, kind: 'Typed', metadata: { name: 'a' }, spec: { a: 'x' } };
    expectFailure(await f.http.ask('POST', path, { body }), 422, 'Invalid', {
      causes: [
        { reason: 'FieldValueTypeInvalid', field: 'spec.a' },
        {
          reason: 'FieldValueInvalid',
          field: '<nil>',
          message:
            'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
        },
      ],
    });
  });

  test('point (v3): rules about a change, and old values that stay allowed with a warning', async () => {
    const f = fixture();
    const { name } = await f.space();
    const fields = {
      fixed: { ...whole, ...rules({ rule: 'self == oldSelf', message: 'is fixed' }) },
      a: whole,
      b: whole,
    };
    const plain = { type: 'object', properties: fields };
    const crd = definition(f, 'changing', 'Changing', plain);
    await f.createCrd(crd);
    const path = `/apis/${f.group}/v1/namespaces/${name}/changing`;
    const body = {
      apiVersion: `${f.group}/v1`,
      kind: 'Changing',
      metadata: { name: 'a' },
      spec: { fixed: 1, a: 1, b: 1 },
    };
    await f.create(path, body);
    expectFailure(await f.patch('merge', `${path}/a`, { spec: { fixed: 2 } }), 422, 'Invalid', {
      message: `Changing.${f.group} "a" is invalid: spec.fixed: Invalid value: 2: is fixed`,
    });
    // The rule comes later: the value that breaks it may stay, but not change to another one that breaks it.
    const stricter = { ...fields, a: { ...whole, ...rules({ rule: 'self > 5' }) } };
    const next = definition(f, 'changing', 'Changing', { type: 'object', properties: stricter });
    const { spec } = next as unknown as { spec: object };
    await f.merge(`${DEFINITIONS}/changing.${f.group}`, { spec });
    const fresh = { body: { ...body, metadata: { name: 'b' } }, query: { dryRun: 'All' } };
    await until('the new rule is in force', async () => (await f.http.ask('POST', path, fresh)).status === 422);
    const kept = await f.patch('merge', `${path}/a`, { spec: { b: 2 } });
    expect(kept.status).toBe(200);
    expect(kept.headers['warning']).toContain('spec.a: Invalid value: 1: failed rule: self > 5');
    expectFailure(await f.patch('merge', `${path}/a`, { spec: { a: 2 } }), 422, 'Invalid');
    ok(await f.patch('merge', `${path}/a/status`, { status: { phase: 'x' } }));
  });

  test('point (v4): a definition with rules that do not compile is refused', async () => {
    const f = fixture();
    const spec = {
      type: 'object',
      properties: {
        a: whole,
        l: { type: 'array', maxItems: 5, items: { ...whole, ...rules({ rule: 'self == oldSelf' }) } },
      },
      ...rules({ rule: 'self.a > "x"' }, { rule: 'self.a', message: 'm' }, { rule: 'true', messageExpression: '1' }),
    };
    const answer = await f.http.ask('POST', DEFINITIONS, { body: definition(f, 'broken', 'Broken', spec) });
    const at = 'spec.validation.openAPIV3Schema.properties[spec]';
    const struct = (rule: string, more = '') =>
      `{"Rule":${JSON.stringify(rule).replaceAll('>', '\\u003e')},"Message":"${more}","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}`;
    expectFailure(answer, 422, 'Invalid');
    const causes = answer.body.details.causes.toSorted((a, b) => (`${a.field}` < `${b.field}` ? -1 : 1));
    expect(causes).toEqual([
      expect.objectContaining({
        field: `${at}.properties[l].items.x-kubernetes-validations[0].rule`,
        message: `Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${at}.properties[l]`,
      }),
      expect.objectContaining({
        field: `${at}.x-kubernetes-validations[0].rule`,
        message: `Invalid value: ${struct('self.a > "x"')}: compilation failed: ERROR: <input>:1:8: found no matching overload for '_>_' applied to '(int, string)'\n | self.a > "x"\n | .......^`,
      }),
      expect.objectContaining({
        field: `${at}.x-kubernetes-validations[1].rule`,
        message: `Invalid value: ${struct('self.a', 'm')}: cel expression must evaluate to a bool`,
      }),
      expect.objectContaining({ field: `${at}.x-kubernetes-validations[2].messageExpression` }),
    ]);
  });

  test('point (v5): a definition with rules that could cost too much is refused, until its lists have bounds', async () => {
    const f = fixture();
    const text = { type: 'string', maxLength: 10 };
    const spec = (bounds: object) => ({
      type: 'object',
      properties: { l: { type: 'array', items: text, ...bounds }, s: { type: 'string', maxLength: 8000 } },
      ...rules(
        { rule: 'self.l.all(x, self.l.exists(y, x == y))', messageExpression: "self.l.map(x, x + x).join(', ')" },
        { rule: 'self.s.contains(self.s)' },
        { rule: 'self.l.size() < 5' },
      ),
    });
    const ask = (bounds: object) =>
      f.http.ask('POST', DEFINITIONS, { body: definition(f, 'costly', 'Costly', spec(bounds)) });
    const at = 'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations';
    const exceeds = (what: string, factor: string) =>
      `Forbidden: ${what} exceeds budget by factor of ${factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
    const part = 'Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const total = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    const answer = await ask({});
    expectFailure(answer, 422, 'Invalid');
    const causes = answer.body.details.causes.map(({ field, message }) => `${field}: ${message}`);
    expect(causes.toSorted()).toEqual(
      [
        `${at}[0].rule: ${exceeds('estimated rule cost', 'more than 100x')}`,
        `${at}[0].messageExpression: ${exceeds('estimated messageExpression cost', 'more than 100x')}`,
        `${at}[1].rule: ${exceeds('estimated rule cost', '1.024000x')}`,
        `${at}[0].rule: ${part}`,
        `${at}[0].messageExpression: ${part}`,
        `${at}[1].rule: ${part}`,
        `spec.validation.openAPIV3Schema: ${exceeds(total, 'more than 100x')}`,
      ].toSorted(),
    );
    const bounded = await ask({ maxItems: 10 });
    expectFailure(bounded, 422, 'Invalid');
    expect(bounded.body.details.causes.map(({ field }) => field)).toEqual([`${at}[1].rule`]);
  });

  test('point (v6): an expression that cannot be parsed is refused, with the place of every fault', async () => {
    const f = fixture();
    const faults: Record<string, string> = {
      "self.s == 'a": "ERROR: <input>:1:11: Syntax error: token recognition error at: ''a'",
      'self.s == "\\q"': "ERROR: <input>:1:11: Syntax error: token recognition error at: '\"\\q'",
      'self.s.matches("(")': 'ERROR: <input>:1:16: invalid matches argument',
      'self.s.find("(") == ""': 'program instantiation failed: error parsing regexp: missing closing ): `(`',
      '"%d".format([self.s]) == ""':
        'ERROR: <input>:1:18: error during formatting: decimal clause can only be used on integers, was given string',
      'self.s in [1': "ERROR: <input>:1:13: Syntax error: mismatched input '<EOF>' expecting {']', ','}",
      "duration('1x') > duration('1s')": 'ERROR: <input>:1:10: invalid duration argument',
      "authorizer.path('/').check('get').allowed()":
        "ERROR: <input>:1:1: undeclared reference to 'authorizer' (in container '')",
    };
    for (const [rule, fault] of Object.entries(faults)) {
      const spec = { type: 'object', properties: { s: { type: 'string', maxLength: 10 } }, ...rules({ rule }) };
      const answer = await f.http.ask('POST', DEFINITIONS, { body: definition(f, 'faulty', 'Faulty', spec) });
      expectFailure(answer, 422, 'Invalid');
      expect(answer.body.details.causes, rule).toHaveLength(1);
      expect(answer.body.details.causes[0]?.message, rule).toContain(fault);
    }
  });
}
