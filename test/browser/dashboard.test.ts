import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiObject, startApiServer } from '@kube-informer/apiserver';
import { Cluster } from 'kube-informer';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runExample } from '../examples/run-example.ts';
import { launchChromium, whatBrowserIsMissing } from './chromium.ts';

const missing = whatBrowserIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: examples/web/dashboard: ${missing}\n`);

const POLL = { timeout: 60_000 };

/** Globals of the tab. */
declare const document: { querySelector(selector: string): { innerText: string } | null };

const pod = (name: string, phase: string): ApiObject =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'web' }, status: { phase } }) as ApiObject;

describe.skipIf(missing !== undefined)('examples/web/dashboard, on the embedded server', () => {
  test('the page follows the pods, also after its connection was broken, and shows names as text', async () => {
    await using server = await startApiServer();
    await using cluster = await Cluster.connect({ kubeconfig: server.kubeconfig() });
    server.load([pod('first', 'Running')]);
    const dir = await mkdtemp(join(tmpdir(), 'dashboard-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const KUBECONFIG = join(dir, 'kubeconfig');
    await server.writeKubeconfig(KUBECONFIG);
    const start = async (port: string) => {
      const program = runExample('examples/web/dashboard/main.ts', { env: { KUBECONFIG, PORT: port } });
      await program.prints(/open http/);
      return { program, url: new URL(/open (http:\S+)/.exec(program.printed())?.[1] ?? '') };
    };
    const first = await start('0');
    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    const tab = await browser.newPage();
    const complaints: string[] = [];
    tab.on('pageerror', (error) => complaints.push(String(error)));
    await tab.goto(first.url.href);
    const shown = (selector: string): Promise<string> =>
      tab.evaluate(async (of) => document.querySelector(of)?.innerText ?? '', selector);

    await expect.poll(() => shown('#pods'), POLL).toBe('web/first\tRunning');
    await expect.poll(() => shown('#state'), POLL).toBe('synced');
    server.load([pod('first', '<b>Failed</b>'), pod('second', 'Pending')]);
    await expect.poll(() => shown('#pods'), POLL).toBe('web/first\t<b>Failed</b>\nweb/second\tPending');
    expect(await shown('#count')).toBe('2 pods');

    // The program ends and starts again; what was deleted in between is gone from the page, too.
    await first.program.interrupt();
    await expect.poll(() => shown('#state'), POLL).toBe('reconnecting');
    await cluster.resource('v1/pods').delete('web/first');
    await start(first.url.port);
    await expect.poll(() => shown('#pods'), POLL).toBe('web/second\tPending');
    await expect.poll(() => shown('#state'), POLL).toBe('synced');
    expect(complaints).toEqual([]);
  });
});
