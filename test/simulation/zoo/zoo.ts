import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { type Bug, BUGS as ENGINE_BUGS } from './bugs.ts';
import { FRESHNESS_BUGS } from './freshness-bugs.ts';
import { Violation } from '../checks/invariants.ts';
import { runSeed } from '../run/run.ts';
import type { Engine } from '../run/subject.ts';

const SOURCE = fileURLToPath(new URL('../../../packages/kube-informer/src/', import.meta.url));
/** Below node_modules: the test runner leaves what is there as it is. */
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/kube-informer/', import.meta.url));
/** Everything of the engine that the simulation runs. */
const ENTRY = "export * from './informer/index.ts'; export * from './client/request/minimum-pace.ts';";

/** A copy of the engine with a bug in it. */
export interface Planted extends AsyncDisposable {
  readonly engine: Engine;
}

/**
 * Plants a bug: bundles the engine's sources with a change, and loads the bundle. Production code has no switch
 * for this. Throws when the text to change does not occur exactly once: then the bug must be updated.
 */
export async function plant(bug: Bug): Promise<Planted> {
  mkdirSync(CACHE, { recursive: true });
  const home = mkdtempSync(join(CACHE, 'zoo-'));
  const clear = (): void => rmSync(home, { recursive: true, force: true });
  try {
    const changed = new Map<string, string>();
    for (const { file, find, replace } of bug.changes) {
      const text = changed.get(file) ?? readFileSync(join(SOURCE, file), 'utf8');
      const places = text.split(find).length - 1;
      if (places !== 1)
        throw new Error(`bug "${bug.name}": expected its text once in ${file}, found it ${places} times`);
      changed.set(
        file,
        text.replace(find, () => replace),
      );
    }
    const outfile = join(home, 'engine.mjs');
    await build({
      stdin: { contents: ENTRY, resolveDir: SOURCE, loader: 'ts' },
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      plugins: [withChanges(changed)],
      logLevel: 'silent',
    });
    const engine = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as Engine;
    return { engine, [Symbol.asyncDispose]: async () => clear() };
  } catch (error) {
    clear();
    throw error;
  }
}

/** Takes these texts in place of the files of the same path. A file that the engine does not load fails: nothing would be changed. */
function withChanges(texts: ReadonlyMap<string, string>): Plugin {
  return {
    name: 'with-changes',
    setup(bundle) {
      const left = new Set(texts.keys());
      bundle.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const file = relative(SOURCE, path).replaceAll('\\', '/');
        const contents = texts.get(file);
        if (contents === undefined) return undefined;
        left.delete(file);
        return { contents, loader: 'ts' };
      });
      bundle.onEnd(() =>
        left.size === 0 ? undefined : { errors: [{ text: `not in the engine: ${[...left].join()}` }] },
      );
    },
  };
}

export interface Kill {
  readonly bug: string;
  /** How many seeds it took. */
  readonly seeds: number;
  readonly violation: Violation;
}

/** Runs seeds against the bug until one finds it; undefined when none of `maxSeeds` does. */
export async function kill(bug: Bug, maxSeeds: number = bug.seeds ?? 100): Promise<Kill | undefined> {
  const planted = await plant(bug);
  try {
    for (let seed = 1; seed <= maxSeeds; seed += 1) {
      try {
        await runSeed(seed, {
          engine: planted.engine,
          ...(bug.habitat === undefined ? {} : { setup: bug.habitat }),
          ...(bug.faults === undefined ? {} : { faults: bug.faults }),
          ...(bug.scenario === undefined ? {} : { scenario: bug.scenario, pure: true }),
        });
      } catch (error) {
        if (error instanceof Violation && error.invariant !== 'simulation')
          return { bug: bug.name, seeds: seed, violation: error };
        throw error;
      }
    }
    return undefined;
  } finally {
    await planted[Symbol.asyncDispose]();
  }
}

/** All planted bugs. */
export const BUGS: readonly Bug[] = [...ENGINE_BUGS, ...FRESHNESS_BUGS];

export type { Bug };
