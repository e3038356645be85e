import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiObject, startApiServer } from '@kube-informer/apiserver';
import { build } from 'esbuild';
import { describe, expect, onTestFinished, test } from 'vitest';
import { kubectlProxy } from '../runtimes/kubectl-proxy.ts';
import { launchChromium, whatBrowserIsMissing } from './chromium.ts';

const missing = whatBrowserIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: examples/web/browser: ${missing}\n`);

const EXAMPLE = join(import.meta.dirname, '../../examples/web/browser');

/** Globals of the tab. */
declare const document: { querySelector(selector: string): { textContent: string | null } | null };

async function site(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'site-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await build({
    entryPoints: [join(EXAMPLE, 'main.ts')],
    outfile: join(dir, 'main.js'),
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['@kube-informer/source'],
  });
  await copyFile(join(EXAMPLE, 'index.html'), join(dir, 'index.html'));
  return dir;
}

describe.skipIf(missing !== undefined)('examples/web/browser, on the embedded server behind kubectl proxy', () => {
  test('shows pods as they come and go, through a broken watch, and lets go when the page is left', async () => {
    await using server = await startApiServer();
    const load = (name: string, phase: string): number =>
      server.load([
        { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'web' }, status: { phase } } as ApiObject,
      ]);
    load('first', 'Running');
    const kubeconfig = join(await mkdtemp(join(tmpdir(), 'example-')), 'kubeconfig');
    onTestFinished(() => rm(join(kubeconfig, '..'), { recursive: true, force: true }));
    await server.writeKubeconfig(kubeconfig);
    const proxy = await kubectlProxy(kubeconfig, `--www=${await site()}`, '--www-prefix=/static/');
    onTestFinished(() => proxy.stop());
    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    const tab = await browser.newPage();
    const complaints: string[] = [];
    tab.on('pageerror', (error) => complaints.push(String(error)));
    tab.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await tab.goto(`${proxy.url}/static/`);
    const shown = (selector: string): Promise<string> =>
      tab.evaluate(async (of) => document.querySelector(of)?.textContent ?? '', selector);

    await expect.poll(() => shown('#pods'), { timeout: 60_000 }).toBe('web/first: Running');
    load('second', '<b>Running</b>');
    await expect.poll(() => shown('#pods'), { timeout: 60_000 }).toContain('web/second: <b>Running</b>');
    expect(await shown('#pods b')).toBe('');
    expect(complaints).toEqual([]);
    server.faults.cutWatches();
    server.local.remove('', 'pods', 'web', 'first', { gracePeriodSeconds: 0 });
    await expect.poll(() => shown('#pods'), { timeout: 60_000 }).toBe('web/second: <b>Running</b>');
    await expect.poll(() => shown('#state'), { timeout: 60_000 }).toBe('synced, 1 pods');
    await tab.goto('about:blank');
    await expect.poll(() => server.watchers().length, { timeout: 60_000 }).toBe(0);
  });
});
