import type { Env } from '../../core/env.ts';
import { requireOption } from '../../core/errors.ts';

/** Times and sizes. The defaults are for production; tests use shorter ones. */
export interface NodeTransportLimits {
  /** For TCP, the proxy, TLS and HTTP/2's first frame together. @default 10_000 */
  readonly connectTimeoutMs: number;
  /** For status and headers, where the request does not say. @default 60_000 */
  readonly headersTimeoutMs: number;
  /** The same for long-lived requests. @default 30_000 */
  readonly longLivedHeadersTimeoutMs: number;
  /**
   * No byte for this long while the reader waits for one ends a body. Not used for long-lived requests on HTTP/2, where
   * pings find dead connections and silence is nobody's fault, nor for requests that may be silent. @default 75_000
   */
  readonly silenceMs: number;
  /** HTTP/2: a connection that was quiet for this long is pinged while it is used, and before a write. @default 30_000 */
  readonly pingAfterMs: number;
  /** HTTP/2: longest wait for the answer to a ping. @default 15_000 */
  readonly pingTimeoutMs: number;
  /** First TCP keep-alive probe after this much quiet; the system sends the others. @default 30_000 */
  readonly tcpKeepAliveMs: number;
  /** A connection unused for longer than this is not used again. kube-apiserver ends them after 90 s. @default 60_000 */
  readonly idleSocketMs: number;
  /** HTTP/1.1: unused connections kept. There is no limit for connections in use. @default 16 */
  readonly maxIdleSockets: number;
  /** While requests run, certificate files are looked at this often. 0: never. @default 60_000 */
  readonly tlsRefreshMs: number;
  /**
   * Most bytes of one body, counted after decompression; long-lived bodies have no such limit, their frames do.
   * 0: no limit. @default 1 GiB
   */
  readonly maxResponseBytes: number;
}

const DEFAULTS: NodeTransportLimits = {
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 60_000,
  longLivedHeadersTimeoutMs: 30_000,
  silenceMs: 75_000,
  pingAfterMs: 30_000,
  pingTimeoutMs: 15_000,
  tcpKeepAliveMs: 30_000,
  idleSocketMs: 60_000,
  maxIdleSockets: 16,
  tlsRefreshMs: 60_000,
  maxResponseBytes: 1_073_741_824,
};

const MAY_BE_ZERO: readonly (keyof NodeTransportLimits)[] = ['maxIdleSockets', 'tlsRefreshMs', 'maxResponseBytes'];

export function limitsFrom(given: Partial<NodeTransportLimits>): NodeTransportLimits {
  const limits = { ...DEFAULTS, ...given };
  for (const name of Object.keys(DEFAULTS) as (keyof NodeTransportLimits)[]) {
    const value: unknown = limits[name];
    const least = MAY_BE_ZERO.includes(name) ? 0 : 1;
    const ok = typeof value === 'number' && Number.isFinite(value) && value >= least;
    requireOption(ok, `limits.${name}`, `a number of at least ${least}`, value);
  }
  return limits;
}

/** Calls `fire` after `ms`, unless the returned function is called before. */
export function after(env: Env, ms: number, fire: () => void): () => void {
  const stop = new AbortController();
  void env.sleep(ms, stop.signal).then(() => {
    if (!stop.signal.aborted) fire();
  });
  return () => stop.abort();
}
