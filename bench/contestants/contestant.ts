import type { Program } from '../measure/contestant-process.ts';

/** One column of the results: a client in one of its forms. */
export interface Contestant {
  /** For people, and the key in the results: `client-go protobuf`. */
  readonly name: string;
  /** Colour in the plots. */
  readonly family: 'kube-informer' | 'client-go' | 'kube-rs' | 'fabric8' | 'client-node' | 'limit';
  /** Passed to the program. */
  readonly form: string;
  /** The program. client-go decides by its environment whether it streams the initial state. */
  program(initial: 'watch-list' | 'list'): Program;
  readonly resources: readonly ('pods' | 'widgets')[];
  readonly initial: readonly ('watch-list' | 'list')[];
  /** Only the first sync can be measured. */
  readonly isLimit?: boolean;
}
