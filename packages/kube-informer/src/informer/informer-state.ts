import type { Problem } from './reflector/reflector-context.ts';
import type { ProblemReason } from './reflector/watch-error.ts';

/**
 * The state of an informer.
 *
 *   idle ──► starting ──► synced ◄──► stale
 *                │           │          │
 *                └───────────┴──────────┴──► stopped
 *
 * `starting` and `stale` carry the problem, if there is one. A stale cache can still be read.
 */
export type InformerState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'starting'; readonly problem?: Problem }
  | { readonly kind: 'synced' }
  | { readonly kind: 'stale'; readonly since: number; readonly reason: ProblemReason; readonly error: unknown }
  | { readonly kind: 'stopped'; readonly cause: unknown };
