import type { Problem } from './reflector/reflector-context.ts';

/**
 * The state of an informer.
 *
 *   idle ──► starting ──► synced ◄──► stale
 *                │           ▲ ▲      ▲ │
 *                │           │ └─ polling
 *                └───────────┴──────────┴──► stopped
 *
 * `synced`: the stream that feeds the cache shows that the cache is at most 75 s behind the server, normally milliseconds.
 * `polling`: watches do not work here, so changes arrive every `periodMs`; at most two periods and 5 s behind.
 * `stale`: there is no such evidence, for the given reason. A stale cache can still be read.
 * `starting` carries the problem, if there is one.
 */
export type InformerState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'starting'; readonly problem?: Problem }
  | { readonly kind: 'synced' }
  | ({ readonly kind: 'polling'; readonly periodMs: number } & Problem)
  | ({ readonly kind: 'stale' } & Problem)
  | { readonly kind: 'stopped'; readonly cause: unknown };
