import { statusError, StatusError } from '../../core/status-error.ts';

/** The error for a well-formed patch that cannot be applied. The server does not tell the client the reason. */
export const cannotApplyPatch = (): StatusError =>
  statusError(422, 'Invalid', 'the server rejected our request due to an error in our request', { details: {} });

/** The same error after a `test` operation found another value. */
export class FailedPatchTest extends StatusError {
  constructor() {
    super(cannotApplyPatch().status);
  }
}
