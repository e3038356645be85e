import type { Log, WatchOptions } from 'kube-informer/core';
import type { SimClock } from './clock.ts';
import type { Purpose } from './traffic.ts';
import type { Frame } from './stream.ts';

/** Traces a run line by line. Costs nothing without a listener. */
export class Story {
  readonly #clock: SimClock;
  readonly #listen: ((line: string) => void) | undefined;

  constructor(clock: SimClock, listen: ((line: string) => void) | undefined) {
    this.#clock = clock;
    this.#listen = listen;
  }

  get isTold(): boolean {
    return this.#listen !== undefined;
  }

  readonly tell = (who: string, what: string): void => {
    this.#listen?.(`${(this.#clock.now() / 1_000).toFixed(3).padStart(10)}  ${who.padEnd(10)}${what}`);
  };

  readonly log: Log = (level, message, fields) => {
    if (!this.isTold) return;
    const error = fields?.['error'];
    const because = error instanceof Error ? error.message : error;
    this.tell('informer', `${level}: ${message}${typeof because === 'string' ? ` (${because})` : ''}`);
  };

  request(purpose: Purpose, options: WatchOptions): void {
    if (!this.isTold) return;
    const { resourceVersion = 'newest', resourceVersionMatch = '', limit } = options;
    this.tell(
      'informer',
      `${purpose} ${resourceVersion} ${resourceVersionMatch}${limit === undefined ? '' : ` limit ${limit}`}`,
    );
  }

  frame(frame: Frame): void {
    if (!this.isTold) return;
    if (frame.type === 'ERROR') return this.tell('server', `ERROR ${frame.object.code}`);
    const { namespace, name, resourceVersion } = frame.object.metadata ?? {};
    this.tell('server', `${frame.type} ${frame.type === 'BOOKMARK' ? '' : `${namespace}/${name}@`}${resourceVersion}`);
  }
}
