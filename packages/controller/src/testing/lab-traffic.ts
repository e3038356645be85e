import type { Transport, TransportResponse } from 'kube-informer/client';

/** Counts the requests that are under way. An open watch is not one of them. */
export class Traffic {
  #count = 0;
  #total = 0;

  get count(): number {
    return this.#count;
  }

  /** Requests since the start. */
  get total(): number {
    return this.#total;
  }

  /** The same transport, counted. */
  counted(transport: Transport): Transport {
    return {
      close: () => transport.close(),
      send: async (request) => {
        this.#count += 1;
        this.#total += 1;
        let response: TransportResponse;
        try {
          response = await transport.send(request);
        } catch (error) {
          this.#count -= 1;
          throw error;
        }
        if (request.longLived !== true) return { ...response, body: this.#until(response.body) };
        this.#count -= 1;
        return response;
      },
    };
  }

  async *#until(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } finally {
      this.#count -= 1;
    }
  }
}
