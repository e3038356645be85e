import type { Transport, TransportResponse } from 'kube-informer/client';

/** Counts the pending requests. An open watch does not count. */
export class Traffic {
  #count = 0;
  #total = 0;

  get count(): number {
    return this.#count;
  }

  /** Number of requests since the start. */
  get total(): number {
    return this.#total;
  }

  /** Wraps a transport to count its requests. */
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
        const { signal, longLived = false } = request;
        let isOver = false;
        const over = (): void => {
          if (!isOver) this.#count -= 1;
          isOver = true;
          signal.removeEventListener('abort', over);
        };
        // A body that is not read, because the call was aborted meanwhile, ends with the abort.
        if (longLived || signal.aborted) over();
        else signal.addEventListener('abort', over, { once: true });
        return isOver ? response : { ...response, body: readTraffic(response.body, over) };
      },
    };
  }
}

async function* readTraffic(body: AsyncIterable<Uint8Array>, over: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    over();
  }
}
