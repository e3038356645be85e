import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { controller, run } from '@kube-informer/controller';
import { mountInspector } from '@kube-informer/inspector';
import { Cluster } from 'kube-informer';
import { systemEnv } from 'kube-informer/core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Browser, launchChromium, type Sheet, whatChromiumIsMissing } from './chromium.ts';
import { DEADLINE, WIDE } from './inspector-rig.ts';

const missing = whatChromiumIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: a hostile cluster in a browser: ${missing}\n`);

/** Globals of the tab that these tests use. */
declare const document: {
  readonly cookie: string;
  querySelectorAll(selector: string): ArrayLike<{ readonly href: string }> & Iterable<{ readonly href: string }>;
};
declare const location: { readonly href: string };

/** Runs code in a page that takes a text for markup, an attribute, a style, a script or an address. */
const EVIL = `"'><img src=x onerror="globalThis.owned=1"><script>globalThis.owned=1</script><svg/onload=globalThis.owned=1></style></textarea></title>javascript:globalThis.owned=1`;
/** A key has one slash: objects with more are refused before they are shown. */
const EVIL_NAMESPACE = EVIL.replaceAll('/', '');
const NAMES = [
  '<img src=x onerror=globalThis.owned=1>', 'javascript:globalThis.owned=1', '"onmouseover="globalThis.owned=1', '&lt;b&gt;',
  '#faults', '..%2f..%2fapi%2foverview?x', '__proto__',
]; // prettier-ignore

const hostile = (kind: string, name: string, at: number) => ({
  apiVersion: 'v1', kind,
  metadata: {
    name, namespace: at % 2 === 0 ? EVIL_NAMESPACE : 'default', uid: `u${at}${EVIL}`, resourceVersion: String(at + 1),
    creationTimestamp: EVIL, labels: { [EVIL]: EVIL }, annotations: { [EVIL]: EVIL }, finalizers: [EVIL],
    ownerReferences: [{ apiVersion: EVIL, kind: EVIL, name: EVIL, uid: EVIL, controller: true }],
    managedFields: [{ manager: EVIL, operation: 'Update', apiVersion: 'v1', time: EVIL, fieldsType: 'FieldsV1', fieldsV1: { [EVIL]: {} } }],
  },
  data: { [EVIL]: EVIL },
  spec: { nodeName: EVIL, containers: [{ name: EVIL, image: EVIL }] },
  status: {
    phase: EVIL, reason: EVIL, message: EVIL,
    conditions: [{ type: EVIL, status: 'False', reason: EVIL, message: EVIL, lastTransitionTime: EVIL }],
  },
  type: 'Warning', reason: EVIL, message: EVIL, note: EVIL, source: { component: EVIL }, lastTimestamp: EVIL, count: 1,
  involvedObject: { kind: 'ConfigMap', name: EVIL, uid: `u0${EVIL}` },
}); // prettier-ignore

const KINDS: ReadonlyMap<string, string> = new Map([['configmaps', 'ConfigMap'], ['events', 'Event'], ['pods', 'Pod']]); // prettier-ignore
const failure = (code: number) => ({
  kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason: EVIL, message: EVIL, details: { name: EVIL, kind: EVIL },
}); // prettier-ignore

