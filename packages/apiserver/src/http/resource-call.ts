import type { Target } from '../verbs/api-context.ts';
import type { Backend } from './backend.ts';
import type { Exchange } from './http-exchange.ts';

/** A request that has found its resource. */
export interface Call {
  readonly backend: Backend;
  readonly exchange: Exchange;
  readonly target: Target;
}
