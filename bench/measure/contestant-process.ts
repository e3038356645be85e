import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { ControllerCommand } from '../contestants/node/controllers.ts';
import type { Command, Start } from '../contestants/node/protocol.ts';

const ANSWER_WITHIN_MS = 300_000;

/** How to start a contestant. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A line of a contestant. Which fields it has depends on the command: bench/README.md. */
export interface Answer {
  readonly cpuUs: number;
  readonly version?: string;
  readonly heapBytes?: number;
  readonly objects?: number;
  readonly wallMs?: number;
  readonly blockMs?: number;
  readonly longestGcMs?: number;
  readonly gcMs?: number;
  readonly notifications?: number;
  readonly latenciesUs?: readonly number[];
  readonly found?: number;
  readonly ns?: number;
  readonly queueUs?: number;
  readonly readyBytes?: number;
  readonly delayedBytes?: number;
  readonly runs?: number;
  readonly warm?: boolean;
  readonly firstRunMs?: number;
  readonly firstRunCpuMs?: number;
  readonly unsupported?: string;
}

/** A contestant does not know a command, or has nothing of the kind. The bench leaves the figure out and says so. */
export class Unsupported extends Error {}

/** One run of a contestant in a process of its own. */
export class ContestantProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  #stderr = '';

  constructor({ command, args, env = {} }: Program, kubeconfig: string) {
    this.#child = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      // A server on loopback is not behind a proxy.
      env: { ...process.env, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1', ...env, KUBECONFIG: kubeconfig },
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-2_000);
    });
    this.#child.stdin?.on('error', () => {});
    this.#lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  }

  /** Sends a command and waits for the answer. */
  async ask(command: Command | Start | ControllerCommand): Promise<Answer> {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
    return this.next();
  }

  /** Waits for a line. */
  async next(withinMs: number = ANSWER_WITHIN_MS): Promise<Answer> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${withinMs / 1_000} s. ${this.#stderr}`)), withinMs);
    });
    try {
      const line = await Promise.race([this.#lines.next(), late]);
      if (line.done === true) throw new Error(`${this.#child.spawnfile} ended: ${this.#stderr}`);
      const answer = JSON.parse(line.value) as Answer;
      if (answer.unsupported !== undefined) throw new Unsupported(answer.unsupported);
      return answer;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Forgets the highest memory so far, so that `peakBytes` is about what follows. */
  resetPeak(): void {
    writeFileSync(`/proc/${this.#child.pid}/clear_refs`, '5');
  }

  get peakBytes(): number {
    return this.#status('VmHWM');
  }

  get residentBytes(): number {
    return this.#status('VmRSS');
  }

  #status(name: string): number {
    const text = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) * 1_024;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('close', resolve));
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await ended;
  }
}
