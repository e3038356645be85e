import type { Socket } from 'node:net';
import type { Env } from 'kube-informer/core';
import { errorText } from '../output/error-text.ts';
import { anySignal } from '../host/signals.ts';

const TIMEOUT_MS = 5_000;

/** Resolves with the socket once it is connected. Destroys it after a timeout. */
export function connectDoctorSocket<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  env: Env,
  signal: AbortSignal,
): Promise<S> {
  return new Promise((resolve, reject) => {
    const done = new AbortController();
    const give = (settle: () => void): void => {
      done.abort();
      settle();
    };
    socket.once(event, () => give(() => resolve(socket)));
    // Stays registered: an 'error' event without a listener ends the process.
    socket.on('error', (error) => give(() => reject(error)));
    void env.sleep(TIMEOUT_MS, anySignal(done.signal, signal)).then(() => {
      if (done.signal.aborted) return;
      socket.destroy(Object.assign(new Error('no response'), { code: 'ETIMEDOUT' }));
    });
  });
}

/** The code of an error, such as `ECONNREFUSED`; if several addresses failed, that of the first. */
export function doctorSocketErrorCode(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly { code?: unknown }[] };
  const found = code ?? errors?.[0]?.code;
  return typeof found === 'string' ? found : errorText(error);
}
