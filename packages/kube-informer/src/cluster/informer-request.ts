import { KubeError } from '../core/errors.ts';
import type { KubeObject } from '../core/object.ts';
import type { SharedInformerOptions } from '../informer/informer-options.ts';
import type { ListWatch } from '../informer/list-watch.ts';
import type { Scope } from './scope.ts';

/**
 * Where the objects of a resource come from. Throws for a resource it does not know.
 *
 * The namespace is the factory's to apply (or to leave out, where a resource has
 * none); the selectors are also in the options of every list and watch.
 */
export type SourceFactory = (resource: string, scope: Scope) => ListWatch<object>;

/** A transform for a resource known by name only: write the type you know it to have. */
export type ResourceTransform = { transform(object: KubeObject): KubeObject }['transform'];

/** Options the set gives to every informer itself. */
export type FromTheSet = 'name' | 'identity' | 'env' | 'metrics';

/** What one user of an informer asks for: a scope, and options as for a SharedInformer. */
export interface InformerRequest<T extends object = KubeObject, I extends string = string>
  extends Scope, Omit<SharedInformerOptions<T, I>, FromTheSet> {}

/** What was really said: an explicit `undefined` must not undo a default. */
export function defined(options: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
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
