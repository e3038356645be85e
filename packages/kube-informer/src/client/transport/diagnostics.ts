/** What the channel `kube-informer:request` tells: one attempt at one request, when its headers are here or it failed. */
export interface RequestEvent {
  readonly method: string;
  /** Without the query, which may hold what nobody else should read. */
  readonly path: string;
  /** Scheme, host and port. */
  readonly server: string;
  /** 1 for the first time the request is put on the wire. */
  readonly attempt: number;
  /** Until status and headers, or the failure; the wait for a connection included. */
  readonly ms: number;
  /** Undefined when there was no connection; `fetch` does not say. */
  readonly protocol?: 'h2' | 'http/1.1';
  readonly status?: number;
  /** Code of the failure: ECONNREFUSED, ERR_HEADERS_TIMEOUT, ABORTED … */
  readonly error?: string;
}

interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

interface Builtins {
  readonly getBuiltinModule?: (name: string) => { channel(name: string): Channel } | undefined;
}

/** Undefined: not looked for yet. */
let requests: Channel | 'none' | undefined;

/** Tells subscribers of `kube-informer:request`, where the platform has such channels: Node, Deno, Bun. */
export function publishRequest(event: () => RequestEvent): void {
  requests ??= channelOf('kube-informer:request');
  if (requests !== 'none' && requests.hasSubscribers) requests.publish(event());
}

function channelOf(name: string): Channel | 'none' {
  // Asked for by name, not imported: a bundle for browsers must not hold it.
  const { process } = globalThis as { process?: Builtins };
  return process?.getBuiltinModule?.('node:diagnostics_channel')?.channel(name) ?? 'none';
}
