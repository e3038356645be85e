import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { built, type GoModule, onPath } from './go-program.ts';

const LINK: GoModule = {
  name: 'link',
  source: join(dirname(fileURLToPath(import.meta.url)), 'link'),
  packages: { link: '.' },
};

export interface LinkSettings {
  /** Share of packets that are lost, 0 to 1. */
  readonly loss?: number;
  readonly delayMs?: number;
  /** More than 0: packets overtake each other. */
  readonly jitterMs?: number;
  readonly cut?: 'both' | 'toServer' | 'toClient';
}

/** The reason a link cannot be made here, as a sentence; undefined if it can. */
export function whatALinkLacks(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'network namespaces need Linux and root';
  if (!existsSync('/dev/net/tun')) return 'there is no /dev/net/tun';
  if (!onPath('ip')) return 'iproute2 is not installed';
  if (!onPath('go')) return 'Go is not here to build the link';
  return undefined;
}

/**
 * A network between us and a server on loopback whose packets can be lost, delayed, reordered and cut: the real TCP of
 * the kernel on both sides, so everything that follows from it (retransmission, half-open connections) is real too.
 */
export class Link implements AsyncDisposable {
  /** `host:port` to connect to instead of the target. */
  readonly address: string;
  readonly #child: ChildProcess;
  readonly #lines: Interface;

  private constructor(child: ChildProcess, lines: Interface, address: string) {
    this.#child = child;
    this.#lines = lines;
    this.address = address;
  }

  static async start(target: string): Promise<Link> {
    const child = spawn(join(await built(LINK), 'link'), [`-target=${target}`], { stdio: ['pipe', 'pipe', 'inherit'] });
    process.once('exit', () => child.kill('SIGKILL'));
    const lines = createInterface({ input: child.stdout });
    const failed = once(child, 'exit').then(() => Promise.reject(new Error('the link did not start')));
    const [first] = (await Promise.race([once(lines, 'line'), failed])) as [string];
    failed.catch(() => {});
    return new Link(child, lines, (JSON.parse(first) as { address: string }).address);
  }

  /** Sets all faults of the link; those not named are off. Resolves to the packets lost under the settings before. */
  async set(settings: LinkSettings): Promise<number> {
    const answered = once(this.#lines, 'line');
    this.#child.stdin?.write(`${JSON.stringify(settings)}\n`);
    const [line] = (await answered) as [string];
    return (JSON.parse(line) as { lost: number }).lost;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
