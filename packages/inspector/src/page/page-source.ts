import type { PageAssets } from './assets.ts';

/** Bundles the page from its sources, for development. A published package contains the bundle, dist/page.js. */
const bundler = new URL('../../../../tools/build/bundle-page.mjs', import.meta.url).href;
const { bundlePage } = (await import(bundler)) as { bundlePage: () => Promise<PageAssets> };

export const page: PageAssets = await bundlePage();
