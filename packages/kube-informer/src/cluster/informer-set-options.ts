import type { UserCode } from '../core/guarded.ts';
import type { Env } from '../core/env.ts';
import type { Metrics } from '../core/metrics.ts';
import type { KubeObject } from '../core/object/object.ts';
import type { InformerNames } from '../informer/apply/informer-name.ts';
import type { SharedInformerOptions } from '../informer/informer-options.ts';
import type { ListWatch, OptionsModifier } from '../informer/list-watch/list-watch.ts';
import type { Scope } from './scope.ts';

/**
 * Creates the source of a resource's objects. Throws for a resource it does not know.
 *
 * The factory applies the namespace, and ignores it for a cluster-scoped resource. The selectors are also passed
 * in the options of every list and watch.
 */
export type SourceFactory = (resource: string, scope: Scope, options: SourceOptions) => ListWatch<object>;

/** Options of how a source reads its objects. */
export interface SourceOptions {
  /** Encoding of the objects in responses. @default 'auto': protobuf for built-in kinds, JSON for the rest */
  readonly wire?: 'auto' | 'json';
}

/** A transform for a resource known by its name only: declare the parameter with the type you expect. */
export type ResourceTransform = { transform(object: KubeObject): KubeObject }['transform'];

/** Options that the set passes to every informer itself. */
type SetByInformerSet = 'name' | 'identifier' | 'env' | 'metrics';
/** Options that make sense for one resource only. */
type OfOneResource = 'expected' | 'typeDescription' | 'indexers' | 'transform' | 'select';

/** One user's request for an informer: a scope, and options of SharedInformer. */
export interface InformerRequest<T extends object = KubeObject, I extends string = string>
  extends Scope, SourceOptions, Omit<SharedInformerOptions<T, I>, SetByInformerSet> {}

/** The options of SharedInformer as defaults for all informers of the set, and options of the set itself. */
export interface InformerSetOptions
  extends SourceOptions, Omit<SharedInformerOptions<KubeObject>, SetByInformerSet | OfOneResource> {
  readonly source: UserCode<SourceFactory>;
  /** Namespace of requests without one. @default "", all namespaces */
  readonly namespace?: string;
  /** Overrides `resyncMs`; a request overrides both. */
  readonly resyncMsByResource?: Readonly<Record<string, number>>;
  readonly transform?: UserCode<ResourceTransform>;
  /** Overrides `transform`; a request overrides both. */
  readonly transformByResource?: Readonly<Record<string, UserCode<ResourceTransform>>>;
  /** Changes a copy of the query of every list and watch. */
  readonly modify?: UserCode<OptionsModifier>;
  /** Turns the informer metrics on, under this name. The name is reserved until `shutdown`. */
  readonly name?: string;
  /** The registry in which the name is reserved. @default that of this process */
  readonly names?: InformerNames;
  readonly env?: UserCode<Env>;
  readonly metrics?: UserCode<Metrics>;
}
