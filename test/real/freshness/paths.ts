import { haproxy, nginx, type ProxySetting } from '../harness/proxies.ts';

/** A way from a client to a kube-apiserver. */
export interface Path {
  readonly name: string;
  /** Undefined for a direct connection. */
  readonly proxy?: ProxySetting;
  readonly http2: boolean;
  /**
   * Behaviour of a watch on this path. `streams`: events come at once. `buffers`: they come with its end. `stutters`:
   * small events pass, and what is longer than a buffer waits for the next one, so either way to follow is right.
   */
  readonly kind: 'streams' | 'buffers' | 'stutters';
}

const GZIP = ['gzip on', 'gzip_types application/json', 'gzip_proxied any'];
const CUT = 'proxy_read_timeout 20s';

export const PATHS: readonly Path[] = [
  { name: 'direct, HTTP/2', http2: true, kind: 'streams' },
  { name: 'direct, HTTP/1.1', http2: false, kind: 'streams' },
  { name: 'nginx as installed', proxy: nginx(), http2: false, kind: 'buffers' },
  { name: 'nginx, HTTP/1.1 to the server', proxy: nginx({ directives: ['proxy_http_version 1.1'] }), http2: false, kind: 'buffers' },
  { name: 'nginx, HTTP/2', proxy: nginx({ http2: true }), http2: true, kind: 'stutters' },
  { name: 'nginx, gzip', proxy: nginx({ directives: GZIP }), http2: false, kind: 'buffers' },
  { name: 'nginx, gzip, HTTP/2', proxy: nginx({ http2: true, directives: GZIP }), http2: true, kind: 'buffers' },
  { name: 'nginx, buffering off', proxy: nginx({ directives: ['proxy_buffering off'] }), http2: false, kind: 'streams' },
  { name: 'nginx, buffering off, HTTP/2', proxy: nginx({ http2: true, directives: ['proxy_buffering off'] }), http2: true, kind: 'streams' },
  { name: 'nginx, cut after 20 s', proxy: nginx({ directives: [CUT] }), http2: false, kind: 'buffers' },
  { name: 'nginx, HTTP/2, cut after 20 s', proxy: nginx({ http2: true, directives: [CUT] }), http2: true, kind: 'stutters' },
  { name: 'haproxy, TCP, cut after 20 s', proxy: haproxy({ mode: 'tcp', idleSeconds: 20 }), http2: true, kind: 'streams' },
  { name: 'haproxy, HTTP/1.1, cut after 20 s', proxy: haproxy({ mode: 'http', idleSeconds: 20 }), http2: false, kind: 'streams' },
  { name: 'haproxy, HTTP/2, cut after 20 s', proxy: haproxy({ mode: 'http', idleSeconds: 20 }), http2: true, kind: 'streams' },
]; // prettier-ignore
