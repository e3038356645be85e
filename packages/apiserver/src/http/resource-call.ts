import type { Target } from '../verbs/api-context.ts';
import type { Backend } from './backend.ts';
import type { Exchange } from './http-exchange.ts';

/** A request whose resource was found. */
export interface Call {
  readonly backend: Backend;
  readonly exchange: Exchange;
  readonly target: Target;
}
