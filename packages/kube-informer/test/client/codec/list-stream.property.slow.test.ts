import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeList } from '../../../src/client/codec/list-stream.ts';
import { body, bytes, cutAt, misreadsKeys } from '../rig/bodies.ts';

type Json = Record<string, unknown>;

const string = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('items', 'kind', '"items":[', '\\', '"', '}]', '\u2028', '\uFEFF', '__proto__x'),
);
const key = misreadsKeys ? string.filter((text) => JSON.stringify(text).length === text.length + 2) : string;
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    string,
    fc.double({ noNaN: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
})).value;
const object = fc.dictionary(key, value, { maxKeys: 4 });
/** Items with and without a type of their own. */
const item = fc.oneof(
  object,
  object.map((fields) => ({ ...fields, kind: 'Own', apiVersion: 'own/v1' })),
);
const field = fc.oneof(
  fc.tuple(fc.constantFrom('kind'), fc.constantFrom('PodList', 'List', 'Pods')),
  fc.tuple(fc.constantFrom('apiVersion'), fc.constantFrom('v1', 'apps/v1')),
  fc.tuple(fc.constantFrom('metadata'), object),
  fc.tuple(key, value),
);
const space = fc.constantFrom('', '', '', ' ', '\n', '\t\r\n  ');
const escape = fc.boolean();

/** A list with its keys in any order, white space anywhere and keys spelled in two ways. */
const list = fc
  .record({
    before: fc.uniqueArray(field, { maxLength: 4, selector: ([key]) => key }),
    after: fc.uniqueArray(field, { maxLength: 4, selector: ([key]) => key }),
    items: fc.array(item, { maxLength: 6 }),
    space,
    escape,
    indent: fc.constantFrom(0, 0, 1),
  })
  .map(({ before, after, items, space: gap, escape: isEscaped, indent }) => {
    const member = ([name, content]: readonly [string, unknown]): string =>
      `${gap}${JSON.stringify(name)}${gap}:${gap}${JSON.stringify(content, undefined, indent)}${gap}`;
    const used = new Set(before.map(([key]) => key));
    const rest = after.filter(([key]) => !used.has(key));
    const name = isEscaped ? '"it\\u0065ms"' : '"items"';
    const members = [
      ...before.filter(([key]) => key !== 'items').map(member),
      `${gap}${name}${gap}:${gap}[${gap}${items.map((one) => JSON.stringify(one, undefined, indent)).join(`${gap},${gap}`)}${gap}]${gap}`,
      ...rest.filter(([key]) => key !== 'items').map(member),
    ];
    return `${gap}{${members.join(',')}}${gap}`;
  });

/** What the whole text says, with types filled in as a list of built-in objects needs it. */
function reference(text: string): Json {
  const whole = JSON.parse(text) as Json & { kind?: string; apiVersion?: string; items: Json[] };
  const { kind, apiVersion } = whole;
  if (typeof kind === 'string' && /.List$/s.test(kind) && typeof apiVersion === 'string' && apiVersion !== '') {
    const own = { kind: kind.slice(0, -4), apiVersion };
    for (const one of whole.items) if (!one['kind'] && !one['apiVersion']) Object.assign(one, own);
  }
  return whole;
}

test('F47, F50, STR-09: a list decoded in pieces is the list parsed as a whole, for any content, order, white space and cuts', async () => {
  await fc.assert(
    fc.asyncProperty(list, fc.array(fc.nat(), { maxLength: 12 }), async (text, cuts) => {
      const whole = bytes(text);
      const expected = reference(text);
      const shown: unknown[] = [];
      const decoded = await decodeList<Json>(
        body(
          cutAt(
            whole,
            cuts.map((cut) => cut % (whole.length + 1)),
          ),
        ),
        { onItem: (one) => shown.push(one) },
      );
      expect(decoded).toEqual(expected);
      expect(shown).toEqual(expected['items']);
    }),
    { numRuns: 3_000 },
  );
});

test('F55, F56: text that is no longer JSON is refused or truncated, never read as another list', async () => {
  await fc.assert(
    fc.asyncProperty(
      list,
      fc.nat(),
      fc.constantFrom('', '"', '{', '}', '[', ']', ',', '\\', 'x'),
      async (text, place, instead) => {
        const chars = Array.from(text);
        const changed = chars.with(place % chars.length, instead).join('');
        let expected: Json | undefined;
        try {
          expected = reference(changed);
        } catch {
          expected = undefined;
        }
        const result = await decodeList<Json>(body([changed])).catch(
          (error: unknown) => (error as { code: string }).code,
        );
        if (
          expected === undefined ||
          !Array.isArray(expected['items']) ||
          expected['items'].some((one) => typeof one !== 'object' || one === null || Array.isArray(one))
        ) {
          expect(['LIST_INVALID', 'TRANSPORT']).toContain(result);
        } else expect(result).toEqual(expected);
      },
    ),
    { numRuns: 3_000 },
  );
});
