/** The files of the page, as text. Nothing else is served. */
export interface PageAssets {
  readonly html: string;
  readonly script: string;
  readonly style: string;
  readonly icon: string;
}

/**
 * The module `#page`: bundled at build time, or, when run from source, at start-up.
 *
 * Room rule: declares a module that `tools/build/bundle-page.mjs` writes.
 */
export declare const page: PageAssets;
