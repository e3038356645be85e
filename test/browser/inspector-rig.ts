import { type ApiServer, startApiServer } from '@kube-informer/apiserver';
import { type Fault, startInspector } from '@kube-informer/inspector';
import { Cluster, type KubeObject } from 'kube-informer';
import { systemEnv } from 'kube-informer/core';
import { onTestFinished } from 'vitest';
import type { Browser, Sheet, SheetOptions } from './chromium.ts';

/** Globals of the tab that the helpers use. */
declare const document: {
  readonly activeElement: { readonly tagName: string; readonly textContent: string | null } | null;
  readonly documentElement: { readonly scrollWidth: number; readonly clientWidth: number };
};

export const WIDE = { width: 1280, height: 800 };
export const NARROW = { width: 390, height: 844 };
/** Reads from the page until the value is as expected: a page shows a change a moment later. */
export const DEADLINE = { timeout: 60_000 };

export const configMap = (name: string, data: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name, ...metadata }, data,
}); // prettier-ignore

export interface RigOptions extends SheetOptions {
  readonly objects?: readonly object[];
  readonly reveal?: boolean;
  readonly log?: (line: string) => void;
  readonly faults?: readonly Fault[];
}

/** An API server, an informer on its ConfigMaps, an inspector, and its page in a new tab. */
export async function openInspectorTab(
  browser: Browser,
  { objects = [], reveal = false, log = () => {}, faults = [], ...options }: RigOptions = {},
) {
  const server = await startApiServer();
  server.load(objects as Parameters<ApiServer['load']>[0]);
  const cluster = await Cluster.connect({ kubeconfig: server.kubeconfig(), env: { ...systemEnv, log: () => {} } });
  const byColour = (object: KubeObject): string[] => [object.metadata?.labels?.['colour'] ?? 'none'];
  const maps = cluster.informer('v1/configmaps', { indexers: { byColour } });
  await maps.synced({ timeoutMs: 60_000 });
  const cut: Fault = {
    name: 'cut',
    title: 'Cut all watches',
    description: 'Connections break.',
    run: () => void server.faults.cutWatches(),
  };
  const env = { ...systemEnv, log: (_: string, message: string) => log(message) };
  const inspector = await startInspector(cluster, { faults: [cut, ...faults], reveal, env });
  const tab = await browser.newPage({ viewport: WIDE, ...options });
  onTestFinished(async () => {
    await tab.close();
    await inspector.close();
    await cluster.close();
    await server.close();
  });
  const complaints: string[] = [];
  tab.on('pageerror', (error) => complaints.push(String(error)));
  tab.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  await tab.goto(inspector.url);
  return { server, inspector, tab, complaints, cluster };
} // prettier-ignore

export const names = (tab: Sheet): Promise<string[]> => tab.locator('.objects td.name').allInnerTexts();
export const open = async (tab: Sheet): Promise<void> => {
  await tab.getByRole('link', { name: 'v1/configmaps' }).first().click();
  await tab.locator('.objects').waitFor();
};
export const focused = (tab: Sheet): Promise<string> =>
  tab.evaluate(async () => `${document.activeElement?.tagName} ${document.activeElement?.textContent}`, undefined);
export const overflow = (tab: Sheet): Promise<number> =>
  tab.evaluate(async () => document.documentElement.scrollWidth - document.documentElement.clientWidth, undefined);
