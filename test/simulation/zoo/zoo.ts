import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Bug, BUGS as ENGINE_BUGS, type Change } from './bugs.ts';
import { FRESHNESS_BUGS } from './freshness-bugs.ts';
import { Violation } from '../checks/invariants.ts';
import { runSeed } from '../run/run.ts';
import type { Engine } from '../run/subject.ts';

const SOURCE = fileURLToPath(new URL('../../../packages/kube-informer/src/', import.meta.url));
/** The folders that the informer and the reading of bodies consist of; they import nothing else. */
const ROOMS = ['core', 'store', 'informer', 'client'];

/** A copy of the engine with a bug in it. */
export interface Planted extends AsyncDisposable {
  readonly engine: Engine;
}

/**
 * Plants a bug: copies the engine's sources aside, changes the copy, and loads it. Production code has no switch
 * for this. Throws when the text to change does not occur exactly once: then the bug must be updated.
 */
export async function plant(bug: Bug): Promise<Planted> {
  const home = mkdtempSync(join(tmpdir(), 'zoo-'));
  const clear = (): void => rmSync(home, { recursive: true, force: true });
  try {
    for (const room of ROOMS) cpSync(join(SOURCE, room), join(home, room), { recursive: true });
    for (const change of bug.changes) apply(bug.name, home, change);
    const load = async (file: string): Promise<object> => import(pathToFileURL(join(home, file)).href);
    const engine = {
      ...(await load('informer/index.ts')),
      ...(await load('client/request/minimum-pace.ts')),
    } as Engine;
    return { engine, [Symbol.asyncDispose]: async () => clear() };
  } catch (error) {
    clear();
    throw error;
  }
}

function apply(name: string, home: string, { file, find, replace }: Change): void {
  const path = join(home, file);
  const text = readFileSync(path, 'utf8');
  const places = text.split(find).length - 1;
  if (places !== 1) throw new Error(`bug "${name}": expected its text once in ${file}, found it ${places} times`);
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
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
