import { isNotFound, KubeError, type KubeObject, requireOption } from 'kube-informer/core';
import type { RunStatus } from '../front/reconcile.ts';
import { checkCondition, type ConditionChange } from '../objects/condition.ts';
import type { ObjectClient } from '../objects/object-client.ts';
import { type StatusWrite, writeStatus, type WriteStatusOptions } from '../objects/write-status.ts';

export interface FlushStatusOptions extends WriteStatusOptions {
  /** Name of the resource of the object. */
  readonly resource: string;
  /** Whether the server serves the `status` subresource of the resource. */
  readonly hasStatus: boolean;
}

/** Collects the status changes of a run, and writes them once. */
export class RunStatusDraft implements RunStatus<KubeObject> {
  #set: Readonly<Record<string, unknown>> = {};
  readonly #conditions: ConditionChange[] = [];

  readonly set = (part: object): void => {
    const isObject = typeof part === 'object' && part !== null && !Array.isArray(part);
    requireOption(isObject, 'status.set', 'an object with fields of the status', part);
    const { conditions = [] } = part as { readonly conditions?: unknown };
    requireOption(
      Array.isArray(conditions),
      'status.set',
      'conditions as a list; status.condition() sets one',
      conditions,
    );
    this.#set = { ...this.#set, ...part };
  };

  readonly condition: RunStatus<KubeObject>['condition'] = (type, status, about) => {
    const change = { type, status, ...about };
    checkCondition(change); // here, where the stack shows the caller
    this.#conditions.push(change);
  };

  /** Writes the status if it differs. Returns the delay instead if the write must wait. */
  async flush(
    client: ObjectClient<KubeObject>,
    object: KubeObject,
    options: FlushStatusOptions,
  ): Promise<{ readonly written: boolean; readonly afterMs?: number }> {
    if (Object.keys(this.#set).length === 0 && this.#conditions.length === 0) return { written: false };
    const result = await this.#write(client, object, options);
    return result.outcome === 'put-off'
      ? { written: false, afterMs: result.afterMs }
      : { written: result.outcome === 'written' };
  }

  /**
   * Writes the status. A server responds with 404 both for a resource without the subresource and for an
   * object that is gone: without a check the status would be lost silently.
   */
  async #write(
    client: ObjectClient<KubeObject>,
    object: KubeObject,
    { hasStatus, resource, ...options }: FlushStatusOptions,
  ): Promise<StatusWrite<KubeObject>> {
    try {
      return await writeStatus(client, object, { set: this.#set, conditions: this.#conditions }, options);
    } catch (error) {
      if (hasStatus || !isNotFound(error)) throw error;
      const advice = 'in the definition of a custom resource, add subresources: { status: {} } to its version';
      // Without its cause: an object that is not found is not a failure of a run.
      throw new KubeError('INVALID_OPTION', `status: ${resource} has no status subresource; ${advice}`);
    }
  }
}
