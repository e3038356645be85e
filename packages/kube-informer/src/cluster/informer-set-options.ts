import type { Env } from '../core/env.ts';
import { defined } from '../core/defined.ts';
import { KubeError } from '../core/errors.ts';
import type { Metrics } from '../core/metrics.ts';
import type { KubeObject } from '../core/object/object.ts';
import type { InformerNames } from '../informer/apply/informer-name.ts';
import type { SharedInformerOptions } from '../informer/informer-options.ts';
import type { ListWatch, OptionsModifier } from '../informer/list-watch/list-watch.ts';
import type { Scope } from './scope.ts';

/**
 * Where the objects of a resource come from. Throws for a resource it does not know.
 *
 * The namespace is the factory's to apply, or to leave out where a resource has
 * none; the selectors come again in the options of every list and watch.
 */
export type SourceFactory = (resource: string, scope: Scope) => ListWatch<object>;

/** A transform for a resource known by its name only: give the object the type you know it to have. */
export type ResourceTransform = { transform(object: KubeObject): KubeObject }['transform'];

/** What the set gives to every informer itself. */
type FromTheSet = 'name' | 'identifier' | 'env' | 'metrics';
/** What only makes sense for one resource. */
type OfOneResource = 'expected' | 'typeDescription' | 'indexers' | 'transform';

/** What one user of an informer asks for: a scope, and options as for a SharedInformer. */
export interface InformerRequest<T extends object = KubeObject, I extends string = string>
  extends Scope, Omit<SharedInformerOptions<T, I>, FromTheSet> {}

/** Everything a SharedInformer can be told is here as a default for all of them. */
export interface InformerSetOptions extends Omit<SharedInformerOptions<KubeObject>, FromTheSet | OfOneResource> {
  readonly source: SourceFactory;
  /** For requests that name none. @default "", all of them */
  readonly namespace?: string;
  /** Stronger than `resyncMs`, weaker than a request. */
  readonly resyncMsByResource?: Readonly<Record<string, number>>;
  readonly transform?: ResourceTransform;
  /** Stronger than `transform`, weaker than a request. */
  readonly transformByResource?: Readonly<Record<string, ResourceTransform>>;
  /** Changes the query of every list and watch, on a copy. */
  readonly modify?: OptionsModifier;
  /** Turns the informer metrics on, under this name. Nobody else can have it until `shutdown`. */
  readonly name?: string;
  /** Where the name is reserved. @default the names of this process */
  readonly names?: InformerNames;
  readonly env?: Env;
  readonly metrics?: Metrics;
}

/** Two users cannot share an informer and disagree about it; the second one is told, not ignored. */
export function requireSame(what: string, held: Readonly<Record<string, unknown>>, asked: object): void {
  const other = Object.entries(defined(asked)).find(([option, value]) => !isSame(held[option], value));
  if (other === undefined) return;
  const message = `${what} is shared and was made with another ${other[0]}: leave it out here, or ask for the same`;
  throw new KubeError('INVALID_OPTION', message);
}

/** Small option objects, such as `backoff`, are the same when they say the same. */
function isSame(a: unknown, b: unknown): boolean {
  if (!isPlain(a) || !isPlain(b)) return Object.is(a, b);
  const said = Object.entries(a);
  return said.length === Object.keys(b).length && said.every(([key, value]) => Object.is(value, b[key]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
