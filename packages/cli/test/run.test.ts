import { expect, test } from 'vitest';
import { COMMANDS } from '../src/commands/index.ts';
import { run } from '../src/run.ts';
import { fakeHost } from './rigs/fake-host.ts';

const typed = (...args: string[]) => typedWith({}, ...args);

async function typedWith(environment: Readonly<Record<string, string>>, ...args: string[]) {
  const host = fakeHost({ environment: { HOME: '/nonexistent', ...environment } });
  const code = await run(args, host);
  return { code, out: host.stdout.text, error: host.stderr.text };
}

test.each([
  [['wach'], 'there is no command "wach"; did you mean watch?'],
  [['foo'], 'there is no command "foo"\n'],
  [['tpo'], 'there is no command "tpo"\n'],
  [['gett'], 'there is no command "gett"; did you mean get?'],
  [['gen'], 'there is no command "gen"; did you mean generate-types?'],
  [['--namespace', 'x'], 'expected a command before "--namespace"'],
  [['watch'], 'something is missing: kube-informer watch <resource> [options]'],
  [['watch', 'pods', 'nodes'], '"nodes" is one word too many'],
  [['watch', 'pods', '--namespce', 'x'], 'there is no option "--namespce"; did you mean --namespace?'],
  [['watch', 'pods', '-o', 'csv'], '--output: expected table, json, yaml, name, events, got "csv"'],
  [['get', 'pods', '-o', 'events'], '--output: expected table, json, yaml, name, got "events"'],
  [['get', 'pods', '-n'], "Option '-n, --namespace <value>' argument missing"],
  [['serve', '--port', '99999'], '--port: expected a whole number from 0 to 65535, got "99999"'],
  [['serve', '--faults', 'all'], '--faults: expected flaky-network, overload, old-server, got "all"'],
  [['generate-types'], '--out is missing: where should the files go?'],
  [['diff', 'pods'], 'expected resource/name: diff follows one object'],
  [['verify', 'pods', '--after', '-1'], '--after'],
  [['evil\u001b]0;x\u0007'], 'there is no command "evil\\\\x1b]0;x\\\\x07"'],
])('%j is refused with exit code 2 and a sentence', async (args, sentence) => {
  const { code, out, error } = await typed(...args);
  expect(error).toContain(sentence);
  expect([code, out]).toEqual([2, '']);
  expect(error).toMatch(/--help says more\n$/);
});

test('without a cluster a command ends with 1 and says where it looked', async () => {
  const { code, error } = await typed('get', 'pods');
  expect(code).toBe(1);
  expect(error).toMatch(/^kube-informer: no cluster is configured \(KUBECONFIG: not set; .*home/);
});

test.each(['serve', 'demo'])('%s does not start in production, and says what would start it', async (name) => {
  const { code, out, error } = await typedWith({ NODE_ENV: 'production' }, name);
  expect([code, out]).toEqual([2, '']);
  expect(error).toContain('NODE_ENV is production');
  expect(error).toContain('--force starts it all the same');
});

test('help is fine, nothing at all is a mistake, and both say what there is', async () => {
  const [help, nothing] = [await typed('--help'), await typed()];
  expect([help.code, nothing.code]).toEqual([0, 2]);
  for (const { name } of COMMANDS) expect(help.out).toContain(`  ${name} `);
  expect(nothing.out).toBe(help.out);
});

test.each(COMMANDS.map(({ name }) => name))('%s explains itself with examples that name it', async (name) => {
  const { code, out } = await typed(name, '--help');
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`Usage:\n  kube-informer ${name}`));
  expect(out).toMatch(new RegExp(`Examples:\n  kube-informer ${name}`));
  expect(await typed('help', name)).toEqual({ code: 0, out, error: '' });
});

test('the version is that of the package', async () => {
  expect(await typed('--version')).toEqual({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), error: '' });
});
