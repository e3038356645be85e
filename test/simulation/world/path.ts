import type { KubeList, ListOptions, WatchOptions } from 'kube-informer/core';
import type { Dice } from './dice.ts';
import type { Item } from './history.ts';
import type { Replica } from './replica.ts';
import type { Frame } from './stream.ts';

/**
 * The purpose of a watch request, as its options show: a long stream to follow, a short one (polling, or a witness
 * beside a long one), or an echo, which asks only for the newest version.
 */
export type Role = 'long' | 'short' | 'echo';

/** Maximum `timeoutSeconds` of a short watch; the shortest long one has 300. */
const MAX_SHORT_SECONDS = 60;

export function roleOf({ fieldSelector = '', sendInitialEvents, timeoutSeconds }: WatchOptions): Role {
  if (sendInitialEvents === true && fieldSelector.includes('metadata.name=')) return 'echo';
  return timeoutSeconds !== undefined && timeoutSeconds > 0 && timeoutSeconds <= MAX_SHORT_SECONDS ? 'short' : 'long';
}

/**
 * What a relay withholds until the end of the stream: nothing; the body; headers and body; or the rest of an
 * event above 4 KB, until something follows it.
 */
export type Hold = 'nothing' | 'body' | 'all' | 'tail';

/** How the client sees a relay's cut: a broken body, a normal end, a stream error, or headers only now and then the end. */
export type CutKind = 'fin' | 'clean' | 'rst' | 'late-200';

export interface IdleCut {
  readonly afterMs: number;
  readonly as: CutKind;
}

export type SilentAfter = 'headers' | 'event' | 'bookmark';

/** The way of one stream. */
export interface Way {
  readonly hold: Hold;
  readonly idleCut: IdleCut | undefined;
  readonly silentAfter: SilentAfter | undefined;
}

/** Faults between client and server, or at the server, while they last. */
export interface Layers {
  readonly hold?: Hold;
  readonly idleCut?: IdleCut;
  /** Long streams fall silent, this share of them. */
  readonly silence?: { readonly after: SilentAfter; readonly share: number };
  /** An error instead of a response; 'never' is a request without any response. */
  readonly refuse?: (role: Role, options: WatchOptions) => Error | 'never' | undefined;
  /** The ERROR event that ends a stream. */
  readonly breaks?: (role: Role) => { readonly afterMs: number; readonly status: unknown } | undefined;
  /** Which replica gets the request; undefined: any. */
  readonly route?: (role: Role | 'list') => Replica | undefined;
  /** Bookmarks at or below the version of opening are sent as well. */
  readonly oldBookmarks?: boolean;
  readonly rewriteList?: (list: KubeList<Item>, options: ListOptions) => KubeList<Item>;
  /** The client does not read a response with more items than this; undefined: it reads any. */
  readonly maxItems?: number | undefined;
  /** Whether the body of a list comes as one byte every 20 s. */
  readonly trickles?: (options: ListOptions) => boolean;
  readonly rewriteFrame?: (frame: Frame) => Frame;
}

/** The layers in force. Without any the way is clear. */
export class Path {
  readonly #dice: Dice;
  readonly #tell: (what: string) => void;
  #layers: Layers = {};
  /** How often a layer changed something. */
  struck = 0;
  /** Called when a watch is refused. */
  onRefused: (role: Role, refusal: Error | 'never') => void = () => {};

  constructor(dice: Dice, tell: (what: string) => void) {
    this.#dice = dice;
    this.#tell = tell;
  }

  get layers(): Layers {
    return this.#layers;
  }

  add(layers: Layers): void {
    this.#layers = { ...this.#layers, ...layers };
  }

  clear(): void {
    this.#layers = {};
  }

  strike(what: string): void {
    this.struck += 1;
    this.#tell(what);
  }

  wayFor(role: Role): Way {
    const { hold = 'nothing', idleCut, silence } = this.#layers;
    const silent = role === 'long' && silence !== undefined && this.#dice.chance(silence.share);
    return { hold, idleCut, silentAfter: silent ? silence.after : undefined };
  }

  refusalOf(role: Role, options: WatchOptions): Error | 'never' | undefined {
    const refusal = this.#layers.refuse?.(role, options);
    if (refusal === undefined) return undefined;
    this.onRefused(role, refusal);
    this.strike(`${role} watch: ${refusal === 'never' ? 'no response' : refusal.message}`);
    return refusal;
  }
}
