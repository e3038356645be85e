import type { Env } from 'kube-informer/core';
import type { FieldError } from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import type { User } from '../../../core/user.ts';

/** The server as a strategy sees it during one request. */
export interface StrategyContext {
  /** RFC 3339 with seconds: `2026-01-01T00:00:00Z`. */
  readonly now: string;
  readonly env: Env;
  readonly isDryRun: boolean;
  /** An unused service address, or the wanted one. Throws `AllocationError`. A dry run does not see which are used. */
  allocateClusterIp(wanted?: string, isDryRun?: boolean): string;
  /** An unused node port, or the wanted one. Throws `AllocationError`. */
  allocateNodePort(request?: NodePortRequest): number;
  /** The user that sent the request: certificate requests carry it. */
  readonly user?: User;
}

/** Says which node port is asked for. */
export interface NodePortRequest {
  /** @default any */
  readonly wanted?: number;
  /** Ports that the same write has already. */
  readonly except?: ReadonlySet<number>;
  /** The range is not checked. @default false */
  readonly isDryRun?: boolean;
}

/** An address or port that cannot be had. The strategy knows the field it was for. */
export class AllocationError extends Error {
  override readonly name = 'AllocationError';
}

/** The fields of a kind that hold its replicas. Paths as in a CustomResourceDefinition: `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** The field with the selector, where a definition names one. */
  readonly labelSelector?: string;
  /** The selector as text, as autoscalers want it. */
  selector(object: ApiObject): string;
}

/**
 * The differences of one kind from a plain one. All functions change the working copy they are given, and none of
 * them looks at the store.
 */
export interface KindRules {
  /** Fills in the defaults of the kind; run again on every write. */
  defaults?(object: ApiObject): void;
  /** Called when name and uid are known. */
  prepareCreate?(object: ApiObject, context: StrategyContext): void;
  prepareUpdate?(next: ApiObject, old: ApiObject, context: StrategyContext): void;
  prepareStatusUpdate?(next: ApiObject, old: ApiObject, context: StrategyContext): void;
  validate?(object: ApiObject): FieldError[];
  validateUpdate?(next: ApiObject, old: ApiObject): FieldError[];
  /** Used for a write to `status` in place of `validateUpdate`. */
  validateStatusUpdate?(next: ApiObject, old: ApiObject): FieldError[];
  /** Warnings about deprecated parts of a valid object. `old`: the one that it replaces. */
  warnings?(object: ApiObject, old?: ApiObject): string[];
  /** Throws where the object may not be deleted at all. */
  beforeDelete?(object: ApiObject): void;
  /** Adds to an empty object, as in a bookmark, what the server shows there: its own type has values where this one has none. */
  empty?(object: ApiObject): void;
  readonly scale?: ScalePaths;
  /** Parts of the object that are written by themselves, besides `status`. */
  readonly subresources?: Readonly<Record<string, SubresourceRules>>;
}

export interface SubresourceRules {
  /** Puts back what is not written through here. */
  prepareUpdate(next: ApiObject, old: ApiObject): void;
  validateUpdate(next: ApiObject, old: ApiObject): FieldError[];
}
