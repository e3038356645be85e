import type { IncomingHttpHeaders } from 'node:http';

/** The sub-protocol of a WebSocket that carries the SPDY of a port forwarding. */
export const FORWARD_TUNNEL = 'SPDY/3.1+portforward.k8s.io';

/** Whether a request asks to become a SPDY connection. */
export function isSpdyRequest({ connection = '', upgrade = '' }: IncomingHttpHeaders): boolean {
  return connection.toLowerCase().includes('upgrade') && upgrade.toLowerCase().includes('spdy/3.1');
}
