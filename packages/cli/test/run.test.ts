import { expect, test } from 'vitest';
import { COMMANDS } from '../src/commands/all-commands.ts';
import { run } from '../src/run.ts';
import { fakeHost } from './rigs/fake-host.ts';

const typed = (...args: string[]) => typedWith({}, ...args);

async function typedWith(environment: Readonly<Record<string, string>>, ...args: string[]) {
  const host = fakeHost({ environment: { HOME: '/nonexistent', ...environment } });
  const code = await run(args, host);
  return { code, out: host.stdout.text, error: host.stderr.text };
}

test.each([
  [['wach'], 'unknown command "wach"; did you mean watch?'],
  [['foo'], 'unknown command "foo"\n'],
  [['tpo'], 'unknown command "tpo"\n'],
  [['gett'], 'unknown command "gett"; did you mean get?'],
  [['gen'], 'unknown command "gen"; did you mean generate-types?'],
  [['--namespace', 'x'], 'expected a command before option "--namespace"'],
  [['watch'], 'missing argument <resource>. Usage: kube-informer watch <resource>[,resource …] [options]'],
  [['watch', 'pods', 'nodes'], 'unexpected argument "nodes". Usage: '],
  [['watch', 'pods', '--namespce', 'x'], 'unknown option "--namespce"; did you mean --namespace?'],
  [
    ['watch', 'pods', '-o', 'csv'],
    '--output: expected table, wide, json, yaml, name, events, jsonpath=, custom-columns=, got "csv"',
  ],
  [
    ['get', 'pods', '-o', 'events'],
    '--output: expected table, wide, json, yaml, name, jsonpath=, custom-columns=, got "events"',
  ],
  [['get', 'pods', '-n'], "Option '-n, --namespace <value>' argument missing"],
  [['serve', '--port', '99999'], '--port: expected a whole number from 0 to 65535, got "99999"'],
  [['serve', 'go', 'test'], 'unexpected argument "go"; to run a command, add --exec before --'],
  [['serve', '--exec'], '--exec: expected a command after --: kube-informer serve --exec -- go test ./...'],
  [['serve', '--faults', 'all'], '--faults: expected flaky-network, overload, old-server, got "all"'],
  [['generate-types'], 'missing option --out <folder>'],
  [['diff', 'pods'], 'expected <resource>/<name>: diff works on one object'],
  [['verify', 'pods', '--after', '-1'], '--after'],
  [['evil\u001b]0;x\u0007'], 'unknown command "evil\\\\x1b]0;x\\\\x07"'],
])('%j is rejected with exit code 2 and a message', async (args, sentence) => {
  const { code, out, error } = await typed(...args);
  expect(error).toContain(sentence);
  expect([code, out]).toEqual([2, '']);
  expect(error).toMatch(/ {2}See kube-informer .*--help\n$/);
});

test('without a cluster a command exits with 1 and lists the places it searched', async () => {
  const { code, error } = await typed('get', 'pods');
  expect(code).toBe(1);
  expect(error).toMatch(/^kube-informer: no cluster is configured \(KUBECONFIG: not set; .*home/);
});

test.each(['serve', 'demo'])('%s does not start in production, and mentions --force', async (name) => {
  const { code, out, error } = await typedWith({ NODE_ENV: 'production' }, name);
  expect([code, out]).toEqual([2, '']);
  expect(error).toContain('NODE_ENV is production');
  expect(error).toContain('use --force to start it anyway');
});

test('--help exits with 0, no arguments with 2, and both list the commands', async () => {
  const [help, nothing] = [await typed('--help'), await typed()];
  expect([help.code, nothing.code]).toEqual([0, 2]);
  for (const { name } of COMMANDS) expect(help.out).toContain(`  ${name} `);
  expect(nothing.out).toBe(help.out);
});

test.each(COMMANDS.map(({ name }) => name))('%s has help with examples', async (name) => {
  const { code, out } = await typed(name, '--help');
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`Usage:\n  kube-informer ${name}`));
  expect(out).toMatch(new RegExp(`Examples:\n  kube-informer ${name}`));
  expect(await typed('help', name)).toEqual({ code: 0, out, error: '' });
});

test('--version prints the version of the package', async () => {
  expect(await typed('--version')).toEqual({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), error: '' });
});
