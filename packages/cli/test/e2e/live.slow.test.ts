import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { configMap, finished, follow, PROGRAM, serverRig, start, SYSTEM_HOST, until } from '../rigs/child.ts';

test('watch prints existing objects, then a line for every change, and exits with 0 when interrupted', async () => {
  const { server, to } = await serverRig();
  server.local.create('', 'configmaps', configMap('first'));
  const watching = start(['watch', 'cm', ...to]);
  await watching.says(/configmaps in default: synced, 1 object/);
  await watching.says(/^ first/m);
  server.local.create('', 'configmaps', configMap('second', { a: 'b' }));
  await watching.says(/^\+second {3}1/m);
  server.local.remove('', 'configmaps', 'default', 'second');
  await watching.says(/^-second/m);
  watching.send('SIGINT');
  expect(await watching.ended).toBe(0);
  expect(watching.out.split('\n')[0]).toBe(' NAME    DATA   AGE');
});

test.each([
  ['events', /MODIFIED {2}default\/cm {2}data\.a: 1 → 2/],
  ['json', /^\{"type":"MODIFIED","object":\{"apiVersion":"v1","kind":"ConfigMap".*"data":\{"a":"2"\}/m],
  ['yaml', /^---\n# MODIFIED default\/cm\napiVersion: v1\nkind: ConfigMap\n/m],
  ['name', /^configmap\/cm\nconfigmap\/cm\n/m],
])('watch -o %s prints a change', async (form, pattern) => {
  const { server, to } = await serverRig();
  const made = server.local.create('', 'configmaps', configMap('cm', { a: '1' }));
  const watching = start(['watch', 'cm', '-o', form, ...to]);
  await watching.says(/synced, 1 object/);
  await watching.says(/cm/);
  server.local.update('', 'configmaps', { ...made, data: { a: '2' } });
  await watching.says(pattern);
  watching.send('SIGTERM');
  expect(await watching.ended).toBe(0);
});

test('watch of several resources prints each, and the changes of all', async () => {
  const { server, to } = await serverRig();
  server.local.create('', 'configmaps', configMap('first'));
  const watching = start(['watch', 'cm,secrets,configmaps', '-o', 'events', ...to]);
  await watching.says(/configmaps in default: synced, 1 object/);
  await watching.says(/secrets in default: synced, 0 objects/);
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'default', name: 's' } };
  server.local.create('', 'secrets', secret);
  server.local.create('', 'configmaps', configMap('second'));
  await watching.says(/ADDED +secret default\/s$/m);
  await watching.says(/ADDED +configmap default\/second$/m);
  watching.send('SIGINT');
  expect(await watching.ended).toBe(0);
  expect(watching.out.match(/configmap default\/first/g)).toHaveLength(1); // named twice, watched once
});

test('watch continues after the server was gone', async () => {
  const { server, to } = await serverRig();
  const watching = start(['watch', 'cm', ...to]);
  await watching.says(/synced, 0 objects/);
  await server.restart({ keep: 'data', downMs: 1_500 });
  server.local.create('', 'configmaps', configMap('later'));
  await watching.says(/^\+later/m);
  watching.send('SIGINT');
  expect(await watching.ended).toBe(0);
});

test.each(['SIGINT', 'SIGTERM'] as const)('one %s ends a command that is blocked', async (signal) => {
  const host = pathToFileURL(SYSTEM_HOST).href;
  const program = `
    import { systemHost } from '${host}';
    systemHost().signal.addEventListener('abort', () => console.log('does not care'));
    setInterval(() => {}, 1_000);
    console.log('hangs');
  `;
  const hanging = follow(spawn(process.execPath, ['--input-type=module', '--eval', program]));
  await hanging.says(/hangs/);
  hanging.send(signal);
  expect(await hanging.ended).toBe(130);
  expect(hanging.out).toContain('does not care');
});

test('the program exits silently when its reader closes the pipe', async () => {
  const { server, to } = await serverRig();
  server.load(Array.from({ length: 5_000 }, (_, index) => configMap(`cm-${index}`)));
  const program = `${PROGRAM.map((word) => `'${word}'`).join(' ')} watch cm ${to.join(' ')} | head -1`;
  const piped = follow(spawn('sh', ['-c', program], { stdio: ['ignore', 'pipe', 'pipe'] }));
  expect(await piped.ended).toBe(0);
  expect(piped.out).toMatch(/^ NAME/);
  expect(piped.error).not.toMatch(/EPIPE|Error/);
});

test('diff prints the changes of one object only', async () => {
  const { server, to } = await serverRig();
  const made = server.local.create('', 'configmaps', configMap('cm', { a: '1' }));
  server.local.create('', 'configmaps', configMap('other'));
  const following = start(['diff', 'cm/cm', ...to]);
  await following.says(/configmap\/cm in default is at version \d+/);
  server.local.update('', 'configmaps', { ...made, data: { a: '2\u001b[2J', b: 'x' } });
  await following.says(/~ data\.a: 1 → "2\\u001b\[2J"\n {2}\+ data\.b: x/);
  server.local.remove('', 'configmaps', 'default', 'cm');
  await following.says(/was deleted/);
  following.send('SIGINT');
  expect(await following.ended).toBe(0);
  expect(following.out).not.toContain('other');
});

/** Polls `doctor`: on an overloaded machine it rightly reports timeouts. */
const diagnosis = (args: readonly string[]) => expect.poll(() => finished(['doctor', ...args]), { timeout: 120_000 });

test('doctor passes on a good server', async () => {
  const { to } = await serverRig();
  const topics = ['configuration', 'TCP', 'TLS', 'HTTP/2', 'server', 'clock', 'login', 'API groups', 'permissions', 'watch-list'];
  const wells = topics.map((topic) => `ok +${topic} .*\\n(?:.*\\n)*`).join('');
  const out = expect.stringMatching(new RegExp(`^(?:.*\\n)*${wells}.*all essential checks passed\\n$`));
  await diagnosis(to).toMatchObject({ code: 0, out });
}); // prettier-ignore

test('doctor names the first problem, and a fix', async () => {
  const { server, to, folder } = await serverRig({ auth: 'rbac' });
  const fails = (pattern: RegExp): object => ({ code: 1, out: expect.stringMatching(pattern) as string });
  await diagnosis(['--token', 'nonsense', ...to]).toMatchObject(fails(/^FAIL +login +the server rejects these credentials\n +fix: log in again/m));
  const guest = server.users.add({ name: 'guest', groups: ['system:authenticated'] });
  await diagnosis(['--token', guest, ...to]).toMatchObject(fails(/^FAIL +permissions +you may not list and watch any/m));
  await diagnosis(['--server', server.url, '--token', guest]).toMatchObject(fails(/^FAIL +TLS .*\n +fix: .*certificate-authority-data/m));
  const { url } = server;
  await server.close();
  await diagnosis(['--server', url, '--token', 'x']).toMatchObject(fails(/^FAIL +TCP .*ECONNREFUSED.*\n +fix: /m));
  await diagnosis(['--server', 'https://cluster.invalid']).toMatchObject(fails(/^FAIL +DNS +cluster\.invalid cannot be resolved/m));
  await diagnosis(['--kubeconfig', `${folder}/nope`]).toMatchObject(fails(/^FAIL +configuration /m));
}, 360_000); // prettier-ignore

test('serve runs until it is interrupted, then frees its port and removes its kubeconfig', async () => {
  const serving = start(['serve', '--profile', 'demo']);
  await serving.says(/Press Ctrl-C to stop/);
  const [, kubeconfig = ''] = /kubeconfig: (\S+)/.exec(serving.out) ?? [];
  const [, port = ''] = /127\.0\.0\.1:(\d+)/.exec(serving.out) ?? [];
  const { out } = await finished(['get', 'ns', '-o', 'name', '--kubeconfig', kubeconfig]);
  expect(out).toContain('namespace/kube-system');
  serving.send('SIGINT');
  expect(await serving.ended).toBe(0);
  expect(existsSync(kubeconfig)).toBe(false);
  const refused = await new Promise((resolve) => {
    connect(Number(port), '127.0.0.1').once('error', () => resolve(true)).once('connect', () => resolve(false));
  }); // prettier-ignore
  expect(refused).toBe(true);
});

test('serve --data keeps objects across restarts', async () => {
  const { folder } = await serverRig();
  const options = ['--data', `${folder}/data`, '--write-kubeconfig', `${folder}/served`];
  const served = ['--kubeconfig', `${folder}/served`];
  const first = start(['serve', ...options]);
  await first.says(/Press Ctrl-C to stop/);
  const uid = /uid: (\S+)/.exec((await finished(['get', 'ns/default', '-o', 'yaml', ...served])).out)?.[1];
  first.send('SIGINT');
  expect(await first.ended).toBe(0);
  const second = start(['serve', ...options]);
  await second.says(/Press Ctrl-C to stop/);
  expect((await finished(['get', 'ns/default', '-o', 'yaml', ...served])).out).toContain(`uid: ${uid}`);
  second.send('SIGINT');
  expect(await second.ended).toBe(0);
});

test('the demo prints changes without a terminal', async () => {
  const showing = start(['demo', '--seconds', '600']);
  await showing.says(/kubectl --kubeconfig \S+ get pods -A -w/);
  // The story opens with a crash; which pods crash twice is left to chance.
  await showing.says(/~ pod .* restarts 0 → 1/);
  showing.send('SIGINT');
  expect(await showing.ended).toBe(0);
  expect(showing.out).toMatch(/ demo · 8 informers · \d+ objects/);
  expect(showing.error).toBe('');
});

test('the demo exits with 0 after --seconds', async () => {
  const showing = start(['demo', '--seconds', '3']);
  expect(await showing.ended).toBe(0);
  expect(showing.error).toBe('');
});

const hasScript = spawnSync('script', ['--version']).status === 0;

test.skipIf(!hasScript)('on a real terminal watch draws a screen, and restores it at Ctrl-C', async () => {
  const { server, to } = await serverRig();
  server.local.create('', 'configmaps', configMap('cm'));
  const command = `stty rows 12 cols 60; exec ${PROGRAM.map((word) => `'${word}'`).join(' ')} watch cm ${to.join(' ')}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], { env: { ...process.env, TERM: 'xterm' }, stdio: ['pipe', 'pipe', 'pipe'] });
  const watching = follow(child);
  await watching.says(/\[\?1049h[\s\S]*configmaps in default · synced · 1 object/);
  server.local.create('', 'configmaps', configMap('new'));
  await watching.says(/\+new/);
  child.stdin.write('\u0003');
  expect(await watching.ended).toBe(0);
  await until(() => watching.out.endsWith('\u001b[0m\u001b[?25h\u001b[?1049l'), () => JSON.stringify(watching.out.slice(-80)));
}); // prettier-ignore
