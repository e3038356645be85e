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
  /**
   * An unused service address, or the wanted one. Throws `AllocationError`. A dry run does not check which
   * are used.
   */
  allocateClusterIp(wanted?: string, isDryRun?: boolean): string;
  /** An unused node port, or the wanted one. Throws `AllocationError`. */
  allocateNodePort(request?: NodePortRequest): number;
  /** The user that sent the request: certificate requests carry it. */
  readonly user?: User;
}

/** A request for a node port. */
export interface NodePortRequest {
  /** @default any */
  readonly wanted?: number;
  /** Ports that the same write already uses. */
  readonly except?: ReadonlySet<number>;
  /** The range is not checked. @default false */
  readonly isDryRun?: boolean;
}

/** Thrown for an address or port that is not available. The strategy knows its field. */
export class AllocationError extends Error {
  override readonly name = 'AllocationError';
}

/** The fields of a kind that hold its replicas. Paths as in a CustomResourceDefinition: `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** The field with the selector, where a definition names one. */
  readonly labelSelector?: string;
  /** The selector as text, for autoscalers. */
  selector(object: ApiObject): string;
}

/**
 * The differences of one kind from a plain one. All functions change the working copy they are given, and
 * none of them reads the store.
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
  /** Throws if the object may not be deleted at all. */
  beforeDelete?(object: ApiObject): void;
  /** Adds to an empty object, as in a bookmark, the values that the server's own type shows there. */
  empty?(object: ApiObject): void;
  readonly scale?: ScalePaths;
  /** Parts of the object that are written separately, besides `status`. */
  readonly subresources?: Readonly<Record<string, SubresourceRules>>;
}

export interface SubresourceRules {
  /** Restores the fields that are not written through this subresource. */
  prepareUpdate(next: ApiObject, old: ApiObject): void;
  validateUpdate(next: ApiObject, old: ApiObject): FieldError[];
}
