import { defined } from '../core/defined.ts';
import { KubeError } from '../core/errors.ts';
import type { SharedInformer } from '../informer/shared-informer.ts';
import type { Index, Indexers } from '../store/store.ts';
import { describeScope, type Scope } from './scope.ts';

export interface SharedCacheParts {
  readonly resource: string;
  readonly scope: Scope;
  readonly informer: SharedInformer<object, string>;
  /** The options of the informer: the defaults, and those of the first request. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Removes the cache from its registry. */
  readonly forget: () => void;
}

/**
 * One cache: its informer, the options it was created with, and the number of its users.
 *
 * The users are counted here and nowhere else. A cache stops when its last user releases it, or when it is closed.
 */
export class SharedCache {
  readonly resource: string;
  readonly scope: Scope;
  /** The resource and scope, for messages and metrics. */
  readonly description: string;
  readonly informer: SharedInformer<object, string>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly #indexers = new Map<string, Index<object>>();
  readonly #forget: () => void;
  #users = 0;

  constructor({ resource, scope, informer, options, forget }: SharedCacheParts) {
    this.resource = resource;
    this.scope = scope;
    this.description = describeScope(resource, scope);
    this.informer = informer;
    this.options = options;
    this.#forget = forget;
  }

  /** Throws INVALID_OPTION if a request has another value for an option, or another function for an index. */
  requireCompatible(options: object, indexers: Indexers<object>): void {
    const other = Object.entries(defined(options)).find(
      ([name, value]) => !isSameSharedCacheOption(this.options[name], value),
    );
    if (other !== undefined) {
      const message = `${this.description} is shared and was created with another ${other[0]}: omit it, or use the same value`;
      throw new KubeError('INVALID_OPTION', message);
    }
    const taken = this.#missingIndexers(indexers).find(([name]) => this.informer.store.hasIndex(name));
    if (taken === undefined) return;
    const message = `${this.description} is shared and has another index "${taken[0]}": use the same function, or another name`;
    throw new KubeError('INVALID_OPTION', message);
  }

  /** Adds the indexes that the cache does not have yet. */
  addIndexers(indexers: Indexers<object>): void {
    const missing = this.#missingIndexers(indexers);
    if (missing.length > 0) this.informer.addIndexers(Object.fromEntries(missing));
    for (const [name, index] of missing) this.#indexers.set(name, index);
  }

  /** Starts the informer, unless it was started or stopped before. */
  start(signal?: AbortSignal): void {
    if (this.informer.hasStarted || this.informer.isStopped) return;
    if (signal === undefined) this.informer.start();
    else void this.informer.run(signal);
  }

  /** Adds a user, which calls `release` once. */
  acquire(): this {
    this.#users += 1;
    return this;
  }

  /** Removes a user. The last one closes the cache. */
  async release(): Promise<void> {
    this.#users -= 1;
    if (this.#users === 0) await this.close();
  }

  /** Stops the informer for all users; the next request creates a new cache. Resolves when the informer has stopped. */
  async close(): Promise<void> {
    this.#forget();
    await this.informer.stop();
  }

  #missingIndexers(indexers: Indexers<object>): [string, Index<object>][] {
    return Object.entries(indexers).filter(([name, index]) => this.#indexers.get(name) !== index);
  }
}

/** The paths of `select` or `omit` as one text. Their order does not matter. */
export function describeSharedCachePaths(paths: readonly string[]): string {
  return [...new Set(paths)].toSorted((a, b) => (a < b ? -1 : 1)).join(' ');
}

/** Plain option objects, such as `backoff`, are compared by their fields, everything else by identity. */
function isSameSharedCacheOption(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return describeSharedCachePaths(a) === describeSharedCachePaths(b);
  if (!isPlainSharedCacheOption(a) || !isPlainSharedCacheOption(b)) return Object.is(a, b);
  const fields = Object.entries(a);
  return fields.length === Object.keys(b).length && fields.every(([key, value]) => Object.is(value, b[key]));
}

function isPlainSharedCacheOption(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
