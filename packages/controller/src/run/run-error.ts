import { errorMessageOf, KubeError } from 'kube-informer/core';

/** The message of the error that a run of `controller` threw, as `why`, the log and the records show it. Never throws. */
export function runErrorMessage(error: unknown, controller: string): string {
  const message = errorMessageOf(error);
  try {
    if (error instanceof TypeError && /read only|not extensible|delete property/.test(message))
      return `reconcile of ${controller} changed an object of the cache, which is shared: copy it first (${message})`;
    return `${message}${causeOfRunError(error, message)}`;
  } catch {
    return message; // a thrown value that cannot be read
  }
}

/** The cause, unless the message contains it: the message of `fetch` is always "fetch failed". */
function causeOfRunError(error: unknown, message: string): string {
  if (error instanceof KubeError) return ''; // its message is made of its cause
  const { cause } = (error ?? {}) as { cause?: { readonly message?: unknown; readonly code?: unknown } };
  // If all addresses failed, Node's error has no message.
  const why = typeof cause?.message === 'string' && cause.message !== '' ? errorMessageOf(cause) : cause?.code;
  return typeof why === 'string' && !message.includes(why) ? `: ${why}` : '';
}
