import { StatusError } from '../core/status-error.ts';

/**
 * Thrown by a conversion that needs a call of a webhook. A caller that can wait calls `settle` and converts
 * again; for all others it is an error that tells what to do.
 */
export class ConversionNeeded extends StatusError {
  /** Calls the webhook. Afterwards the same conversion returns its result. Rejects with the failure of the webhook. */
  readonly settle: () => Promise<void>;

  constructor(kind: string, settle: () => Promise<void>) {
    const message = `the webhook that converts ${kind} has to be waited for: read and write this version over HTTP`;
    super({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
    this.settle = settle;
  }
}
