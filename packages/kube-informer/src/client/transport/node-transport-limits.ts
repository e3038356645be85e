import { requireOption } from '../../core/errors.ts';

/** Timeouts and sizes of the Node transport. The defaults are for production; tests use shorter ones. */
export interface NodeTransportLimits {
  /** Maximum time for TCP, the proxy, TLS and the first HTTP/2 frame together. @default 10_000 */
  readonly connectTimeoutMs: number;
  /** Maximum wait for status and headers, unless the request sets its own. @default 60_000 */
  readonly headersTimeoutMs: number;
  /** Maximum wait for status and headers of long-lived requests. @default 30_000 */
  readonly longLivedHeadersTimeoutMs: number;
  /**
   * A body fails when it brings no byte for this long while the reader waits. Not used for long-lived requests on HTTP/2,
   * where pings find dead connections, nor for requests that may be silent. @default 75_000
   */
  readonly silenceMs: number;
  /** HTTP/2: a connection without bytes for this long is pinged while it is in use, and before a write. @default 30_000 */
  readonly pingAfterMs: number;
  /** HTTP/2: maximum wait for the response to a ping. @default 15_000 */
  readonly pingTimeoutMs: number;
  /** Delay of the first TCP keep-alive probe; the system sends the others. @default 30_000 */
  readonly tcpKeepAliveMs: number;
  /** A connection idle for longer than this is not reused. kube-apiserver closes idle ones after 90 s. @default 60_000 */
  readonly idleSocketMs: number;
  /** HTTP/1.1: maximum number of idle connections kept. Connections in use are not limited. @default 16 */
  readonly maxIdleSockets: number;
  /** Interval at which certificate files are read again while requests run. 0: never. @default 60_000 */
  readonly tlsRefreshMs: number;
  /**
   * Maximum size of one body, after decompression. Not for long-lived bodies, whose frames are limited. 0: no limit.
   * @default 1 GiB
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

/** `given`, completed with the defaults. Throws INVALID_OPTION. */
export function checkedTransportLimits(given: Partial<NodeTransportLimits>): NodeTransportLimits {
  const limits = { ...DEFAULTS, ...given };
  for (const name of Object.keys(DEFAULTS) as (keyof NodeTransportLimits)[]) {
    const value: unknown = limits[name];
    const min = MAY_BE_ZERO.includes(name) ? 0 : 1;
    const ok = typeof value === 'number' && Number.isFinite(value) && value >= min;
    requireOption(ok, `limits.${name}`, `a number of at least ${min}`, value);
  }
  return limits;
}
