/** A failed evaluation. */
export class Failure extends Error {
  override readonly name = 'CelFailure';
}

export const celFailure = (message: string): Failure => new Failure(message);

/** A failure that ends the whole evaluation. */
export class CostExceeded extends Failure {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}
