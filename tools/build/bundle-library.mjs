/**
 * Bundles what programs load: one file per entry, and chunks for what entries share. See docs/decisions/0009.
 *
 *   node tools/build/bundle-library.mjs     rewrites the scripts in dist, after `tsc -b`, whose declarations stay
 */
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Modules that read files beside the package. As entries they become chunks at the same depth, so that their paths hold. */
const LOOKING_AROUND = { 'kube-informer': [], apiserver: ['src/core/data.ts'], controller: [] };

/** Packages that are bundled. */
export const BUNDLED = Object.keys(LOOKING_AROUND);

/**
 * The module of a package that is loaded first in every program: every other entry, and every module that is loaded on demand,
 * imports it as well. Everything below it then belongs to the same entries and becomes one chunk, where esbuild would
 * make dozens of small ones; a file costs Node more than its text.
 */
const LOADED_FIRST = { 'kube-informer': 'src/core/index.ts', apiserver: 'src/index.ts' };

const rootOf = (name) => fileURLToPath(new URL(`../../packages/${name}/`, import.meta.url));

/** A plugin that adds an import of the first module to entries and to modules that are loaded on demand, at the head of their first line. */
function importedFirst(first, root, inputs, entryPoints) {
  const imports = Object.values(inputs).flatMap((input) => input.imports);
  const onDemand = imports
    .filter(({ kind, external }) => kind === 'dynamic-import' && !external)
    .map(({ path }) => path);
  const heads = new Set([...entryPoints, ...onDemand].filter((path) => path !== first).map((path) => join(root, path)));
  const setup = ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (!heads.has(path)) return undefined;
      // Relative: source maps count its length, and must not depend on the place of the build.
      const target = `./${relative(dirname(path), join(root, first)).replaceAll('\\', '/')}`;
      return { contents: `import ${JSON.stringify(target)}; ${await readFile(path, 'utf8')}`, loader: 'ts' };
    });
  return { name: 'imported-first', setup };
}

/** Bundles a package; without `write` only in memory. Returns the size of each script by its path. */
export async function bundleLibrary(name, { write }) {
  const root = rootOf(name);
  const { exports, imports = {} } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const named = [...JSON.stringify({ exports, imports }).matchAll(/"\.\/(src\/[^"]+\.ts)"/g)].map(([, path]) => path);
  const options = {
    absWorkingDir: root,
    entryPoints: [...named, ...LOOKING_AROUND[name]],
    outdir: 'dist',
    outbase: 'src',
    chunkNames: 'chunks/[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
    // Names and lines stay, so that stack traces can be read.
    minifySyntax: true,
    // Other packages, and modules that depend on the platform, are resolved at run time.
    packages: 'external',
    external: ['#*', 'node:*'],
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    write: false,
    logLevel: 'warning',
  };
  const first = LOADED_FIRST[name];
  const plugins =
    first === undefined
      ? []
      : [importedFirst(first, root, (await build(options)).metafile.inputs, options.entryPoints)];
  // The import of a module for its sake alone would be dropped: package.json says that ours have no side effects.
  const { metafile } = await build({ ...options, plugins, ignoreAnnotations: first !== undefined, write });
  const outputs = Object.entries(metafile.outputs).map(([path, { bytes }]) => [path, bytes]);
  return new Map(outputs.filter(([path]) => path.endsWith('.js')));
}

/** Removes what an earlier build, or `tsc`, left in dist. */
async function removeOthers(name, scripts) {
  const root = rootOf(name);
  for (const file of await readdir(join(root, 'dist'), { recursive: true })) {
    const path = join('dist', file);
    if (/\.js(?:\.map)?$/.test(path) && !scripts.has(path.replace(/\.map$/, ''))) await rm(join(root, path));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of BUNDLED) {
    const scripts = await bundleLibrary(name, { write: true });
    await removeOthers(name, scripts);
    const bytes = [...scripts.values()].reduce((sum, size) => sum + size, 0);
    console.log(`packages/${name}/dist: ${scripts.size} scripts, ${bytes} bytes`);
  }
}
