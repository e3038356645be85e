import { statusError, StatusError } from '../../core/status-error.ts';

/** A patch that is well formed and cannot be applied. The server does not tell the client what is wrong with it. */
export const cannotApplyPatch = (): StatusError =>
  statusError(422, 'Invalid', 'the server rejected our request due to an error in our request', { details: {} });

/** The same because an operation `test` found another value. */
export class FailedPatchTest extends StatusError {
  constructor() {
    super(cannotApplyPatch().status);
  }
}
