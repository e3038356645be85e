import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { built, type GoModule, whatBuildingLacks } from '../real/harness/go-program.ts';
import { PING } from './our-client.ts';
import { CONFIG_MAPS, isDynamic, type Script } from './script.ts';
import { type Notice, Story } from './story.ts';
import type { Address, Subject } from './subject.ts';
import { suspendProcess } from './suspend.ts';

const CLIENT_GO: GoModule = {
  name: 'differential',
  source: join(dirname(fileURLToPath(import.meta.url)), 'client-go'),
  packages: { 'client-go': '.' },
};

/** A message of the Go program. */
interface Line {
  readonly id?: string;
  readonly type: string;
  readonly text?: string;
  readonly objects?: object[];
}

/** The reason client-go cannot run here, as a sentence; undefined if it can. */
export function whatGoLacks(): Promise<string | undefined> {
  return whatBuildingLacks(CLIENT_GO);
}

/** The Go program: client-go informers, controlled by lines of text. */
export class GoHost implements AsyncDisposable {
  /** Version of client-go. */
  readonly version: string;
  readonly #child: ChildProcess;
  readonly #listeners = new Map<string, (line: Line) => void>();
  #isOver = false;

  private constructor(child: ChildProcess, version: string) {
    this.#child = child;
    this.version = version;
    child.once('exit', (code) => {
      this.#isOver = true;
      for (const tell of this.#listeners.values()) tell({ type: 'over', text: `the program ended with ${code}` });
    });
  }

  static async start(log: (line: string) => void = () => {}): Promise<GoHost> {
    const child = spawn(join(await built(CLIENT_GO, log), 'client-go'), [], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {
        ...process.env,
        HTTP2_READ_IDLE_TIMEOUT_SECONDS: String(PING.afterMs / 1000),
        HTTP2_PING_TIMEOUT_SECONDS: String(PING.timeoutMs / 1000),
      },
    });
    // A test run that crashes must not leave processes behind.
    process.once('exit', () => child.kill('SIGKILL'));
    // A write to a program that has ended shows in its exit, not here.
    child.stdin?.on('error', () => {});
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`client-go ended with ${code}`)));
    const [first] = (await Promise.race([once(lines, 'line'), ended])) as [string];
    ended.catch(() => {});
    const host = new GoHost(child, (JSON.parse(first) as Line).text ?? '');
    lines.on('line', (text) => {
      const line = JSON.parse(text) as Line;
      if (line.id !== undefined) host.#listeners.get(line.id)?.(line);
    });
    return host;
  }

  get isAlive(): boolean {
    return !this.#isOver;
  }

  suspend(ms: number): Promise<void> {
    return suspendProcess(this.#child, ms);
  }

  say(command: object): void {
    if (!this.#isOver) this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
  }

  hear(id: string, listener: (line: Line) => void): void {
    this.#listeners.set(id, listener);
  }

  forget(id: string): void {
    this.#listeners.delete(id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOver) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}

/** Starts a SharedIndexInformer of client-go. */
export async function startClientGo(host: GoHost, script: Script, address: Address): Promise<Subject> {
  const {
    name: id,
    subjects = CONFIG_MAPS,
    watchList = true,
    http1,
    namespace,
    labelSelector,
    resyncMs,
    failOn,
    undigestible,
  } = script;
  const { group, version, resource } = subjects;
  const story = new Story();
  const errors: string[] = [];
  let isSynced = false;
  let broken: Error | undefined;
  let asked: { readonly resolve: (line: Line) => void; readonly reject: (reason: Error) => void } | undefined;
  host.hear(id, (line) => {
    if (line.type === 'synced') isSynced = true;
    else if (line.type === 'error') errors.push(line.text ?? '');
    else if (line.type === 'dump' || line.type === 'stopped') asked?.resolve(line);
    else if (line.type === 'over' || line.type === 'failed') {
      broken = new Error(`client-go: ${line.text ?? ''}`);
      asked?.reject(broken);
    } else story.tell({ ...(line as unknown as Notice), resync: resyncMs !== undefined });
  });
  /** Rejects when the program reports an error, or ends before it responds. */
  const ask = (command: 'dump' | 'stop'): Promise<Line> => {
    if (broken !== undefined || !host.isAlive) return Promise.reject(broken ?? new Error('client-go has ended'));
    return new Promise((resolve, reject) => {
      asked = { resolve, reject };
      host.say({ do: command, id });
    });
  };
  const mode = isDynamic(script) ? 'dynamic' : 'typed';
  const { url, ca, token, tokenFile } = address;
  const where = { url, ca, ...(tokenFile === undefined ? { token } : { tokenFile }) };
  const what = { group, version, resource, mode, watchList, http1, namespace, labelSelector, resyncMs };
  const { ownProcess = false, hangingHandler = false } = script;
  host.say({ do: 'start', id, ...where, ...what, panicOn: failOn, refuseOn: undigestible, hanging: hangingHandler });
  return {
    name: 'client-go',
    story,
    errors,
    get isSynced() {
      return isSynced;
    },
    get isAlive() {
      return host.isAlive;
    },
    ...(ownProcess ? { suspend: (ms: number) => host.suspend(ms) } : {}),
    ...(hangingHandler
      ? { hang: () => host.say({ do: 'hang', id }), release: () => host.say({ do: 'release', id }) }
      : {}),
    dump: async () => (await ask('dump')).objects ?? [],
    stop: async () => {
      if (broken === undefined && host.isAlive) await ask('stop');
      host.forget(id);
    },
  };
}
