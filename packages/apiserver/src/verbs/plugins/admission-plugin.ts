import type { Registry } from '../../registry/registry.ts';
import type { Served } from '../../registry/served.ts';

/** The part of the server that an admission plugin uses: all stored objects. */
export interface PluginServer {
  readonly registry: Registry;
}

/** The request that a plugin checks. */
export interface PluginTarget {
  readonly served: Served;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Adds a `Warning` header to the response. */
  readonly warn: (text: string) => void;
}
