/** The system outside of the cluster that backups are written to. */
export interface Buckets {
  ensure(name: string, options: { readonly signal: AbortSignal }): Promise<void>;
  drop(name: string, options: { readonly signal: AbortSignal }): Promise<void>;
}

export class FakeBuckets implements Buckets {
  readonly names = new Set<string>();

  async ensure(name: string): Promise<void> {
    this.names.add(name);
  }

  async drop(name: string): Promise<void> {
    this.names.delete(name);
  }
}
