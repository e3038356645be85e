import type { Transport, TransportRequest, TransportResponse } from 'kube-informer/client';
import { KubeError } from 'kube-informer/core';

/** The network of one replica, which the demo can cut as a whole or for the Lease only. */
export class ReplicaTransport implements Transport {
  readonly #inner: Transport;
  #hasLease = true;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  /** Whether requests for Leases are sent. */
  set hasLease(value: boolean) {
    this.#hasLease = value;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    if (!this.#hasLease && request.path.includes('/leases'))
      throw new KubeError('TRANSPORT', 'the demo has cut off this replica from its Lease');
    return this.#inner.send(request);
  }

  /** Closes all connections and sends nothing more. */
  close(): Promise<void> {
    return this.#inner.close();
  }
}
