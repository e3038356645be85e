import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startInspector } from '@kube-informer/inspector';
import { systemEnv } from 'kube-informer/core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Browser, launchChromium, whatChromiumIsMissing } from './chromium.ts';
import {
  configMap,
  DEADLINE,
  names,
  NARROW,
  open,
  openInspectorTab,
  overflow,
  type RigOptions,
  WIDE,
} from './inspector-rig.ts';

const missing = whatChromiumIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: the inspector in a browser: ${missing}\n`);

interface Shown {
  readonly scrollHeight: number;
  readonly clientHeight: number;
  readonly scrollWidth: number;
  readonly clientWidth: number;
}

/** Globals of the tab that these tests use. */
declare const document: {
  readonly activeElement: { readonly tagName: string; readonly className: string; readonly textContent: string | null; readonly type?: string } | null;
  readonly body: object;
  readonly images: { readonly length: number };
  readonly documentElement: { readonly scrollWidth: number; readonly clientWidth: number; readonly innerHTML: string };
  querySelectorAll(selector: string): ArrayLike<Shown> & Iterable<Shown>;
  createElement(name: string): { src: string; onload: () => void; onerror: () => void };
  readonly head: { append(element: object): void };
}; // prettier-ignore
declare function getComputedStyle(element: object): { readonly backgroundColor: string; readonly outlineStyle: string };
declare const sessionStorage: { getItem(name: string): string | null };
declare function requestAnimationFrame(run: (at: number) => void): void;

describe.skipIf(missing !== undefined)('the inspector in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    // A foreign name that resolves to this server, as in a DNS rebinding attack.
    browser = await launchChromium('--host-resolver-rules=MAP evil.test 127.0.0.1');
    console.log(`Chromium ${browser.version()}`);
  }, 300_000);
  afterAll(() => browser?.close());

  const rig = (options: RigOptions = {}) => openInspectorTab(browser, options);

  test('S38, S42: it loads, says how things are, and keeps the token out of the address', async () => {
    const { tab, complaints, inspector } = await rig({ objects: [configMap('one'), configMap('two')] });
    await expect.poll(() => tab.locator('h1').innerText(), DEADLINE).toBe('1 informer, all up to date');
    await expect.poll(() => tab.locator('.informers td.number').allInnerTexts(), DEADLINE).toEqual(['2', '0']);
    await expect.poll(() => tab.url(), DEADLINE).not.toContain('token');
    // Only the tab remembers it.
    await tab.reload();
    await expect.poll(() => tab.locator('h1').innerText(), DEADLINE).toBe('1 informer, all up to date');
    expect(await tab.evaluate(async () => sessionStorage.getItem('inspector-token'), undefined)).toBe(inspector.token);
    const stranger = await browser.newPage();
    onTestFinished(() => stranger.close());
    await stranger.goto(`http://127.0.0.1:${inspector.address.port}/`);
    await expect
      .poll(() => stranger.locator('main').innerText(), DEADLINE)
      .toMatch(/Open the address that was printed/);
    expect(complaints).toEqual([]);
  });

  test('a change arrives by itself: in the table, and as a coloured difference in the history', async () => {
    const { server, tab, complaints } = await rig({ objects: [configMap('one', { level: 'info' })] });
    await open(tab);
    await expect.poll(() => names(tab), DEADLINE).toEqual(['one']);
    server.local.create('', 'configmaps', configMap('two'));
    await expect.poll(() => tab.locator('tr.added td.name').allInnerTexts(), DEADLINE).toEqual(['two']);
    await expect.poll(() => names(tab), DEADLINE).toEqual(['one', 'two']);
    server.local.remove('', 'configmaps', 'default', 'two');
    await expect.poll(() => names(tab), DEADLINE).toEqual(['one']);
    await tab.getByRole('link', { name: 'one', exact: true }).click();
    await expect.poll(() => tab.locator('.yaml').innerText(), DEADLINE).toMatch(/level: info/);
    const current = server.local.get('', 'configmaps', 'default', 'one');
    server.local.update('', 'configmaps', { ...current, data: { level: 'debug' } });
    await expect.poll(() => tab.locator('.yaml').innerText(), DEADLINE).toMatch(/level: debug/);
    await tab.locator('.versions button:not(:disabled)').first().click();
    await expect.poll(() => tab.locator('.diff .removed').innerText(), DEADLINE).toMatch(/−\s+level: info/);
    await expect.poll(() => tab.locator('.diff .added').innerText(), DEADLINE).toMatch(/\+\s+level: debug/);
    server.local.remove('', 'configmaps', 'default', 'one');
    await expect.poll(() => tab.locator('.title .badge').innerText(), DEADLINE).toBe('deleted');
    // The same everywhere on the page, and it ages no more.
    expect(await tab.locator('.relatives .badge').allInnerTexts()).toEqual(['deleted']);
    await expect.poll(() => tab.locator('.title .subtitle').innerText(), DEADLINE).toMatch(/ · lived \d+s · /);
    expect(complaints).toEqual([]);
  });

  test('a cut watch is seen to break and to recover, and nothing is missed', async () => {
    const { server, tab, complaints } = await rig();
    await tab.getByRole('link', { name: 'Faults' }).click();
    await tab.getByRole('button', { name: 'Cut all watches: start' }).click();
    server.local.create('', 'configmaps', configMap('meanwhile'));
    await tab.getByRole('link', { name: 'Timeline' }).click();
    await expect.poll(() => tab.locator('.story .failed').allInnerTexts(), DEADLINE).toEqual([expect.stringMatching(/watch ended after/)]);
    await expect.poll(() => tab.locator('.story li .what').first().innerText(), DEADLINE).toMatch(/^watching for/);
    await expect.poll(() => tab.locator('.chart-row .badge').innerText(), DEADLINE).toBe('synced');
    // Near the right end, which is now.
    const pointed = async (): Promise<string> => {
      for (const x of [655, 665]) await tab.locator('.track').hover({ position: { x, y: 8 } });
      return tab.locator('.step-detail').innerText();
    };
    await expect.poll(pointed, DEADLINE).toMatch(/v1\/configmaps: watching for/);
    await tab.getByRole('link', { name: 'Overview' }).click();
    await expect.poll(() => tab.locator('td.restarts').innerText(), DEADLINE).toMatch(/^1 .* ago\n./);
    await open(tab);
    await expect.poll(() => names(tab), DEADLINE).toEqual(['meanwhile']);
    expect(complaints).toEqual([]);
  }); // prettier-ignore

  test('a process that is gone is not called well: the headline and every badge turn grey, and say since when', async () => {
    const { tab, inspector, cluster } = await rig({ objects: [configMap('one')] });
    const grounds = (selector: string): Promise<string[]> =>
      tab.evaluate(async (of) => [...new Set([...document.querySelectorAll(of)].map((one) => getComputedStyle(one).backgroundColor))], selector);
    const topHeight = (): Promise<number> => tab.evaluate(async () => document.querySelectorAll('.top')[0]?.clientHeight ?? 0, undefined);
    await expect.poll(() => tab.locator('h1').innerText(), DEADLINE).toBe('1 informer, all up to date');
    await expect.poll(() => tab.locator('.live').innerText(), DEADLINE).toBe('live');
    const [[well], height] = [await grounds('.informers .badge'), await topHeight()];
    expect(well).toBe('rgb(227, 244, 236)');
    await inspector.close();
    const secondsAgo = async (): Promise<number> => Number(/^Offline, last update (\d+)s ago$/.exec(await tab.locator('h1').innerText())?.[1] ?? -1);
    await expect.poll(secondsAgo, DEADLINE).toBeGreaterThanOrEqual(0);
    await expect.poll(secondsAgo, DEADLINE).toBeGreaterThan(await secondsAgo());
    await expect.poll(() => tab.locator('.headline.good').count(), DEADLINE).toBe(0);
    await expect.poll(() => tab.locator('.lost-note').innerText(), DEADLINE).toMatch(/^The process cannot be reached. Last update \d+s ago.$/);
    await expect.poll(() => grounds('.informers .badge'), DEADLINE).toEqual(['rgb(240, 242, 245)']);
    await expect.poll(() => grounds('.caches .dot'), DEADLINE).toEqual(['rgb(91, 102, 117)']);
    await expect.poll(() => tab.locator('.live').innerText(), DEADLINE).toBe('offline');
    await expect.poll(topHeight, DEADLINE).toBe(height);
    // Shown on every view.
    await tab.getByRole('link', { name: 'v1/configmaps' }).first().click();
    await expect.poll(() => tab.locator('h1').innerText(), DEADLINE).toBe('v1/configmaps');
    await expect.poll(() => tab.locator('.lost-note').innerText(), DEADLINE).toMatch(/Last update/);
    await expect.poll(() => grounds('main .badge'), DEADLINE).toEqual(['rgb(240, 242, 245)']);
    await tab.getByRole('link', { name: 'Overview' }).first().click();
    await expect.poll(() => tab.locator('h1').innerText(), DEADLINE).toMatch(/^Offline/);
    // The same address, with a server again.
    const { port } = inspector.address;
    let isStuck = false;
    const sleep: typeof systemEnv.sleep = (ms, signal) => systemEnv.sleep(isStuck ? 600_000 : ms, signal);
    const again = await startInspector(cluster, { port, token: inspector.token, env: { ...systemEnv, sleep } });
    onTestFinished(() => again.close());
    await expect.poll(() => tab.locator('h1').innerText(), DEADLINE).toBe('1 informer, all up to date');
    await expect.poll(() => grounds('.informers .badge'), DEADLINE).toEqual([well]);
    await expect.poll(() => tab.locator('.lost-note').innerText(), DEADLINE).toBe('');
    // The connection is open, and nothing is sent.
    isStuck = true;
    await expect.poll(() => tab.locator('.lost-note').innerText(), DEADLINE).toMatch(/^The process does not respond. Last update \d+s ago.$/);
    await expect.poll(() => tab.locator('h1').innerText(), DEADLINE).toMatch(/^Offline/);
  }); // prettier-ignore

  test('a fault that could not be made says why', async () => {
    const faults = [{ name: 'bad', title: 'Forget the past', description: '', run: () => Promise.reject(new Error('there is no past')) }];
    const { tab, complaints } = await rig({ faults });
    await tab.getByRole('link', { name: 'Faults' }).click();
    await tab.getByRole('button', { name: 'Forget the past: start' }).click();
    await expect.poll(() => tab.locator('.fault .problem').allInnerTexts(), DEADLINE).toEqual(['', 'failed: there is no past']);
    expect(complaints).toEqual([]);
  }); // prettier-ignore

  test('an address that leads nowhere says so; a cache that is not there is not looked for', async () => {
    const { tab, inspector, complaints } = await rig();
    const base = inspector.url.split('#')[0];
    await tab.goto(`${base}#/bogus`);
    await expect.poll(() => tab.locator('main').innerText(), DEADLINE).toMatch(/Page not found\s+Unknown path “bogus”/);
    await tab.getByRole('link', { name: 'Go to the overview' }).click();
    await expect.poll(() => tab.locator('h1').innerText(), DEADLINE).toBe('1 informer, all up to date');
    await tab.goto(`${base}#/resource?cache=v1/nothing`);
    await expect.poll(() => tab.locator('.problem').innerText(), DEADLINE).toBe('this process has no such cache');
    // Also after the next word of the process.
    await systemEnv.sleep(1_500);
    expect(await tab.locator('.counted').innerText()).toBe('');
    expect(complaints.filter((line) => !/400/.test(line))).toEqual([]);
  }); // prettier-ignore

  test('the reason of a restart can be read at 1280', async () => {
    const { server, tab } = await rig();
    await expect.poll(() => tab.locator('h1').innerText(), DEADLINE).toBe('1 informer, all up to date');
    await server.waitFor({ watches: 1 }); // or there is nothing to cut
    server.faults.cutWatches();
    await expect.poll(() => tab.locator('td.restarts .note').innerText(), DEADLINE).toMatch(/./);
    const hidden = (): Promise<number> => tab.evaluate(async () => {
      const note = document.querySelectorAll('td.restarts .note')[0];
      return note === undefined ? 1 : Math.max(note.scrollHeight - note.clientHeight, note.scrollWidth - note.clientWidth);
    }, undefined);
    await expect.poll(hidden, DEADLINE).toBeLessThanOrEqual(0);
  }); // prettier-ignore

  test('S43: whatever an object says is text', async () => {
    const evil = '<img src=x onerror="globalThis.owned=1"><script>globalThis.owned=1</script>';
    const annotations = { evil, link: 'javascript:globalThis.owned=1', bidi: 'a\u202Eb' };
    const objects = [configMap('evil', { [`a.b`]: evil, svg: '<svg onload=globalThis.owned=1>' }, { annotations, labels: { x: 'y' } })];
    const { tab, complaints, server } = await rig({ objects });
    await open(tab);
    await tab.getByRole('link', { name: 'evil', exact: true }).click();
    await expect.poll(() => tab.locator('.yaml').innerText(), DEADLINE).toContain('<img src=x onerror=');
    await expect.poll(() => tab.locator('.yaml').innerText(), DEADLINE).toContain('\\u{202e}');
    const current = server.local.get('', 'configmaps', 'default', 'evil');
    server.local.update('', 'configmaps', { ...current, data: { more: evil } });
    await tab.locator('.versions button:not(:disabled)').first().click();
    await expect.poll(() => tab.locator('.diff').innerText(), DEADLINE).toContain('<script>');
    const found = await tab.evaluate(
      async () => ({
        images: document.images.length,
        scripts: document.querySelectorAll('main script, main img, main svg[onload], a[href^=javascript]').length,
        owned: 'owned' in globalThis,
      }),
      undefined,
    );
    // The only image is our own.
    expect(found).toEqual({ images: 1, scripts: 0, owned: false });
    expect(complaints).toEqual([]);
  }); // prettier-ignore

  test('S46: a Secret is masked on the page; where it was allowed, a click shows it, and that is logged', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'default', name: 'login' }, data: { password: 'aHVudGVyMg==' } };
    const lines: string[] = [];
    const { tab, complaints, cluster } = await rig({ objects: [secret], reveal: true, log: (line) => lines.push(line) });
    await cluster.informer('v1/secrets').synced({ timeoutMs: 60_000 });
    await tab.getByRole('link', { name: 'v1/secrets' }).first().click();
    await tab.getByRole('link', { name: 'login', exact: true }).click();
    await expect.poll(() => tab.locator('.yaml').innerText(), DEADLINE).toMatch(/password: "?\[12 characters, #[0-9a-f]{8}\]/);
    expect(await tab.evaluate(async () => document.documentElement.innerHTML.includes('aHVudGVyMg'), undefined)).toBe(false);
    expect(lines).toEqual([]);
    await tab.getByRole('button', { name: 'Reveal' }).click();
    await expect.poll(() => tab.locator('.yaml').innerText(), DEADLINE).toMatch(/password: aHVudGVyMg==/);
    expect(lines).toEqual([expect.stringMatching(/showed an object unmasked/)]);
    expect(complaints).toEqual([]);
  }); // prettier-ignore

  test('S39, S40, S44: another name, another site, a frame and a script from elsewhere get nothing', async () => {
    const { inspector } = await rig();
    const { port } = inspector.address;
    const other = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(`<title>elsewhere</title><iframe src="http://127.0.0.1:${port}/"></iframe>`);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await new Promise((resolve) => void other.once('listening', resolve));
    const tab = await browser.newPage();
    onTestFinished(() => tab.close());
    const rebound = (await tab.goto(`http://evil.test:${port}/`)) as { status(): number };
    expect(rebound.status()).toBe(403);
    await tab.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    const outcome = await tab.evaluate(
      async ({ own, token }) => {
        const tried = async (headers: Record<string, string>): Promise<string> => {
          try {
            return `status ${(await fetch(`${own}/api/overview`, { headers })).status}`;
          } catch (error) {
            return (error as Error).name;
          }
        };
        const script = new Promise<string>((resolve) => {
          const element = document.createElement('script');
          element.src = `${own}/app.js`;
          element.onload = () => resolve('loaded');
          element.onerror = () => resolve('refused');
          document.head.append(element);
        });
        return [await tried({}), await tried({ 'x-inspector-token': token }), await script];
      },
      { own: `http://127.0.0.1:${port}`, token: inspector.token },
    );
    expect(outcome).toEqual(['TypeError', 'TypeError', 'refused']);
    const frames = (tab as unknown as { frames(): readonly { url(): string; title(): Promise<string> }[] }).frames();
    expect(frames.map((frame) => frame.url())).not.toContain(`http://127.0.0.1:${port}/`);
  });

  test.each([['wide', WIDE], ['narrow', NARROW]] as const)('every view fits a %s screen, and nothing has to be scrolled sideways', async (_, viewport) => {
    const owner = (uid: string) => ({ ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'an-owner-with-a-rather-long-name', uid }] });
    const long = 'a-rather-long-name-as-generated-names-of-pods-are-7f9c9d4b6-x2x4x';
    const objects = [configMap(long, { text: 'word '.repeat(80) }, { labels: { 'app.kubernetes.io/name': 'checkout' }, ...owner('u') })];
    const { tab, complaints } = await rig({ viewport, objects });
    for (const [view, heading] of [['Timeline', 'Timeline'], ['Handlers', 'Handlers'], ['Faults', 'Faults'], ['Overview', '1 informer, all up to date']] as const) {
      await tab.getByRole('link', { name: view }).click();
      await expect.poll(() => tab.locator('h1').innerText(), DEADLINE).toBe(heading);
      await tab.locator('main .card').first().waitFor();
      await expect.poll(async () => [view, await overflow(tab)], DEADLINE).toEqual([view, 0]);
    }
    await tab.locator('.informers a.row-link').first().click();
    await tab.locator('.objects a.row-link').first().waitFor();
    await expect.poll(() => overflow(tab), DEADLINE).toBe(0);
    await tab.locator('.objects a.row-link').first().click();
    await tab.locator('.yaml .key').first().waitFor();
    await expect.poll(() => overflow(tab), DEADLINE).toBe(0);
    expect(complaints).toEqual([]);
  }); // prettier-ignore

  test('light and dark: as the system has it, until the user chooses', async () => {
    const { tab, complaints } = await rig({ colorScheme: 'dark' });
    const ground = (): Promise<string> =>
      tab.evaluate(async () => getComputedStyle(document.body).backgroundColor, undefined);
    await expect.poll(ground, DEADLINE).toBe('rgb(14, 18, 23)');
    await tab.keyboard.press('t');
    await expect.poll(ground, DEADLINE).toBe('rgb(245, 246, 248)');
    await tab.reload();
    await expect.poll(ground, DEADLINE).toBe('rgb(245, 246, 248)');
    expect(complaints).toEqual([]);
  });
});
