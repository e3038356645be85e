import process from 'node:process';
import { Client, type ClientConnectOptions } from 'kube-informer/client';

/** Requests to a server, one after the other, through one client; for behaviour of the platform itself. */
export interface ProbeSettings {
  readonly connect: ClientConnectOptions;
  readonly steps: readonly ProbeStep[];
}

export interface ProbeStep {
  readonly path: string;
  /** `ask`: read to the end. `abort`, `leave`, `close`: end a stream after its first bytes, in one of three ways. @default 'ask' */
  readonly how?: 'ask' | 'abort' | 'leave' | 'close';
  /** Sent by POST if given. */
  readonly body?: object;
  /** Number of attempts. @default 'once' */
  readonly attempts?: 'once' | 'default';
  readonly pauseMs?: number;
}

/** The response, or the reason there is none. */
export interface ProbeOutcome {
  readonly answer?: unknown;
  readonly failed?: string;
  readonly reason?: string;
  readonly message?: string;
}

async function outcomeOf(work: () => Promise<unknown>): Promise<ProbeOutcome> {
  try {
    return { answer: await work() };
  } catch (error) {
    const { code, message, cause } = error as Error & { code: string; cause?: { code?: string; message?: string } };
    const reason = cause?.code ?? cause?.message;
    return { failed: code, message, ...(reason === undefined ? {} : { reason }) };
  }
}

async function stream(client: Client, path: string, how: 'abort' | 'leave' | 'close'): Promise<string> {
  const stop = new AbortController();
  const lines = client.logs(path, { follow: true, signal: stop.signal });
  const { value } = await lines.next();
  const first = new TextDecoder().decode(value);
  if (how === 'leave') {
    await lines.return?.();
    return `${first} left`;
  }
  const reading = lines.next();
  if (how === 'abort') stop.abort(new Error('enough'));
  else await client.close();
  return reading.then(
    ({ done }) => `${first} ${done === true ? 'ended' : 'went on'}`,
    (error: { code?: string }) => `${first} ${error.code}`,
  );
}

const { connect, steps } = JSON.parse(process.env['PROGRAM_SETTINGS'] ?? '{}') as ProbeSettings;
let client: Client | undefined;
for (const { path, body, how = 'ask', attempts = 'once', pauseMs = 0 } of steps) {
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  const outcome = await outcomeOf(async () => {
    client ??= await Client.connect(connect);
    if (how !== 'ask') return stream(client, path, how);
    const sent = body === undefined ? {} : { method: 'POST' as const, body };
    return client.request({ path, ...sent, ...(attempts === 'once' ? { attempts } : {}) });
  });
  console.log(JSON.stringify(outcome));
}
await client?.close();
