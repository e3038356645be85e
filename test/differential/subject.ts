import type { Script } from './script.ts';
import type { Story } from './story.ts';

/** Address of the server, and the credentials for it. */
export interface Address {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
  /** Read anew from time to time; instead of the token. */
  readonly tokenFile?: string;
}

/** One informer of one client library, as a script sees it. */
export interface Subject {
  readonly name: 'ours' | 'client-go' | 'client-node';
  readonly story: Story;
  readonly isSynced: boolean;
  readonly isAlive: boolean;
  /** G16: whether the client reports its cache as stale. Undefined if it cannot report that. */
  readonly isBehind?: boolean;
  /** Its objects have passed through types, whatever the script says. @default as the script says */
  readonly isTyped?: boolean;
  /** G3: how often it said that the storage went back. */
  readonly epochs?: number;
  /** Watches it reopened because nothing had come for too long. */
  readonly reopened?: number;
  /** Errors that the client reported. */
  readonly errors: readonly string[];
  /** Stops its process, for so long. Only in scripts with `ownProcess`. */
  suspend?(ms: number): Promise<void>;
  /** Moves its wall clock. Undefined where nothing outside of the process can do that. */
  stepWallClock?(ms: number): void;
  /** The second handler does not return from its next event, until it is released. */
  hang?(): void;
  release?(): void;
  /** Everything in the cache. */
  dump(): Promise<object[]>;
  stop(): Promise<void>;
}

export type StartSubject = (script: Script, address: Address) => Promise<Subject>;
