import { systemEnv } from 'kube-informer/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, launchChromium, whatChromiumIsMissing } from './chromium.ts';
import { configMap, DEADLINE, focused, names, open, openInspectorTab, type RigOptions } from './inspector-rig.ts';

const missing = whatChromiumIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: the inspector in a browser: ${missing}\n`);

/** Globals of the tab that these tests use. */
declare const document: { readonly activeElement: object | null; readonly body: object };
declare function getComputedStyle(element: object): { readonly outlineStyle: string };
declare function requestAnimationFrame(run: (at: number) => void): void;

describe.skipIf(missing !== undefined)('the tables of the inspector in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  }, 300_000);
  afterAll(() => browser?.close());
  const rig = (options: RigOptions = {}) => openInspectorTab(browser, options);

  test('a click anywhere in a row opens the object, which shows its events', async () => {
    const event = {
      apiVersion: 'v1', kind: 'Event', metadata: { namespace: 'default', name: 'one.1' }, type: 'Warning', reason: 'Rejected', message: 'the value is too long',
      involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'one', uid: 'uid-of-one' },
    };
    const { tab, complaints, cluster } = await rig({ objects: [configMap('one', {}, { uid: 'uid-of-one' }), configMap('two'), event] });
    await cluster.informer('v1/events').synced({ timeoutMs: 60_000 });
    await open(tab);
    await expect.poll(() => names(tab), DEADLINE).toEqual(['one', 'two']);
    await tab.locator('.objects tbody tr td:last-child').first().click();
    await expect.poll(() => tab.locator('h1').innerText(), DEADLINE).toBe('default/one');
    await expect.poll(() => tab.locator('main').innerText(), DEADLINE).toMatch(/Rejected[^]*the value is too long/);
    expect(complaints).toEqual([]);
  }); // prettier-ignore

  test('a column sorts, the other way round at the second click, and no more at the third', async () => {
    const { tab, complaints } = await rig({ objects: [configMap('b'), configMap('a'), configMap('c')] });
    await open(tab);
    await expect.poll(() => names(tab), DEADLINE).toEqual(['a', 'b', 'c']);
    const title = tab.locator('.objects th button.sort:text-matches("^Name([^s]|$)")'); // with an arrow once it is sorted
    await title.click();
    await title.click();
    await expect.poll(() => names(tab), DEADLINE).toEqual(['c', 'b', 'a']);
    await title.click();
    await expect.poll(() => names(tab), DEADLINE).toEqual(['a', 'b', 'c']);
    expect(complaints).toEqual([]);
  });

  test('a search, a namespace, labels and an index narrow the table, and the address remembers them', async () => {
    const colours = ['red', 'green', 'blue'];
    const objects = Array.from({ length: 30 }, (_, at) =>
      configMap(`map-${String(at).padStart(2, '0')}`, {}, { namespace: at < 20 ? 'default' : 'kube-system', labels: { colour: colours[at % 3] } }),
    );
    const { tab, complaints } = await rig({ objects });
    await open(tab);
    await expect.poll(async () => (await names(tab)).length, DEADLINE).toBe(30);
    await tab.locator('input[type=search]').fill('map-1');
    await expect.poll(() => names(tab), DEADLINE).toEqual(Array.from({ length: 10 }, (_, at) => `map-1${at}`));
    await tab.locator('input[aria-label="Label selector"]').fill('colour in (red)');
    await expect.poll(() => names(tab), DEADLINE).toEqual(['map-12', 'map-15', 'map-18']);
    await expect.poll(() => tab.locator('.counted').innerText(), DEADLINE).toBe('3 of 30 objects');
    await tab.reload();
    await expect.poll(() => names(tab), DEADLINE).toEqual(['map-12', 'map-15', 'map-18']);
    await tab.locator('input[aria-label="Label selector"]').fill('colour in (');
    await expect.poll(() => tab.locator('.problem').innerText(), DEADLINE).toMatch(/selector/);
    await tab.locator('input[aria-label="Label selector"]').fill('');
    await tab.locator('input[type=search]').fill('');
    await tab.locator('select[aria-label=Namespace]').selectOption('kube-system');
    await expect.poll(async () => (await names(tab)).length, DEADLINE).toBe(10);
    await tab.locator('select[aria-label=Index]').selectOption('byColour');
    await tab.locator('select[aria-label="Index value"]').selectOption('blue');
    await expect.poll(() => names(tab), DEADLINE).toEqual(['map-20', 'map-23', 'map-26', 'map-29']);
    expect(complaints).toEqual([]);
  }); // prettier-ignore

  test('everything can be done with the keyboard, and one sees where one is', async () => {
    const { tab, complaints } = await rig({ objects: [configMap('first'), configMap('second'), configMap('third')] });
    await open(tab);
    await expect.poll(async () => (await names(tab)).length, DEADLINE).toBe(3);
    await tab.keyboard.press('/');
    await tab.keyboard.type('ir');
    await expect.poll(() => names(tab), DEADLINE).toEqual(['first', 'third']);
    await tab.keyboard.press('ArrowDown');
    await expect.poll(() => focused(tab), DEADLINE).toBe('A first');
    await tab.keyboard.press('ArrowDown');
    await expect.poll(() => focused(tab), DEADLINE).toBe('A third');
    const outline = (): Promise<string> =>
      tab.evaluate(async () => getComputedStyle(document.activeElement ?? document.body).outlineStyle, undefined);
    await expect.poll(outline, DEADLINE).toBe('solid');
    await tab.keyboard.press('Enter');
    await expect.poll(() => tab.locator('h1').innerText(), DEADLINE).toBe('default/third');
    await expect.poll(() => focused(tab), DEADLINE).toBe('H1 default/third');
    // The search text and the row are as before.
    await tab.keyboard.press('Escape');
    await tab.locator('.objects').waitFor();
    await expect.poll(() => names(tab), DEADLINE).toEqual(['first', 'third']);
    await expect.poll(() => focused(tab), DEADLINE).toBe('A third');
    await expect.poll(() => tab.url(), DEADLINE).toContain('text=ir');
    await tab.keyboard.press('ArrowUp');
    await expect.poll(() => focused(tab), DEADLINE).toBe('A first');
    await tab.keyboard.press('Escape');
    await expect.poll(() => tab.locator('h1').innerText(), DEADLINE).toMatch(/informer/);
    await tab.keyboard.press('2');
    await tab.locator('.track').focus();
    await expect.poll(() => tab.locator('.step-detail').innerText(), DEADLINE).toMatch(/v1\/configmaps: watching for/);
    await tab.keyboard.press('ArrowLeft');
    await expect.poll(() => tab.locator('.step-detail').innerText(), DEADLINE).toMatch(/listed 3 objects in/);
    await tab.keyboard.press('?');
    await tab.locator('dialog[open]').waitFor();
    await tab.keyboard.press('Escape');
    await expect.poll(() => tab.locator('dialog[open]').count(), DEADLINE).toBe(0);
    await expect.poll(() => tab.locator('h1').innerText(), DEADLINE).toBe('Timeline');
    expect(complaints).toEqual([]);
  });

  test('ten thousand objects that change: the page continues to draw, and answers', async () => {
    const objects = Array.from({ length: 10_000 }, (_, at) => configMap(`map-${String(at).padStart(5, '0')}`, { a: '1' }, { labels: { app: `app-${at % 50}` } }));
    const { tab, complaints, server } = await rig({ objects });
    await open(tab);
    await expect.poll(() => tab.locator('.counted').innerText(), DEADLINE).toBe('10,000 objects, the first 300 shown');
    const stop = new AbortController();
    const churning = (async () => {
      for (let at = 0; !stop.signal.aborted; at += 1) {
        const map = server.local.get('', 'configmaps', 'default', `map-${String(at % 400).padStart(5, '0')}`);
        server.local.update('', 'configmaps', { ...map, data: { a: String(at) } });
        if (at % 20 === 0) await systemEnv.sleep(10);
      }
    })();
    const gaps = await tab.evaluate(
      () =>
        new Promise<number[]>((resolve) => {
          const found: number[] = [];
          let last: number | undefined;
          const frame = (at: number): void => {
            if (last !== undefined) found.push(at - last);
            last = at;
            if (found.length < 150) requestAnimationFrame(frame);
            else resolve(found.toSorted((a, b) => a - b));
          };
          requestAnimationFrame(frame);
        }),
      undefined,
    );
    const startedAt = performance.now();
    await tab.locator('input[type=search]').fill('map-099');
    await expect.poll(() => tab.locator('.counted').innerText(), DEADLINE).toBe('100 of 10,000 objects');
    const searchMs = performance.now() - startedAt;
    stop.abort();
    await churning;
    const at = (share: number): number => gaps[Math.floor(gaps.length * share)] ?? 0;
    console.log(`10,000 objects, about 1,000 changes a second: frames p50 ${at(0.5).toFixed(0)} ms, p95 ${at(0.95).toFixed(0)} ms; a search ${searchMs.toFixed(0)} ms`);
    // Frame times are printed, not asserted: they depend on the machine as much as on the page.
    expect(complaints).toEqual([]);
  }, 300_000); // prettier-ignore
});
