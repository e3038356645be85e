/** An evaluation that failed. */
export class Failure extends Error {
  override readonly name = 'CelFailure';
}

export const celFailure = (message: string): Failure => new Failure(message);

/** Ends an evaluation, whatever is around it. */
export class CostExceeded extends Failure {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}
