import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { whatIsMissing } from '../real/harness/binaries.ts';
import { ControlPlane } from '../real/harness/control-plane.ts';
import { kubectlProxy } from '../runtimes/kubectl-proxy.ts';
import { settledWatchesOf, watchesOf } from '../runtimes/watches.ts';
import { type Browser, launchChromium, whatBrowserIsMissing } from './chromium.ts';
import type { Page } from './page.ts';

const missing = whatBrowserIsMissing() ?? (await whatIsMissing());
if (missing !== undefined) console.warn(`\nSKIPPED: the client in a browser: ${missing}\n`);

/** Globals of the tab. */
declare const page: Page;

/** Bundles the page and its script as any bundler does: modules that need Node become chunks that are never loaded. */
async function site(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'site-'));
  await build({
    entryPoints: [join(import.meta.dirname, 'page.ts')],
    outdir: dir,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['@kube-informer/source'],
  });
  await writeFile(
    join(dir, 'index.html'),
    '<!doctype html><link rel="icon" href="data:,"><script type="module" src="page.js"></script>',
  );
  return dir;
}

describe.skipIf(missing !== undefined)('the client in Chromium, on a real kube-apiserver', () => {
  let plane: ControlPlane;
  let browser: Browser;
  let directory: string;
  beforeAll(async () => {
    directory = await site();
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
    browser = await launchChromium();
    console.log(`Chromium ${browser.version()}`);
  }, 1_800_000);
  afterAll(async () => {
    await browser?.close();
    await plane?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  /** A tab with our page, from the same origin as the API. */
  async function rig() {
    const proxy = await kubectlProxy(plane.kubeconfig, `--www=${directory}`, '--www-prefix=/static/');
    onTestFinished(() => proxy.stop());
    const tab = await browser.newPage();
    const complaints: string[] = [];
    tab.on('pageerror', (error) => complaints.push(String(error)));
    tab.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    await tab.goto(`${proxy.url}/static/index.html`);
    await tab.waitForFunction(() => 'page' in globalThis);
    return { tab, complaints, url: proxy.url };
  }

  test('the same program syncs, follows and leaves nothing behind', async () => {
    const namespace = 'in-chromium';
    await plane.ask('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    const before = await settledWatchesOf(plane, 'configmaps');
    const { tab, complaints, url } = await rig();
    const report = await tab.evaluate((settings) => page.informerProgram(settings), { url, namespace });
    expect(report).toEqual({
      heard: [
        `add ${namespace}/before 1 initial`,
        `add ${namespace}/after 2`,
        `update ${namespace}/after 2 3`,
        `delete ${namespace}/before`,
      ],
      cached: [`${namespace}/after`],
      state: 'synced',
      consistent: true,
      runtime: 'browser',
    });
    expect(complaints).toEqual([]);
    // The tab is still open, so the client closed the watch.
    await expect.poll(() => watchesOf(plane, 'configmaps'), { timeout: 60_000 }).toBe(before);
  });

  test('what a browser cannot do is said before anything is sent', async () => {
    const { tab } = await rig();
    const refusal = (options: object): Promise<string> =>
      tab.evaluate((given) => page.refusal(given), { url: 'https://api.test', ...options });
    const { clientCertificate: cert, clientKey: key } = plane.credentials;
    for (const options of [
      { cert, key },
      { insecureSkipTlsVerify: true },
      { serverName: 'api.internal' },
      { proxy: 'http://proxy.test:3128' },
      { tokenFile: '/var/run/token' },
      { kubeconfigFile: '/root/.kube/config' },
    ])
      expect(await refusal(options)).toMatch(/^INVALID_CONFIG: /);
    expect(await refusal({ url: undefined })).toMatch(/^INVALID_CONFIG: no cluster is configured/);
    expect(await refusal({ token: 'abc' })).toBe('connected to https://api.test/');
  });
});
