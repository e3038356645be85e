import { request } from 'node:http';
import { controller, run as operate } from '@kube-informer/controller';
import { startInspector } from '@kube-informer/inspector';
import { Cluster } from 'kube-informer';
import { systemEnv } from 'kube-informer/core';
import { expect, onTestFinished, test } from 'vitest';
import { ran } from '../rigs/in-process.ts';
import { configMap, finished, type Running, serverRig, start, until } from '../rigs/child.ts';

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}/;

const addressIn = (text: string): URL => new URL(ADDRESS.exec(text)?.[0] ?? 'none:');

function ask(url: URL, path: string): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { 'x-inspector-token': new URLSearchParams(url.hash.slice(1)).get('token') ?? '' };
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.once('error', reject).end();
  });
}

async function ends(running: Running): Promise<void> {
  running.send('SIGINT');
  expect(await running.ended).toBe(0);
}

test('watch --ui prints the address of a page with the same informer to stderr, and objects to stdout', async () => {
  const { server, to } = await serverRig();
  server.local.create('', 'configmaps', configMap('first'));
  const watching = start(['watch', 'cm', '--ui', '-o', 'name', ...to]);
  await watching.says(/synced, 1 object/);
  await watching.says(/configmap\/first/);
  const url = addressIn(watching.error);
  expect((await ask(url, '/')).text).toContain('<title>kube-informer inspector</title>');
  const { caches } = JSON.parse((await ask(url, '/api/overview')).text) as { caches: readonly object[] };
  expect(caches).toMatchObject([{ id: 'v1/configmaps in default', objects: 1 }]);
  // No faults here: it may be a production cluster.
  expect((await ask(url, '/api/faults')).status).toBe(404);
  await ends(watching);
  expect(watching.out).toBe('configmap/first\n');
});

test('without --ui no port is opened', async () => {
  const { to } = await serverRig();
  const watching = start(['watch', 'cm', ...to]);
  await watching.says(/synced, 0 objects/);
  await ends(watching);
  expect(watching.out + watching.error).not.toMatch(/token=/);
});

test('top --attach shows the informers of a process that serves the page', async () => {
  const { server, to } = await serverRig();
  server.local.create('', 'configmaps', configMap('one'));
  const other = start(['top', 'cm', 'nodes', '--ui', '--interval', '1', ...to]);
  await other.says(ADDRESS);
  const { href } = addressIn(other.error);
  await until(async () => /"state":"synced".*"state":"synced"/s.test((await ask(new URL(href), '/api/overview')).text), () => 'not synced');
  const { code, out } = await finished(['top', '--attach', href, '--once']);
  expect(code).toBe(0);
  expect(out).toMatch(/^ INFORMER +STATE +OBJECTS/);
  expect(out).toMatch(/^ v1\/configmaps +synced +1 /m);
  expect(out).toMatch(/^ v1\/nodes +synced +0 /m);
  expect(out).toMatch(new RegExp(`^ ${new URL(server.url).host} · 2 informers · 1 objects`, 'm'));
  // It keeps polling, and stops when interrupted.
  const following = start(['top', '--attach', href, '--interval', '1']);
  await following.says(/(?:v1\/nodes[\s\S]*){2}/);
  await ends(following);
  await ends(other);
  expect(await finished(['top', '--attach', href, '--once'])).toMatchObject({ code: 1, error: expect.stringMatching(/no inspector at /) });
}); // prettier-ignore

test('top --attach rejects cluster options, a wrong address and a wrong token', async () => {
  const address = 'http://127.0.0.1:1/#token=x';
  expect(await finished(['top', 'pods', '--attach', address])).toMatchObject({ code: 2, error: expect.stringMatching(/--attach cannot be used with resources/) });
  expect(await finished(['top', '--attach', address, '-n', 'web'])).toMatchObject({ code: 2, error: expect.stringMatching(/--attach cannot be used with --namespace/) });
  expect(await finished(['top', '--attach', 'nonsense'])).toMatchObject({ code: 2, error: expect.stringMatching(/address an inspector printed/) });
  const { server } = await serverRig();
  const cluster = await Cluster.connect({ kubeconfig: server.kubeconfig(), env: { ...systemEnv, log: () => {} } });
  const inspector = await startInspector(cluster);
  onTestFinished(async () => {
    await inspector.close();
    await cluster.close();
  });
  const refused = await finished(['top', '--attach', `${inspector.url}x`, '--once']);
  expect(refused).toMatchObject({ code: 1, error: expect.stringMatching(/rejects this token/) });
  expect(refused.error).not.toContain(inspector.token);
}); // prettier-ignore

test('the demo serves the page with its faults; --no-ui does not', async () => {
  const demo = start(['demo', '--seconds', '600']);
  await demo.says(ADDRESS);
  const url = addressIn(demo.out);
  const faults = JSON.parse((await ask(url, '/api/faults')).text) as readonly { name: string }[];
  expect(faults.map(({ name }) => name)).toEqual([
    'cut',
    'expire',
    'slow-list',
    'errors',
    'silence',
    'restart',
    'take-lease',
    'crash-leader',
  ]);
  const quiet = start(['demo', '--no-ui', '--seconds', '600']);
  await quiet.says(/kubectl --kubeconfig/);
  await ends(quiet);
  await ends(demo);
  expect(quiet.out).not.toMatch(/token=/);
});

test('why --attach prints the sentence and the runs of a key, and names the controllers there are', async () => {
  const { server } = await serverRig();
  server.local.create('', 'configmaps', configMap('one'));
  const cluster = await Cluster.connect({ kubeconfig: server.kubeconfig(), env: { ...systemEnv, log: () => {} } });
  const reconcile = () => Promise.reject(new Error('not today, --password=hunter2'));
  const operator = operate([controller(cluster, 'v1/configmaps', { name: 'maps', namespace: 'default', reconcile })]);
  const inspector = await startInspector(cluster, { operators: [operator] });
  onTestFinished(async () => {
    await inspector.close();
    await operator.stop();
    await cluster.close();
  });
  await until(() => operator.runs('maps', 'default/one').length > 1, () => operator.why('maps', 'default/one').sentence);
  const { code, out } = await ran(['why', 'maps', 'default/one', '--attach', inspector.url]);
  expect(code).toBe(0);
  expect(out).toMatch(/^default\/one (?:runs again in|has been) .*\ncontroller maps · operator 1, leading\n\n RUN +OUTCOME/);
  expect(out).toMatch(/^ \d+s ago +error +\d+ ms +\d+ ms +0 +initial$/m);
  expect(out).toMatch(/^ \d+s ago: not today, --password=/m);
  expect(out).not.toContain('hunter2');
  expect(await ran(['why', 'pods', 'default/one', '--attach', inspector.url])).toMatchObject({ code: 1, error: expect.stringMatching(/the process runs no such controller: expected one of maps/) });
  expect(await ran(['why', 'maps', 'default/one'])).toMatchObject({ code: 2, error: expect.stringMatching(/missing option --attach <url>/) });
  expect(await ran(['why', 'maps', '--attach', inspector.url])).toMatchObject({ code: 2, error: expect.stringMatching(/missing argument <namespace\/name>/) });
}); // prettier-ignore
