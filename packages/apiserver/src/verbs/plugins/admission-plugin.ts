import type { Registry } from '../../registry/registry.ts';
import type { Served } from '../../registry/served.ts';

/** The server as an admission plugin sees it: all stored objects. */
export interface PluginServer {
  readonly registry: Registry;
}

/** The request that a plugin looks at. */
export interface PluginTarget {
  readonly served: Served;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Adds a `Warning` header to the response. */
  readonly warn: (text: string) => void;
}
