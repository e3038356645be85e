import type { Program } from '../measure/contestant-process.ts';

export type Family =
  | 'kube-informer'
  | 'client-go'
  | 'controller-runtime'
  | 'kube-rs'
  | 'fabric8'
  | 'client-node'
  | 'limit';

/** What a contestant takes part as. A `limit` only reads the bytes of a list. */
export type Role = 'cache' | 'limit' | 'queue' | 'controller';

/** One column of the results: a client in one of its forms. */
export interface Contestant {
  /** For people, and the key in the results: `client-go protobuf`. */
  readonly name: string;
  /** Colour in the plots. */
  readonly family: Family;
  readonly role: Role;
  /** Passed to the program. */
  readonly form: string;
  /** The program. client-go decides by its environment whether it streams the initial state. */
  program(initial: 'watch-list' | 'list'): Program;
  readonly resources: readonly ('pods' | 'widgets')[];
  readonly initial: readonly ('watch-list' | 'list')[];
  /** Takes part where one run takes minutes. */
  readonly isMain: boolean;
}
