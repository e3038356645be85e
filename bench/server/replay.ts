import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rawGet } from './raw-get.ts';
import type { ReplayCommand } from './replay-server.ts';

/** The replay of a real server's pods, and the commands to it. */
export class Replay implements AsyncDisposable {
  readonly kubeconfig: string;
  readonly #child: ChildProcess;
  readonly #dir: string;

  private constructor(child: ChildProcess, dir: string) {
    this.#child = child;
    this.#dir = dir;
    this.kubeconfig = join(dir, 'kubeconfig');
  }

  /** Records the pods that match the selector, in both encodings. */
  static async start(kubeconfig: string, selector: string): Promise<Replay> {
    const dir = await mkdtemp(join(tmpdir(), 'bench-replay-'));
    const path = `/api/v1/pods?labelSelector=${encodeURIComponent(selector)}`;
    const files = { json: 'application/json', protobuf: 'application/vnd.kubernetes.protobuf' };
    for (const [name, accept] of Object.entries(files))
      await writeFile(join(dir, name), Buffer.concat(await rawGet(kubeconfig, path, accept)));
    const program = fileURLToPath(new URL('replay-server.ts', import.meta.url));
    const child = fork(program, [join(dir, 'json'), join(dir, 'protobuf'), join(dir, 'kubeconfig')]);
    await once(child, 'message');
    return new Replay(child, dir);
  }

  async do(command: ReplayCommand): Promise<void> {
    this.#child.send(command);
    await once(this.#child, 'message');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.disconnect();
    await rm(this.#dir, { recursive: true, force: true });
  }
}
