import type { Overview } from '../../src/protocol/messages.ts';
import type { Api } from '../browser/browser-api.ts';
import type { Clock } from '../browser/browser-platform.ts';
import type { Route } from '../browser/browser-route.ts';

/** Passed to every view. */
export interface Context {
  readonly api: Api;
  readonly clock: Clock;
  go(route: Route, options?: { readonly replace?: boolean }): void;
  /** The last route of a cache's table, including its filters. */
  tableOf(cache: string): Route;
}

/**
 * A view of the page.
 *
 * Room rule: draws its input, and sends requests through the Api only.
 */
export interface View {
  readonly element: HTMLElement;
  readonly title: string;
  /** Parameters of its event stream, which is opened again when they change. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The route for Escape. */
  readonly back: Route | undefined;
  /** The input that `/` focuses. */
  readonly search?: HTMLInputElement;
  /** Navigates within the view; false if a new view is needed. */
  move?(route: Route): boolean;
  overview?(overview: Overview): void;
  /** Called when the connection is lost; `ago` is the time of the last message, if there was one. */
  lost?(ago: string | undefined): void;
  /** Called when the user comes back from this object: focuses its row. */
  seek?(key: string): void;
  message?(event: string, data: unknown): void;
  close?(): void;
}
