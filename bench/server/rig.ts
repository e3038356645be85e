import { selectorOf } from '../data/workload.ts';
import { type BenchServer, startServer, useServer } from './bench-server.ts';
import type { Load } from './load.ts';
import { Replay } from './replay.ts';

export interface RigOptions {
  readonly loads: readonly Load[];
  /** Size of the replay. */
  readonly objects: number;
  /** A cluster to use instead of a server of our own. */
  readonly kubeconfig: string | undefined;
  readonly log: (line: string) => void;
}

/** The servers of a run. Each is started when a work needs it for the first time. */
export class Rig implements AsyncDisposable {
  readonly #options: RigOptions;
  #server: Promise<BenchServer> | undefined;
  #replay: Promise<Replay> | undefined;

  constructor(options: RigOptions) {
    this.#options = options;
  }

  server(): Promise<BenchServer> {
    const { loads, kubeconfig, log } = this.#options;
    this.#server ??= kubeconfig === undefined ? startServer(loads, log) : useServer(kubeconfig, loads, log);
    return this.#server;
  }

  replay(): Promise<Replay> {
    this.#replay ??= this.server().then((server) =>
      Replay.start(server.kubeconfig, selectorOf('friendly', this.#options.objects)),
    );
    return this.#replay;
  }

  /** What ran as the server; `none` if nothing needed one. */
  async version(): Promise<string> {
    return this.#server === undefined ? 'no server' : (await this.#server).version;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#replay?.catch(() => undefined))?.[Symbol.asyncDispose]();
    await (await this.#server?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }
}
