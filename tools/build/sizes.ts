/**
 * Sizes of what programs load: the scripts of each bundled package, and a minified bundle for browsers with a Cluster.
 *
 *   npx tsx tools/build/sizes.ts            prints them beside the kept ones
 *   npx tsx tools/build/sizes.ts --write    keeps them in bench/baseline.json
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
// @ts-expect-error: a script without declarations
import * as library from './bundle-library.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BASELINE = fileURLToPath(new URL('../../bench/baseline.json', import.meta.url));
const { BUNDLED, bundleLibrary } = library as {
  readonly BUNDLED: readonly string[];
  readonly bundleLibrary: (name: string, options: { write: boolean }) => Promise<ReadonlyMap<string, number>>;
};

/** Figures that are kept to be compared with later ones. */
export interface Baseline {
  /** Bytes by bundle. */
  readonly bytes: Readonly<Record<string, number>>;
  /** CPU time of an import by entry, as a part of the CPU time of an empty Node process; see bench/import.ts. */
  readonly importRatio: Readonly<Record<string, number>>;
}

export const readBaseline = async (): Promise<Baseline> => JSON.parse(await readFile(BASELINE, 'utf8')) as Baseline;

export async function writeBaseline(changed: Partial<Baseline>): Promise<void> {
  await writeFile(BASELINE, `${JSON.stringify({ ...(await readBaseline()), ...changed }, null, 2)}\n`);
}

/** The sizes of the sources as they are; nothing is written. */
export async function bundleSizes(): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {};
  for (const name of BUNDLED) {
    const scripts = await bundleLibrary(name, { write: false });
    sizes[name] = [...scripts.values()].reduce((sum, bytes) => sum + bytes, 0);
  }
  const { outputFiles } = await build({
    stdin: { contents: `export { Cluster } from 'kube-informer';`, resolveDir: ROOT },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['@kube-informer/source'],
    write: false,
  });
  sizes['browser'] = outputFiles[0]?.contents.length ?? 0;
  return sizes;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [bytes, kept] = await Promise.all([bundleSizes(), readBaseline()]);
  for (const [name, size] of Object.entries(bytes))
    console.log(`${name}: ${size} bytes, kept ${kept.bytes[name] ?? 0}`);
  if (process.argv.includes('--write')) await writeBaseline({ bytes });
}
