/** Query parameters of a LIST or WATCH, named as in the API. Unset fields are not sent. */
export interface ListOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  readonly limit?: number;
  readonly continue?: string;
  readonly timeoutSeconds?: number;
}

export interface WatchOptions extends ListOptions {
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
}

/** Query parameters of a GET. */
export interface GetOptions {
  readonly resourceVersion?: string;
}
