import { expect, test } from 'vitest';
import { parseFieldSelector } from '../../src/api/meta/field-selector.ts';
import { parseLabelSelector } from '../../src/api/meta/label-selector.ts';
import { applySchemaDefaults } from '../../src/api/schema/apply-defaults.ts';
import { schemaFrom } from '../../src/api/schema/schema-from.ts';
import { printerColumnsFormat } from '../../src/api/table/printer-columns.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { decodeRequestBody } from '../../src/http/message/request-body.ts';
import { startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const data = (count: number): JsonObject => Object.fromEntries(many(count, (at) => [`k${at}`, '']));
const tooMuch = expect.objectContaining({ status: expect.objectContaining({ code: 413 }) });

/** What a function throws. */
function refusal(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

test('S94: a body of tiny values is refused by their number, in a create, a patch and an apply', async () => {
  await using server = await startApiServer({ tls: false });
  const [few, lots] = [data(10), data(100_001)];
  expect((await ask(server, 'POST', CONFIG_MAPS, { body: { metadata: { name: 'a' }, data: few } })).status).toBe(201);
  const created = await ask(server, 'POST', CONFIG_MAPS, { body: { metadata: { name: 'b' }, data: lots } });
  expect([created.status, created.text]).toEqual([
    413,
    expect.stringContaining('the body takes more than 100000 steps'),
  ]);
  for (const type of ['application/merge-patch+json', 'application/apply-patch+yaml']) {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: lots };
    const headers = { 'content-type': type };
    expect((await ask(server, 'PATCH', `${CONFIG_MAPS}/a?fieldManager=m`, { body, headers })).status).toBe(413);
  }
});

test('S110: a protobuf body of tiny values is refused while it is read, before its objects fill the memory', async () => {
  const field = (number: number, content: Buffer): Buffer => {
    const { length } = content;
    const size = [(length & 127) | 128, ((length >> 7) & 127) | 128, length >> 14];
    return Buffer.concat([Buffer.from([number * 8 + 2, ...size]), content]);
  };
  const type = Buffer.concat([field(1, Buffer.from('v1')), field(2, Buffer.from('Pod'))]);
  const read = (spec: Buffer): Promise<unknown> =>
    decodeRequestBody(
      Buffer.concat([Buffer.from('k8s\0'), field(1, type), field(2, field(2, spec))]),
      'application/vnd.kubernetes.protobuf',
      { group: '', version: 'v1', kind: 'Pod' },
    );
  const containers = (count: number): Buffer => Buffer.from(many(count, () => '\u0012\0').join(''), 'latin1');
  const groups = (count: number): Buffer => field(14, field(4, Buffer.alloc(count, 1)));
  await expect(read(containers(10))).resolves.toMatchObject({ value: { spec: { containers: { length: 10 } } } });
  for (const spec of [containers(100_001), groups(100_001)])
    await expect(read(spec)).rejects.toMatchObject({ status: { code: 413 } });
  await expect(read(field(14, field(4, Buffer.alloc(200_000, 0x80))))).rejects.toMatchObject({ status: { code: 400 } });
});

test('S95: a selector may name any number of values, and a bounded number of requirements', () => {
  const values = many(50_000, (at) => `v${at}`);
  const selector = parseLabelSelector(`k in (${values.join(',')})`);
  expect([selector.matches({ k: 'v49999' }), selector.matches({ k: 'x' })]).toEqual([true, false]);
  const requirements = (count: number): string => many(count, (at) => `!k${at}`).join(',');
  expect(parseLabelSelector(requirements(200)).matches({})).toBe(true);
  expect(refusal(() => parseLabelSelector(requirements(201)))).toEqual(tooMuch);

  const lookup = { reader: () => () => 'x', unsupported: () => '' } as unknown as Parameters<
    typeof parseFieldSelector
  >[1];
  const terms = (count: number): string => many(count, (at) => `metadata.name!=k${at}`).join(',');
  expect(parseFieldSelector(terms(200), lookup).matches({} as never)).toBe(true);
  expect(refusal(() => parseFieldSelector(terms(201), lookup))).toEqual(tooMuch);
});

test('S96: a list of empty items cannot ask for more defaults than a body may be long', () => {
  const item = Object.fromEntries(many(100, (at) => [`p${at}`, { type: 'string', default: 'x'.repeat(500) }]));
  const schema = schemaFrom({
    type: 'object',
    properties: { items: { type: 'array', items: { type: 'object', properties: item } } },
  });
  const withItems = (count: number): JsonObject => ({ items: many(count, () => ({})) });
  const [first] = applySchemaDefaults(withItems(50) as never, schema)['items'] as JsonObject[];
  expect(first?.['p99']).toHaveLength(500);
  expect(refusal(() => applySchemaDefaults(withItems(100) as never, schema))).toEqual(tooMuch);
});

test('S97: the columns of a row look at a bounded number of values; the others are empty', () => {
  const column = (name: string, jsonPath: string): { name: string; type: string; jsonPath: string } => ({
    name,
    type: 'string',
    jsonPath,
  });
  const format = printerColumnsFormat([
    column('first', '.spec.first'),
    ...many(5, (at) => column(`everything${at}`, '.spec..a')),
    column('last', '.spec.first'),
  ]);
  const spec = (count: number): JsonObject => ({ first: 'x', list: many(count, () => ({ a: 'y' })) });
  expect(format.cells({ metadata: { name: 'n' }, spec: spec(10) } as never, 0)).toEqual([
    'n',
    'x',
    ...many(5, () => 'y'),
    'x',
  ]);
  const large = format.cells({ metadata: { name: 'n' }, spec: spec(1_000) } as never, 0);
  expect(large.slice(0, 3)).toEqual(['n', 'x', 'y']);
  expect(large.at(-1)).toBeNull();
});
