/**
 * Bundles the inspector's page: one script, one stylesheet, one document, one picture.
 *
 *   node tools/build/bundle-page.mjs     writes packages/inspector/dist/page.js
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(`../../packages/inspector/${path}`, import.meta.url));
/** Maximum size of the script, for people on slow machines. */
const MAX_SCRIPT_BYTES = 60_000;

export async function bundlePage() {
  const { outputFiles } = await build({
    entryPoints: [at('web/main.ts'), at('web/style.css')],
    outdir: at('dist/page'),
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'error',
    // The page must not depend on the folder it was built in.
    legalComments: 'none',
  });
  const text = (ending) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  const [html, icon] = await Promise.all([
    readFile(at('web/index.html'), 'utf8'),
    readFile(at('web/icon.svg'), 'utf8'),
  ]);
  const page = { html, script: text('.js'), style: text('.css'), icon };
  const bytes = Buffer.byteLength(page.script);
  if (bytes > MAX_SCRIPT_BYTES)
    throw new Error(`the page's script has ${bytes} bytes, at most ${MAX_SCRIPT_BYTES} are allowed`);
  return page;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = await bundlePage();
  await mkdir(at('dist'), { recursive: true });
  await writeFile(at('dist/page.js'), `export const page = ${JSON.stringify(page)};\n`);
  console.log(
    `packages/inspector/dist/page.js: script ${Buffer.byteLength(page.script)} bytes, style ${Buffer.byteLength(page.style)} bytes`,
  );
}
