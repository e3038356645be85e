import type { Overview } from '../../src/protocol/messages.ts';
import type { Api } from '../browser/api.ts';
import type { Clock } from '../browser/platform.ts';
import type { Route } from '../browser/route.ts';

/** What every view is given. */
export interface Context {
  readonly api: Api;
  readonly clock: Clock;
  go(route: Route, options?: { readonly replace?: boolean }): void;
  /** The table of a cache as it was left: with what was searched for. */
  tableOf(cache: string): Route;
}

/**
 * One part of the page, while somebody looks at it.
 *
 * Room rule: a view draws what it is told, and asks through the Api only.
 */
export interface View {
  readonly element: HTMLElement;
  readonly title: string;
  /** What its stream is about; the stream is opened again when this is another. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Where Escape leads. */
  readonly back: Route | undefined;
  /** What `/` leads to. */
  readonly search?: HTMLInputElement;
  /** The same view at another place; false if it has to be made anew. */
  move?(route: Route): boolean;
  overview?(overview: Overview): void;
  /** The process is not heard any more; `ago`: since when, if it ever was. */
  lost?(ago: string | undefined): void;
  /** Somebody comes back from this object: where it is, that is where they were. */
  seek?(key: string): void;
  message?(event: string, data: unknown): void;
  close?(): void;
}