/** A server that checks nothing: hostile names, texts and failures. */
const evilServer: RequestListener = (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
  const kind = KINDS.get(pathname.split('/').at(-1) ?? '');
  const status = kind === undefined ? 403 : searchParams.has('sendInitialEvents') ? 422 : 200;
  response.writeHead(status, { 'content-type': 'application/json', warning: '299 - "<b>owned</b>"' });
  if (kind === undefined || status !== 200) return void response.end(JSON.stringify(failure(status)));
  const items = NAMES.map((name, at) => hostile(kind, name, at));
  const list = { kind: `${kind}List`, apiVersion: 'v1', metadata: { resourceVersion: '100' }, items };
  if (!searchParams.has('watch')) return void response.end(JSON.stringify(list));
  const metadata = { ...items[0]?.metadata, resourceVersion: '101' };
  const event = { type: 'MODIFIED', object: { ...items[0], metadata, data: { changed: EVIL } } };
  response.write(`${JSON.stringify(event)}\n`);
};

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.skipIf(missing !== undefined)('a hostile cluster in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  }, 300_000);
  afterAll(() => browser?.close());

  /** An inspector of the hostile cluster in a server of the user, and its page. */
  async function openMounted(path: string, options: { readonly path?: string }) {
    const env = { ...systemEnv, log: () => {} };
    const cluster = await Cluster.connect({ url: await listen(evilServer), env });
    for (const resource of ['v1/configmaps', 'v1/events', 'v1/pods', 'v1/services'] as const)
      cluster.informer(resource);
    const reconcile = () => Promise.reject(new Error(EVIL));
    const operator = run([controller(cluster, 'v1/configmaps', { name: 'maps', reconcile })]);
    const inspector = mountInspector(cluster, { env, operators: [operator], ...options });
    const sent: string[] = [];
    const origin = await listen((request: IncomingMessage & { originalUrl?: string }, response) => {
      const { url = '', headers } = request;
      const { 'x-inspector-token': _, ...rest } = headers;
      sent.push(`${url} ${JSON.stringify(rest)}`);
      if (!url.startsWith(path)) return void response.writeHead(404).end();
      // As Express does it for a handler at a path.
      if (options.path === undefined) Object.assign(request, { originalUrl: url, url: url.slice(path.length) || '/' });
      inspector.handler(request, response);
    });
    const tab = await browser.newPage({ viewport: WIDE });
    onTestFinished(async () => {
      await tab.close();
      await inspector.close();
      await operator[Symbol.asyncDispose]();
      await cluster.close();
    });
    const complaints: string[] = [];
    tab.on('pageerror', (error) => complaints.push(String(error)));
    tab.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    await tab.goto(`${origin}${path}${inspector.fragment}`);
    return { tab, home: `${origin}${path}/`, sent, inspector, complaints };
  }

  /** What a page would have if a text had become more than a text. */
  const harm = (tab: Sheet, home: string) =>
    tab.evaluate(
      async (own) => ({
        isOwned: 'owned' in globalThis,
        elements: document.querySelectorAll('main img, main script, main iframe, [onerror], [onload], [onmouseover]').length,
        links: [...document.querySelectorAll('a[href]')].map(({ href }) => href).filter((href) => !href.startsWith(own)),
        cookie: document.cookie,
        isElsewhere: !location.href.startsWith(own),
      }),
      home,
    ); // prettier-ignore
  const NO_HARM = { isOwned: false, elements: 0, links: [], cookie: '', isElsewhere: false };
  const links = (tab: Sheet): Promise<string[]> =>
    tab.evaluate(async () => [...document.querySelectorAll('a[href]')].map(({ href }) => href), undefined);

  test.each([
    ['with the option path', '/debug/inspect', { path: '/debug/inspect' }],
    ['as Express mounts it', '/inspect', {}],
  ])('S130: a text of a cluster is only read, on every view, and the token is in no address: %s', async (_, path, options) => {
    const { tab, home, sent, inspector, complaints } = await openMounted(path, options);
    const counts = (): Promise<string[]> => tab.locator('.informers td.number').allInnerTexts();
    await expect.poll(counts, DEADLINE).toContain(String(NAMES.length));
    // Every address that the page offers, then those that these pages offer.
    const visited = new Set<string>();
    for (let next = await links(tab), depth = 0; depth < 3; depth += 1) {
      const found: string[] = [];
      for (const href of next) {
        if (visited.has(href) || visited.size >= 50) continue;
        visited.add(href);
        await tab.goto(href);
        await tab.locator('main h1').first().waitFor();
        expect(await harm(tab, home), href).toEqual(NO_HARM);
        found.push(...(await links(tab)));
      }
      next = found;
    }
    // Views of all kinds were among them, those of objects with hostile names as well.
    for (const part of ['timeline', 'handlers', 'controllers', 'javascript%3A', '%3Cimg', '__proto__'])
      expect([...visited].filter((href) => href.includes(part)), part).not.toEqual([]);
    expect(complaints.filter((line) => !/40[034]/.test(line))).toEqual([]);
    // It is in its own header only: neither in an address nor in the Referer, which other servers would see.
    expect(sent.filter((line) => line.includes(inspector.token))).toEqual([]);
    expect(sent.length).toBeGreaterThan(10);
  }); // prettier-ignore
});
