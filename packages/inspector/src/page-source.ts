import type { PageAssets } from './page-module.ts';

/** The page from its sources, for those who work on it. A published package has it ready made, in dist/page.js. */
const bundler = new URL('../../../tools/build/bundle-page.mjs', import.meta.url).href;
const { bundlePage } = (await import(bundler)) as { bundlePage: () => Promise<PageAssets> };

export const page: PageAssets = await bundlePage();
