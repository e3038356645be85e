import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ClientConnectOptions } from 'kube-informer/client';
import { until } from '../harness/until.ts';

const PROGRAM = fileURLToPath(new URL('suspended-program.ts', import.meta.url));
const FLAGS = ['--conditions=@kube-informer/source', `--import=${import.meta.resolve('tsx')}`];

/** Settings of the program. */
export interface Birth {
  readonly connect: ClientConnectOptions;
  readonly namespace: string;
  /** The `maxStalenessMs` of the reads whose refusal it reports. */
  readonly maxStalenessMs: number;
}

/** One informer as a reader in the program sees it. */
export interface Sight {
  readonly protocol: string;
  readonly kind: string;
  readonly words: string;
  /** Whether a read with `maxStalenessMs` was refused. */
  readonly isRefused: boolean;
  readonly names: readonly string[];
}

export type Word =
  | { readonly type: 'ready' }
  | { readonly type: 'sight'; readonly from: string; readonly sights: readonly Sight[] };

/** A process with informers in it that can be stopped and continued, as by `docker pause` or an overcommitted host. */
export class Suspended implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #words: Word[] = [];

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (word) => this.#words.push(word as Word));
  }

  static async start(birth: Birth): Promise<Suspended> {
    const child = fork(PROGRAM, { execArgv: FLAGS, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    process.once('exit', () => child.kill('SIGKILL'));
    const one = new Suspended(child);
    child.send(birth);
    await until('the process has synced informers', () => one.#words.some(({ type }) => type === 'ready'), {
      withinMs: 120_000,
    });
    return one;
  }

  suspend(): void {
    this.#child.kill('SIGSTOP');
  }

  /** Lets it run again, with a question waiting; gives what its first turn saw of each informer. */
  async resume(): Promise<readonly Sight[]> {
    this.#words.length = 0;
    this.#child.send('look');
    this.#child.kill('SIGCONT');
    return this.#sight();
  }

  async look(): Promise<readonly Sight[]> {
    this.#words.length = 0;
    this.#child.send('look');
    return this.#sight();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  async #sight(): Promise<readonly Sight[]> {
    const first = (): (Word & { type: 'sight' }) | undefined => this.#words.find((word) => word.type === 'sight');
    await until('the process says what it sees', () => first() !== undefined);
    return first()?.sights ?? [];
  }
}
