import { Client, type ClientConnectOptions } from 'kube-informer/client';
import { informerProgram } from '../platform/informer-program.ts';

/** The error of a client that cannot be created. */
async function refusal(options: ClientConnectOptions): Promise<string> {
  try {
    await using client = await Client.connect(options);
    return `connected to ${client.connection.server.href}`;
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string };
    return `${code}: ${message}`;
  }
}

/** Functions that the test calls in the tab. */
export interface Page {
  readonly informerProgram: typeof informerProgram;
  readonly refusal: typeof refusal;
}

Object.assign(globalThis, { page: { informerProgram, refusal } satisfies Page });
