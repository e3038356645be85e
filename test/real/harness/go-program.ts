import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Interval at which a builder shows that it is alive. */
const SIGN_OF_LIFE_MS = 2_000;
/** A builder that has not shown it for this long is dead. */
const DEAD_AFTER_MS = 60_000;

/** Programs that are built from one Go module. */
export interface GoModule {
  /** Name of the folder in the cache. */
  readonly name: string;
  /** The folder with go.mod. */
  readonly source: string;
  /** Which Go package each program is. */
  readonly packages: Readonly<Record<string, string>>;
  readonly tags?: string;
}

type Log = (line: string) => void;

/** Building takes minutes; the results are kept outside the repository, by what they are made of. */
export function cacheRoot(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kube-informer', 'control-plane');
}

export function onPath(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((dir) => existsSync(join(dir, name)));
}

/** The reason the programs are not available here, as a sentence; undefined if they are. */
export async function whatBuildingLacks(module: GoModule): Promise<string | undefined> {
  if (onPath('go') || missingIn(await directory(module), module).length === 0) return undefined;
  return `Go is not here to build ${Object.keys(module.packages).join(', ')}`;
}

/**
 * The folder with the programs of a module; builds those that are not there yet.
 *
 * One process builds, others wait for it: two at once would take twice the time and memory for the same file.
 */
export async function built(module: GoModule, log: Log = () => {}): Promise<string> {
  const dir = await directory(module);
  if (missingIn(dir, module).length === 0) return dir;
  await mkdir(dir, { recursive: true });
  await using _lock = await Lock.take(join(dir, '.lock'));
  for (const name of missingIn(dir, module)) {
    log(`building ${name} from its Go module; this takes minutes, once`);
    // Under another name first: an interrupted build must not count as a program.
    const unfinished = join(dir, `.${name}-${process.pid}`);
    const tags = module.tags === undefined ? [] : [`-tags=${module.tags}`];
    const path = module.packages[name] as string;
    await run('go', ['build', ...tags, '-trimpath', '-ldflags=-s -w', '-o', unfinished, path], {
      cwd: module.source,
      env: { ...process.env, GOFLAGS: '-mod=readonly' },
      maxBuffer: 64 << 20,
    });
    await rename(unfinished, join(dir, name));
  }
  return dir;
}

const missingIn = (dir: string, { packages }: GoModule): string[] =>
  Object.keys(packages).filter((name) => !existsSync(join(dir, name)));

/** A hash that changes with every line of the source. */
async function directory({ name, source }: GoModule): Promise<string> {
  const hash = createHash('sha256');
  const files = (await readdir(source)).filter((file) => file === 'go.mod' || file.endsWith('.go'));
  for (const file of files.toSorted()) hash.update(await readFile(join(source, file)));
  return join(cacheRoot(), `${name}-${hash.digest('hex').slice(0, 12)}`);
}

/** A directory that only one process can make; its age says whether that process is still alive. */
class Lock implements AsyncDisposable {
  readonly #path: string;
  readonly #heart: NodeJS.Timeout;

  private constructor(path: string) {
    this.#path = path;
    const beat = (): void => void utimes(path, new Date(), new Date()).catch(() => {});
    this.#heart = setInterval(beat, SIGN_OF_LIFE_MS).unref();
  }

  static async take(path: string): Promise<Lock> {
    for (;;) {
      const taken = await mkdir(path).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') return false;
          throw error;
        },
      );
      if (taken) return new Lock(path);
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
      // Renamed first: of two processes that find it stale only one removes it.
      if (Date.now() - mtimeMs > DEAD_AFTER_MS) await rename(path, `${path}-dead-${process.pid}`).catch(() => {});
      await rm(`${path}-dead-${process.pid}`, { recursive: true, force: true });
      await sleep(250);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#heart);
    await rm(this.#path, { recursive: true, force: true });
  }
}
