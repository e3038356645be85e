import { Client, type ClientConnectOptions } from 'kube-informer/client';
import { informerProgram } from '../platform/informer-program.ts';

/** What a client that cannot be made says. */
async function refusal(options: ClientConnectOptions): Promise<string> {
  try {
    await using client = await Client.connect(options);
    return `connected to ${client.connection.server.href}`;
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string };
    return `${code}: ${message}`;
  }
}

/** What the test calls from outside. */
export interface Page {
  readonly informerProgram: typeof informerProgram;
  readonly refusal: typeof refusal;
}

Object.assign(globalThis, { page: { informerProgram, refusal } satisfies Page });
