export interface PublishedRecord {
  /** The uid of the object that the record was made for. */
  readonly owner: string;
  readonly addresses: readonly string[];
  readonly ttl: number;
}

export type PutOutcome =
  | { readonly outcome: 'created' | 'changed' | 'unchanged' | 'taken' }
  | { readonly outcome: 'busy'; readonly retryAfterMs: number }
  | { readonly outcome: 'refused'; readonly message: string };

/** A request of this leader. The provider refuses one that comes with an older `fence` than it has seen. */
export interface ZoneCall {
  readonly fence: number | undefined;
  readonly signal: AbortSignal;
}

/** The DNS provider, as the operator needs it. Every call may be repeated. */
export interface Zones {
  ownedBy(owner: string, call: { readonly signal: AbortSignal }): Promise<readonly string[]>;
  put(hostname: string, record: PublishedRecord, call: ZoneCall): Promise<PutOutcome>;
  remove(hostname: string, call: ZoneCall & { readonly owner: string }): Promise<void>;
}

const OUTCOMES: ReadonlyMap<number, 'created' | 'changed' | 'unchanged' | 'taken'> = new Map([
  [201, 'created'],
  [200, 'changed'],
  [204, 'unchanged'],
  [409, 'taken'],
]);

/** Zones of a provider with an HTTP API. Another provider needs another file like this one. */
export function httpZones(url: string): Zones {
  const send = (method: string, path: string, call: Partial<ZoneCall>, body?: object): Promise<Response> =>
    fetch(new URL(path, url), {
      method,
      headers: {
        'content-type': 'application/json',
        ...(call.fence === undefined ? {} : { 'x-fence': String(call.fence) }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    });
  const failed = (what: string, { status }: Response): Error => new Error(`${what}: the provider answered ${status}`);
  return {
    async ownedBy(owner, call) {
      const response = await send('GET', `records?owner=${encodeURIComponent(owner)}`, call);
      if (!response.ok) throw failed(`records of ${owner}`, response);
      return (await response.json()) as readonly string[];
    },
    async put(hostname, record, call) {
      const response = await send('PUT', `records/${hostname}`, call, record);
      const text = await response.text();
      const outcome = OUTCOMES.get(response.status);
      if (outcome !== undefined) return { outcome };
      if (response.status === 422) return { outcome: 'refused', message: text };
      if (response.status !== 429) throw failed(`record ${hostname}`, response);
      return { outcome: 'busy', retryAfterMs: Number(response.headers.get('retry-after') ?? 1) * 1_000 };
    },
    async remove(hostname, { owner, ...call }) {
      const response = await send('DELETE', `records/${hostname}?owner=${encodeURIComponent(owner)}`, call);
      await response.body?.cancel();
      if (!response.ok && response.status !== 404) throw failed(`record ${hostname}`, response);
    },
  };
}
