import { type KubeObject, systemEnv } from 'kube-informer';
import { Client } from 'kube-informer/client';
import type { ControlPlane } from '../real/harness/control-plane.ts';
import { NAMESPACE } from './world.ts';

const KEYS = 150;
const RESOURCES = ['v1/configmaps', 'example.com/v1/widgets'] as const;

/** Changes objects all the while, through whichever server is up. What it did not hear the end of may have happened. */
export class Writer {
  readonly figures = { writes: 0, failures: 0 };
  readonly #clients: readonly Client[];
  readonly #random: () => number;
  #stopped = false;
  #done: Promise<void> | undefined;
  #at = 0;

  private constructor(clients: readonly Client[], random: () => number) {
    this.#clients = clients;
    this.#random = random;
  }

  static async start(plane: ControlPlane, random: () => number): Promise<Writer> {
    const { ca, token } = plane.credentials;
    const env = { ...systemEnv, log: (): void => {} };
    const clients = await Promise.all(plane.urls.map((url) => Client.connect({ url, ca, token, env, proxy: false })));
    const writer = new Writer(clients, random);
    writer.#done = writer.#run();
    return writer;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
    for (const client of this.#clients) await client.close();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#write();
        this.figures.writes += 1;
      } catch {
        this.figures.failures += 1;
        this.#at += 1; // the other server
      }
      await new Promise((resolve) => setTimeout(resolve, 5 + this.#random() * 15));
    }
  }

  async #write(): Promise<void> {
    const client = this.#clients[this.#at % this.#clients.length] as Client;
    const resource = client.resource<KubeObject>(RESOURCES[this.#random() < 0.8 ? 0 : 1]);
    const name = `k${Math.floor(this.#random() * KEYS)}`;
    const call = { attempts: 'once', timeoutMs: 4_000 } as const;
    const key = `${NAMESPACE}/${name}`;
    if (this.#random() < 0.2) {
      await resource.delete(key, call).catch(unlessStatus(404));
      return;
    }
    const [apiVersion, kind] = resource.name === RESOURCES[0] ? ['v1', 'ConfigMap'] : ['example.com/v1', 'Widget'];
    const value = `${this.figures.writes} ${'x'.repeat(Math.floor(this.#random() * 2_000))}`;
    const object = { apiVersion, kind, metadata: { name, namespace: NAMESPACE }, data: { value } };
    await resource.patch(key, object, { type: 'apply', fieldManager: 'chaos', force: true, ...call });
  }
}

const unlessStatus = (code: number) => (error: unknown): void => {
  if ((error as { status?: { code?: number } }).status?.code !== code) throw error;
}; // prettier-ignore
