/** The files of the page, as text. Whatever is not here is not served. */
export interface PageAssets {
  readonly html: string;
  readonly script: string;
  readonly style: string;
  readonly icon: string;
}

/**
 * What `#page` gives: bundled when the package was built, or, from source, at the start.
 *
 * Room rule: a type for a module that is written by `tools/build/bundle-page.mjs`.
 */
export declare const page: PageAssets;
