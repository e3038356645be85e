import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from '@kube-informer/apiserver';
import { controller, run } from '@kube-informer/controller';
import { type InspectorOptions, startInspector } from '@kube-informer/inspector';
import { Cluster } from 'kube-informer';
import { systemEnv } from 'kube-informer/core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { demoFaultsOfReplicas } from '../../packages/cli/src/demo/demo-faults.ts';
import { DemoReplicas } from '../../packages/cli/src/demo/demo-replicas.ts';
import { DEMO_CONTROLLERS, demoNodes } from '../../packages/cli/src/demo/demo-nodes.ts';
import { Simulation } from '../../packages/cli/src/demo/simulation.ts';
import { type Browser, launchChromium, type Sheet, type SheetOptions, whatChromiumIsMissing } from './chromium.ts';

const missing = whatChromiumIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: controllers in a browser: ${missing}\n`);

declare const document: { readonly documentElement: { readonly scrollWidth: number; readonly clientWidth: number } };

const DEADLINE = { timeout: 90_000 };
const env = { ...systemEnv, log: () => {} };

describe.skipIf(missing !== undefined)('controllers in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  }, 300_000);
  afterAll(() => browser?.close());

  /** The page of a cluster, at its Controllers view. */
  async function open(cluster: Cluster, options: InspectorOptions, sheet: SheetOptions = {}) {
    const inspector = await startInspector(cluster, { env, ...options });
    const tab = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...sheet });
    onTestFinished(async () => {
      await tab.close();
      await inspector.close();
    });
    const complaints: string[] = [];
    tab.on('pageerror', (error) => complaints.push(String(error)));
    tab.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    await tab.goto(inspector.url);
    await tab.getByRole('link', { name: 'Controllers', exact: true }).click();
    return { tab, complaints };
  }

  const headline = (tab: Sheet): Promise<string> => tab.locator('h1').innerText();
  const overflow = (tab: Sheet): Promise<number> =>
    tab.evaluate(async () => document.documentElement.scrollWidth - document.documentElement.clientWidth, undefined);

  test('CTR-53: queues and keys of a controller, and the timeline of a key from its event to the echo', async () => {
    const server = await startApiServer();
    const cluster = await Cluster.connect({ kubeconfig: server.kubeconfig(), env });
    server.load([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'good' } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'bad' } },
    ]);
    const maps = controller(cluster, 'v1/configmaps', {
      name: 'maps',
      namespace: 'default',
      owns: ['v1/secrets'],
      reconcile: async ({ name, namespace, apply }) => {
        if (name === 'bad') throw new Error('<b>no</b> --password=hunter2');
        if (name !== 'good') return;
        await apply('v1/secrets', { metadata: { name: 'child', namespace } });
      },
    });
    const operator = run([maps]);
    onTestFinished(async () => {
      await operator.stop();
      await cluster.close();
      await server.close();
    });
    const { tab, complaints } = await open(cluster, { operators: [operator] });
    await expect.poll(() => headline(tab), DEADLINE).toBe('1 controller at work');
    await expect.poll(() => tab.locator('.controllers .badge').allInnerTexts(), DEADLINE).toEqual(['leading']);
    await expect.poll(() => tab.locator('.controllers .failures').innerText(), DEADLINE).toMatch(/^\d+\ndefault\/bad: <b>no<\/b> --password=/);
    const keys = tab.locator('.keys .row-link');
    await expect.poll(() => keys.allInnerTexts(), DEADLINE).toEqual(expect.arrayContaining(['default/bad', 'default/good']));
    await expect.poll(() => tab.locator('.keys .why').first().innerText(), DEADLINE).toMatch(/^(?:runs again in|has been) /);
    expect(await tab.locator('main').innerText()).not.toContain('hunter2');

    await tab.getByRole('link', { name: 'default/good' }).click();
    await expect.poll(() => headline(tab), DEADLINE).toBe('default/good');
    await expect.poll(() => tab.locator('.sentence').innerText(), DEADLINE).toMatch(/^default\/good ran \d+\.\d s ago \(success\) because of /);
    const kinds = (): Promise<string[]> => tab.locator('.steps .kind').allInnerTexts();
    await expect.poll(async () => new Set(await kinds()), DEADLINE).toEqual(new Set(['event', 'queued', 'run', 'write', 'echo']));
    await expect.poll(async () => (await tab.locator('.steps .what').allInnerTexts()).join('\n'), DEADLINE).toMatch(/apply v1\/secrets default\/child: in the cache \d+ms later/);
    for (const width of [1280, 390]) {
      await tab.setViewportSize({ width, height: 844 });
      expect(await overflow(tab)).toBe(0);
    }
    await tab.keyboard.press('Escape');
    await expect.poll(() => headline(tab), DEADLINE).toBe('1 controller at work');
    expect(await overflow(tab)).toBe(0);
    expect(complaints).toEqual([]);
  }); // prettier-ignore

  test('CTR-44, CTR-47: the leader of the demo crashes, and the page shows the other replica take over', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kube-'));
    const server = await startApiServer({ controllers: DEMO_CONTROLLERS, nodes: demoNodes(() => env.random()) });
    const kubeconfig = join(folder, 'config');
    await server.writeKubeconfig(kubeconfig);
    const end = new AbortController();
    const living = new Simulation(server, env).run(end.signal);
    const replicas = new DemoReplicas(kubeconfig, env);
    const cluster = await Cluster.connect({ kubeconfigFile: kubeconfig, env });
    onTestFinished(async () => {
      end.abort();
      await living;
      await replicas[Symbol.asyncDispose]();
      await cluster.close();
      await server.close();
      await rm(folder, { recursive: true });
    });
    await replicas.start();
    const { tab, complaints } = await open(cluster, { operators: replicas.operators, faults: demoFaultsOfReplicas(replicas) });
    await expect.poll(() => headline(tab), DEADLINE).toMatch(/^backups-\w+ leads, 1 replica ready to take over$/);
    await tab.getByRole('link', { name: 'Faults' }).click();
    await tab.getByRole('button', { name: 'Crash the leader: start' }).click();
    await tab.getByRole('link', { name: 'Controllers', exact: true }).click();
    await expect.poll(async () => (await tab.locator('.controllers .badge').allInnerTexts()).toSorted(), DEADLINE).toEqual(['ended', 'leading', 'standby']);
    const rows = await tab.locator('.controllers tbody tr').allInnerTexts();
    const crashed = /backups-\w+/.exec(rows.find((row) => row.includes('ended')) ?? '')?.[0] ?? 'none';
    await expect.poll(() => headline(tab), DEADLINE).toMatch(/^backups-\w+ leads, 1 replica ready to take over$/);
    const [second = ''] = (await headline(tab)).split(' ');
    expect(second).not.toBe(crashed);
    const story = (await tab.locator('.leaders li').allInnerTexts()).map((line) => line.replaceAll(/\s+/g, ' '));
    // Newest first: the other one leads after the end of the first.
    const [took, ended] = [` leads ${second}`, ` has ended ${crashed}`].map((end) => story.findIndex((line) => line.endsWith(end)));
    expect(took).toBeGreaterThanOrEqual(0);
    expect(ended).toBeGreaterThan(took ?? 0);
    // The new leader continues with the keys of the old one.
    await expect.poll(() => tab.locator('.keys .row-link').allInnerTexts(), DEADLINE).toEqual(expect.arrayContaining(['db/cache-backup', 'db/orders-backup']));
    expect(complaints).toEqual([]);
  }); // prettier-ignore
});
