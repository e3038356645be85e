/** Runs generated text as the JavaScript it is: the only proof that a quoted string means what it should. */
export function evaluate(body: string): unknown {
  return new Function(body)();
}
