import { isNotFound, KubeError, type KubeObject, requireOption } from 'kube-informer/core';
import type { RunStatus } from '../front/reconcile.ts';
import { checkCondition, type ConditionChange } from '../objects/condition.ts';
import type { ObjectClient } from '../objects/object-client.ts';
import { type StatusWrite, writeStatus, type WriteStatusOptions } from '../objects/write-status.ts';

export interface FlushStatusOptions extends WriteStatusOptions {
  /** Name of the resource of the object. */
  readonly resource: string;
  /** Whether the server serves a status of the resource. */
  readonly hasStatus: boolean;
}

/** Collects what a run wants in the status of its object, and writes it once. */
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
    checkCondition(change); // here, where the stack shows who calls
    this.#conditions.push(change);
  };

  /** Writes the status if it differs. Returns when to write it instead, if it must wait. */
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

  /** A resource without the subresource is answered with 404, like an object that is gone: the status would be lost in silence. */
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
      // Without its cause: an object that is not found is no failure of a run.
      throw new KubeError('INVALID_OPTION', `status: ${resource} has no status subresource; ${advice}`);
    }
  }
}
