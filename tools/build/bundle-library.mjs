/**
 * Bundles what programs load: one file per entry, and chunks for what entries share. See docs/decisions/0009.
 *
 *   node tools/build/bundle-library.mjs     rewrites the scripts in dist, after `tsc -b`, whose declarations stay
 */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Modules that read files beside the package. As entries they become chunks at the same depth, so that their paths hold. */
const LOOKING_AROUND = { 'kube-informer': [], apiserver: ['src/core/data.ts'], controller: [] };

for (const [name, lookingAround] of Object.entries(LOOKING_AROUND)) {
  const root = fileURLToPath(new URL(`../../packages/${name}/`, import.meta.url));
  const { exports, imports = {} } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const named = [...JSON.stringify({ exports, imports }).matchAll(/"\.\/(src\/[^"]+\.ts)"/g)].map(([, path]) => path);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...named, ...lookingAround],
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
    logLevel: 'warning',
  });
  const written = new Set(Object.keys(metafile.outputs));
  for (const file of await readdir(join(root, 'dist'), { recursive: true })) {
    const path = join('dist', file);
    if (/\.js(?:\.map)?$/.test(path) && !written.has(path)) await rm(join(root, path));
  }
  const scripts = Object.entries(metafile.outputs).filter(([path]) => path.endsWith('.js'));
  const bytes = scripts.reduce((sum, [, output]) => sum + output.bytes, 0);
  console.log(`packages/${name}/dist: ${scripts.length} scripts, ${bytes} bytes`);
}
