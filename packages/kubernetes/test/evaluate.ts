/** Runs generated text as the JavaScript it is: the only proof that a quoted string means what it should. */
export function evaluate(body: string): unknown {
  // oxlint-disable-next-line no-implied-eval -- that is what it is for
  return new Function(body)();
}
