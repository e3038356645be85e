// oxlint-disable no-restricted-globals -- the only file of the page that uses the browser's clock, timers and network

/** The browser's clock. Messages contain the process's time: see `Clock`. */
export const browserPlatformNow = (): number => Date.now();

export function browserPlatformAfter(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

/** Calls `run` periodically, as long as the page is open. */
export const browserPlatformEvery = (ms: number, run: () => void): void => void setInterval(run, ms);

export const browserPlatformSleep = (ms: number): Promise<void> =>
  new Promise((resolve) => void browserPlatformAfter(ms, resolve));

export const browserPlatformRequest = (path: string, init: RequestInit): Promise<Response> => fetch(path, init);

/** The clock of the inspected process, estimated from its messages. */
export class Clock {
  #ahead = 0;

  sync(at: number): void {
    this.#ahead = at - browserPlatformNow();
  }

  now(): number {
    return browserPlatformNow() + this.#ahead;
  }
}
