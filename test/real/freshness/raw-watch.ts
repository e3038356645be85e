import { request } from 'node:https';
import type { ControlPlane } from '../harness/control-plane.ts';

/** A frame of a watch and when it was complete, in milliseconds since the request. */
export interface TimedFrame {
  readonly type: string;
  readonly object: {
    readonly code?: number;
    readonly message?: string;
    readonly metadata: {
      readonly name?: string;
      readonly resourceVersion: string;
      readonly annotations?: Readonly<Record<string, string>>;
    };
  };
  readonly atMs: number;
}

/** A watch from its request to its end, as the bytes came. */
export interface RawWatch {
  readonly status: number;
  /** Undefined if they never came. */
  readonly headersAtMs: number | undefined;
  readonly frames: readonly TimedFrame[];
  readonly endedAtMs: number;
  /** Text that is not a frame: the body of a refusal. */
  readonly text: string;
}

export interface RawWatchOptions {
  /** @default the first kube-apiserver */
  readonly url?: string;
  /** Given up after it. @default 90_000 */
  readonly withinMs?: number;
}

/** Parameters of a streaming list of an object that does not exist; see test/conformance/cases/freshness.ts. */
export const ECHO = {
  sendInitialEvents: 'true',
  resourceVersionMatch: 'NotOlderThan',
  allowWatchBookmarks: 'true',
  fieldSelector: 'metadata.name=there-is-no-such-object',
};

/** Opens a watch over HTTP/1.1 without a client library, and reads it to its end. */
export function rawWatch(
  { url: own, credentials: { ca, token } }: ControlPlane,
  path: string,
  query: Readonly<Record<string, string | number>>,
  { url = own, withinMs = 90_000 }: RawWatchOptions = {},
): Promise<RawWatch> {
  const parameters = new URLSearchParams({ watch: 'true' });
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  const began = performance.now();
  const since = (): number => performance.now() - began;
  return new Promise((resolve, reject) => {
    let status = 0;
    let headersAtMs: number | undefined;
    let text = '';
    const frames: TimedFrame[] = [];
    const done = (): void => resolve({ status, headersAtMs, frames, endedAtMs: since(), text });
    const headers = { authorization: `Bearer ${token}` };
    const call = request(`${url}${path}?${parameters.toString()}`, { ca, headers, agent: false }, (answer) => {
      status = answer.statusCode ?? 0;
      headersAtMs = since();
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
        if (status !== 200) return;
        const lines = text.split('\n');
        text = lines.pop() ?? '';
        for (const line of lines) frames.push({ ...(JSON.parse(line) as Omit<TimedFrame, 'atMs'>), atMs: since() });
      });
      answer.on('close', done);
      answer.on('error', () => {}); // `close` follows
    });
    call.on('error', reject).end();
    // An own socket per call: it ends with it.
    const timer = setTimeout(() => (headersAtMs === undefined ? (done(), call.destroy()) : call.destroy()), withinMs);
    call.on('close', () => clearTimeout(timer));
  });
}
