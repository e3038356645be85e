import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readPlainYaml } from '../../../src/client/config/plain-yaml.ts';
import { parseSafeYaml, parseSafeYamlFully } from '../../../src/client/config/safe-yaml.ts';
import { WRITERS } from '../rig/kubeconfigs.ts';

describe('D7: a kubeconfig as tools write it is read without the parser, to the same value', () => {
  test.each(Object.entries(WRITERS))('%s', async (_, text) => {
    const value = readPlainYaml(text);
    expect(value).toBeInstanceOf(Map);
    expect(value).toStrictEqual(await parseSafeYamlFully(text, 'the file'));
  });
});

describe('D7: what might mean something else is left to the parser', () => {
  test.each<[string, string]>([
    ['nothing', ''],
    ['a text', 'a'],
    ['an anchor', 'a: &a b'],
    ['an alias', 'a: *a'],
    ['a tag', 'a: !!str b'],
    ['a merge key', 'a:\n  <<: b'],
    ['a flow collection', 'a: {b: c}'],
    ['two documents', 'a: b\n---\nc: d'],
    ['the end of a document', 'a: b\n...'],
    ['a duplicate key', 'a: 1\na: 2'],
    ['a duplicate key of JSON', '{"a": 1, "a": 2}'],
    ['a key that is a number', '1: a'],
    ['a key that is null', 'null: a'],
    ['numbers in other forms', 'a: 0x1f'],
    ['a fraction', 'a: 1.5'],
    ['an exponent', 'a: 1e3'],
    ['infinity', 'a: -.inf'],
    ['null in other letters', 'a: ~'],
    ['true in other letters', 'a: True'],
    ['an escape by number', 'a: "\\x41"'],
    ['a tab', 'a:\tb'],
    ['a return', 'a: b\r\n'],
    ['a return of JSON', '{}\n\r'],
    ['a mark of a document that is indented', ' ---\na: b'],
    ['odd indentation', 'a:\n    b: c\n  d: e'],
    ['a folded text', 'a: >\n  b\nc: d'],
    ['a blank line inside a text', 'a: b\n\n  c'],
    ['a text of several lines with a comment', 'a: b # c\n  d'],
    ['a key with 300 letters', `${'a'.repeat(300)}: b`],
    ['many levels', Array.from({ length: 20 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    ['many levels of JSON', `{"a": ${'['.repeat(40)}${']'.repeat(40)}}`],
    ['many lines', Array.from({ length: 8_001 }, (_, i) => `k${i}: v`).join('\n')],
    ['a large JSON', `{"a": [${'1,'.repeat(30_000)}1]}`],
  ])('%s', (_, text) => {
    expect(readPlainYaml(text)).toBeUndefined();
  });
});

test('S12: what is read without the parser is within the limits of the parser: levels and tokens', async () => {
  const nested = (levels: number): string =>
    ['a:', ...Array.from({ length: levels }, (_, i) => `${'   '.repeat(i + 1)}- abc:`)].join('\n');
  const depths = Array.from({ length: 30 }, (_, i) => nested(i)).filter((text) => readPlainYaml(text) !== undefined);
  expect(depths.length).toBeGreaterThan(6);
  const long = `a:\n${"  - key: 'value' # c\n".repeat(7_990)}`;
  for (const text of [...depths, long])
    expect(readPlainYaml(text)).toStrictEqual(await parseSafeYamlFully(text, 'the file'));
});

test('S13: a key called __proto__ is data in a Map, in YAML and in JSON', () => {
  for (const text of ['__proto__:\n  polluted: true', '{"__proto__": {"polluted": true}}'])
    expect(readPlainYaml(text)).toEqual(new Map([['__proto__', new Map([['polluted', true]])]]));
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test('D7: a plain kubeconfig does not load the parser, and another one does', async () => {
  const source = new URL('../../../src/client/connect/resolve-connection.ts', import.meta.url).href;
  const script = `
    import { register } from 'node:module';
    register('data:text/javascript,' + encodeURIComponent(\`
      export function resolve(name, context, next) {
        if (name === 'yaml') throw new Error('the parser was loaded');
        return next(name, context);
      }\`));
    const { resolveConnection } = await import(${JSON.stringify(source)});
    const connect = (kubeconfig) => resolveConnection({ kubeconfig }).then(() => 'connected', (error) => error.message);
    const [plain, other] = JSON.parse(process.argv[1]);
    console.log(JSON.stringify([await connect(plain), await connect(other)]));
    process.exit();`;
  const plain = `apiVersion: v1
clusters:
- cluster:
    server: https://127.0.0.1:6443
  name: one
contexts:
- context:
    cluster: one
    user: me
  name: one
current-context: one
kind: Config
preferences: {}
users:
- name: me
  user:
    token: t
`;
  const flags = ['--import', 'tsx', '--conditions=@kube-informer/source', '--input-type=module', '-e', script];
  const cwd = fileURLToPath(new URL('../../..', import.meta.url));
  const texts = JSON.stringify([plain, plain.replace('name: me', 'name: &me me')]);
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, texts], { cwd });
  expect(JSON.parse(stdout)).toEqual(['connected', 'the parser was loaded']);
  await expect(parseSafeYaml('a: &a b', 'the file')).resolves.toEqual(new Map([['a', 'b']]));
});
