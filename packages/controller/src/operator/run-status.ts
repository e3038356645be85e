import type { KubeObject } from 'kube-informer/core';
import type { RunStatus } from '../front/reconcile.ts';
import type { ConditionChange } from '../objects/condition.ts';
import type { ObjectClient } from '../objects/object-client.ts';
import { writeStatus, type WriteStatusOptions } from '../objects/status.ts';

/** Collects what a run wants in the status of its object, and writes it once. */
export class RunStatusDraft implements RunStatus<KubeObject> {
  #set: Readonly<Record<string, unknown>> = {};
  readonly #conditions: ConditionChange[] = [];

  readonly set = (part: object): void => void (this.#set = { ...this.#set, ...part });

  readonly condition: RunStatus<KubeObject>['condition'] = (type, status, about) =>
    void this.#conditions.push({ type, status, ...about });

  /** Writes the status if it differs. Returns when to write it instead, if it must wait. */
  async flush(
    client: ObjectClient<KubeObject>,
    object: KubeObject,
    options: WriteStatusOptions,
  ): Promise<{ readonly written: boolean; readonly afterMs?: number }> {
    if (Object.keys(this.#set).length === 0 && this.#conditions.length === 0) return { written: false };
    const changes = { set: this.#set, conditions: this.#conditions };
    const result = await writeStatus(client, object, changes, options);
    return result.outcome === 'put-off'
      ? { written: false, afterMs: result.afterMs }
      : { written: result.outcome === 'written' };
  }
}
