import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Below node_modules, so that dependencies that are not bundled are found from there. */
const CACHE = join(ROOT, 'node_modules/.cache/kube-informer');

export interface Programs {
  /** The script bundled from this source file. */
  path(entry: string): string;
}

/**
 * Bundles programs from source, for tests that start processes: Node loads a bundle in a quarter of the time that tsx needs
 * for the sources.
 *
 * Entries are paths below the repository. The bundles are removed when the process exits, because test files share them.
 */
export async function bundlePrograms(entries: readonly string[]): Promise<Programs> {
  await mkdir(CACHE, { recursive: true });
  const outdir = await mkdtemp(join(CACHE, 'programs-'));
  await build({
    absWorkingDir: ROOT,
    entryPoints: [...entries],
    outdir,
    outbase: ROOT,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@kube-informer/source'],
    external: ['yaml', 'prom-client'],
    plugins: [keepAddresses],
    logLevel: 'error',
  });
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  return { path: (entry) => join(outdir, entry.replace(/\.ts$/, '.mjs')) };
}

/** Sources that look for files beside themselves find them: `import.meta.url` stays the address of the source. */
const keepAddresses: Plugin = {
  name: 'keep-addresses',
  setup(bundle) {
    bundle.onLoad({ filter: /[\\/]packages[\\/][^\\/]+[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      return {
        contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
        loader: 'ts',
      };
    });
  },
};
