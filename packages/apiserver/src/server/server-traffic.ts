import type { Backend } from '../http/backend.ts';
import { httpHandler } from '../http/http-handler.ts';
import type { Handler } from '../http/listener/listen.ts';
import { RequestLog } from '../http/request-log.ts';

/** Numbers and counts the requests of a server and its replicas, and keeps the last ones. */
export class Traffic {
  readonly log: RequestLog;
  readonly #ended: () => void;
  #lastId = 0;
  #running = 0;

  /** Creates the counters. `ended` is called after each request. */
  constructor(logLimit: number | undefined, ended: () => void) {
    this.log = new RequestLog(logLimit);
    this.#ended = ended;
  }

  /** Number of requests in progress, including open watches. */
  get running(): number {
    return this.#running;
  }

  handlerOf(backend: Backend): Handler {
    return httpHandler({
      backend,
      nextId: () => (this.#lastId += 1),
      onStart: () => (this.#running += 1),
      onEnd: (entry) => {
        this.#running -= 1;
        this.log.add(entry);
        this.#ended();
      },
    });
  }
}
