/** A message on the channel `kube-informer:request`: one attempt at a request, published at its headers or its failure. */
export interface RequestEvent {
  readonly method: string;
  /** Path of the request, without the query, which may hold secrets. */
  readonly path: string;
  /** Scheme, host and port. */
  readonly server: string;
  /** 1 for the first time the request is sent. */
  readonly attempt: number;
  /** Time until status and headers, or until the failure, including the wait for a connection. */
  readonly ms: number;
  /** Undefined without a connection, and for `fetch`, which does not expose it. */
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

/** Undefined before the first request. */
let requests: Channel | 'none' | undefined;

/** Publishes on `kube-informer:request`, where the platform has diagnostics channels: Node, Deno, Bun. */
export function publishRequestDiagnostics(event: () => RequestEvent): void {
  requests ??= diagnosticsChannel('kube-informer:request');
  if (requests !== 'none' && requests.hasSubscribers) requests.publish(event());
}

function diagnosticsChannel(name: string): Channel | 'none' {
  // Looked up by name, not imported: a bundle for browsers must not contain it.
  const { process } = globalThis as { process?: Builtins };
  return process?.getBuiltinModule?.('node:diagnostics_channel')?.channel(name) ?? 'none';
}
