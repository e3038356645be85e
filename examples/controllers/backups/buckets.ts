/** The storage that backups are written to. */
export interface Buckets {
  ensure(name: string, options: { readonly signal: AbortSignal }): Promise<void>;
  drop(name: string, options: { readonly signal: AbortSignal }): Promise<void>;
}

/** Buckets of an HTTP service: PUT creates one, DELETE removes one. Both may be repeated. */
export const httpBuckets = (url: string): Buckets => {
  const send = async (method: string, name: string, signal: AbortSignal): Promise<void> => {
    const response = await fetch(new URL(name, url), { method, signal });
    await response.body?.cancel();
    const isGone = method === 'DELETE' && response.status === 404;
    if (!response.ok && !isGone) throw new Error(`${method} of bucket ${name}: status ${response.status}`);
  };
  return {
    ensure: (name, { signal }) => send('PUT', name, signal),
    drop: (name, { signal }) => send('DELETE', name, signal),
  };
};

export class FakeBuckets implements Buckets {
  readonly names = new Set<string>();

  async ensure(name: string): Promise<void> {
    this.names.add(name);
  }

  async drop(name: string): Promise<void> {
    this.names.delete(name);
  }
}
