import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ClientConnectOptions } from 'kube-informer/client';

const PROGRAM = fileURLToPath(new URL('child.ts', import.meta.url));
const READY_WITHIN_MS = 300_000;

/** The settings of the child, and its messages. */
export interface Birth {
  readonly connect: ClientConnectOptions;
}
export type Word =
  | { readonly type: 'synced'; readonly ms: number }
  | { readonly type: 'settled' | 'wrong'; readonly violations: readonly string[] };

/**
 * A process of our own with informers in it, which is killed with SIGKILL and started again. It keeps no state: every start
 * begins with a list, and must lead to the same cache as that of the others.
 */
export class Offspring implements AsyncDisposable {
  readonly figures = { lives: 0, longestSyncMs: 0 };
  /** Figures of all its starts. */
  readonly violations = new Set<string>();
  readonly #birth: Birth;
  #child: ChildProcess | undefined;

  private constructor(birth: Birth) {
    this.#birth = birth;
  }

  static async start(birth: Birth): Promise<Offspring> {
    const offspring = new Offspring(birth);
    await offspring.#live();
    return offspring;
  }

  /** Kills it at any moment and starts another one. Resolves when that one is synced. */
  async kill(): Promise<void> {
    await this.#end();
    await this.#live();
  }

  /** Its errors, once it should have everything up to an object named `last`. */
  async settled(last: string): Promise<readonly string[]> {
    const child = this.#child;
    if (child === undefined) return ['the child is not there'];
    const answer = this.#hear(child, 'settled', 300_000);
    child.send({ last });
    const { violations } = (await answer) as Word & { type: 'settled' };
    return [...this.violations, ...violations.map((text) => `child: ${text}`)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }

  async #live(): Promise<void> {
    const child = fork(PROGRAM, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#child = child;
    this.figures.lives += 1;
    const dieWithUs = (): void => void child.kill('SIGKILL');
    process.once('exit', dieWithUs);
    child.once('exit', () => process.off('exit', dieWithUs));
    child.on('message', (word) => {
      const { type, violations = [] } = word as Partial<Word & { type: 'wrong' }>;
      if (type === 'wrong') for (const text of violations) this.violations.add(`child: ${text}`);
    });
    const synced = this.#hear(child, 'synced', READY_WITHIN_MS);
    child.send(this.#birth);
    const { ms } = (await synced) as Word & { type: 'synced' };
    this.figures.longestSyncMs = Math.max(this.figures.longestSyncMs, ms);
  }

  #hear(child: ChildProcess, type: Word['type'], withinMs: number): Promise<Word> {
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        child.off('message', listen);
        child.off('exit', ended);
      };
      const timer = setTimeout(() => {
        done();
        reject(new Error(`the child was not ${type} within ${withinMs} ms`));
      }, withinMs);
      const listen = (word: unknown): void => {
        if ((word as Word).type !== type) return;
        done();
        resolve(word as Word);
      };
      const ended = (code: number | null): void => {
        done();
        reject(new Error(`the child ended by itself with ${code}`));
      };
      child.on('message', listen);
      child.once('exit', ended);
    });
  }

  async #end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}
