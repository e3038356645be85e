import { type KubeObject, systemEnv } from 'kube-informer';
import { Client } from 'kube-informer/client';
import type { ControlPlane } from '../real/harness/control-plane.ts';
import { NAMESPACE } from './state.ts';

const KEYS = 150;
export const RESOURCES = ['v1/configmaps', 'example.com/v1/widgets'] as const;

type Resource = (typeof RESOURCES)[number];

export interface Flood {
  readonly resource: Resource;
  readonly count: number;
  /** Size of each write. */
  readonly bytes: number;
}

/** Changes objects all the time, through any server that is up. A write without a response may have happened. */
export class Writer {
  readonly figures = { writes: 0, failures: 0 };
  readonly #clients: readonly Client[];
  readonly #random: () => number;
  #stopped = false;
  #resting: Promise<void> | undefined;
  #idle: (() => void) | undefined;
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

  /** Writes through this server until that fails. */
  use(at: number): void {
    this.#at = at;
  }

  /** Writes nothing more until the returned function is called. Resolves when the last write has ended. */
  async rest(): Promise<() => void> {
    let wake = (): void => {};
    const idle = new Promise<void>((resolve) => (this.#idle = resolve));
    this.#resting = new Promise((resolve) => (wake = resolve));
    await idle;
    return () => {
      this.#resting = undefined;
      wake();
    };
  }

  /** Writes objects of this size through server `at` as fast as possible, then deletes them. */
  async flood(at: number, { resource: name, count, bytes }: Flood): Promise<void> {
    const resource = (this.#clients[at] as Client).resource<KubeObject>(name);
    const call = { attempts: 'once', timeoutMs: 4_000 } as const;
    let left = count;
    // Each lane has an object of its own, and stops when the server is down.
    const hand = async (object: string): Promise<void> => {
      const key = `${NAMESPACE}/${object}`;
      while (left-- > 0) {
        const data = { left: String(left), value: 'x'.repeat(bytes) };
        await resource.patch(key, made(name, object, data), {
          type: 'apply', fieldManager: 'flood', force: true, ...call,
        }); // prettier-ignore
      }
      await resource.delete(key, call);
    };
    await Promise.allSettled([0, 1, 2, 3].map((one) => hand(`flood-${one}`)));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
    for (const client of this.#clients) await client.close();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      if (this.#resting !== undefined) {
        this.#idle?.();
        await this.#resting;
      }
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
    const which = RESOURCES[this.#random() < 0.8 ? 0 : 1];
    const resource = client.resource<KubeObject>(which);
    const name = `k${Math.floor(this.#random() * KEYS)}`;
    const call = { attempts: 'once', timeoutMs: 4_000 } as const;
    const key = `${NAMESPACE}/${name}`;
    if (this.#random() < 0.2) {
      await resource.delete(key, call).catch(unlessStatus(404));
      return;
    }
    const value = `${this.figures.writes} ${'x'.repeat(Math.floor(this.#random() * 2_000))}`;
    await resource.patch(key, made(which, name, { value }), {
      type: 'apply',
      fieldManager: 'chaos',
      force: true,
      ...call,
    });
  }
}

function made(resource: Resource, name: string, data: Record<string, string>): KubeObject {
  const [apiVersion, kind] = resource === RESOURCES[0] ? ['v1', 'ConfigMap'] : ['example.com/v1', 'Widget'];
  return { apiVersion, kind, metadata: { name, namespace: NAMESPACE }, data } as KubeObject;
}

const unlessStatus = (code: number) => (error: unknown): void => {
  if ((error as { status?: { code?: number } }).status?.code !== code) throw error;
}; // prettier-ignore
