import type { Env } from 'kube-informer/core';
import {
  CLEANUP_FINALIZER,
  conditionOf,
  type CustomVersion,
  customVersions,
  definitionSpec,
  type Names,
  setCondition,
} from './kinds/custom.ts';
import type { Registry } from './registry.ts';
import type { Served } from './served.ts';
import type { Change } from './store/history.ts';
import type { Store } from './store/store.ts';
import { timestamp } from './time.ts';
import type { ApiObject, ObjectMeta } from './types.ts';
import { copyOf } from './verbs/api.ts';

export interface CustomDefinitionsOptions {
  readonly env: Env;
  readonly store: Store;
  readonly registry: Registry;
  /** The resource of the definitions themselves. */
  readonly definitions: Served;
  readonly serve: (version: CustomVersion) => Served;
  /** Deletes an object as a client would: finalizers count. */
  readonly removeObject: (served: Served, namespace: string, name: string) => void;
  /** Its resource is gone: watches of it end. */
  readonly onGone: (served: readonly Served[]) => void;
}

interface Conflict {
  readonly reason: string;
  readonly message: string;
}

const inUse = (reason: string, name: string): Conflict => ({
  reason,
  message: `${JSON.stringify(name)} is already in use`,
});

/**
 * Serves what CustomResourceDefinitions define, from the moment they are stored.
 *
 * It does what two controllers of a real server do, and the events tell the same story: ADDED without conditions, then
 * NamesAccepted, then Established; on the way down Terminating, the objects' own deletes, and the definition last. Here
 * all of it happens within the write that set it off.
 */
export class CustomDefinitions {
  readonly #options: CustomDefinitionsOptions;
  readonly #stops = new Map<string, () => void>();

  constructor(options: CustomDefinitionsOptions) {
    this.#options = options;
    options.definitions.collection.listen((change) => this.#changed(change));
  }

  #changed({ record, previous }: Change): void {
    const { definitions, registry } = this.#options;
    if (record === undefined) {
      if (previous !== undefined) this.#gone(previous.name);
      return;
    }
    const definition = definitions.object(record);
    if (definition.metadata?.deletionTimestamp !== undefined) return this.#terminate(definition);
    const conflict = this.#conflict(definition);
    if (conflict !== undefined) return this.#refuse(definition, conflict);
    if (conditionOf(definition, 'Established')?.status === 'True')
      return registry.setCustom(
        record.name,
        customVersions(definition).map((version) => this.#options.serve(version)),
      );
    this.#establish(definition);
  }

  /** One step nearer to being served; the write it makes brings the next step. */
  #establish(definition: ApiObject): void {
    const isInstalling = conditionOf(definition, 'NamesAccepted')?.status === 'True';
    const next = copyOf(definition);
    const message = 'the initial names have been accepted';
    if (isInstalling) this.#condition(next, 'Established', 'True', 'InitialNamesAccepted', message);
    else {
      this.#condition(next, 'NamesAccepted', 'True', 'NoConflicts', 'no conflicts found');
      this.#condition(next, 'Established', 'False', 'Installing', message);
      (next['status'] as { acceptedNames: Names }).acceptedNames = definitionSpec(next).names;
    }
    this.#options.definitions.put(next);
  }

  #refuse(definition: ApiObject, { reason, message }: Conflict): void {
    if (conditionOf(definition, 'NamesAccepted') !== undefined) return;
    const next = copyOf(definition);
    this.#condition(next, 'NamesAccepted', 'False', reason, message);
    this.#condition(next, 'Established', 'False', 'NotAccepted', 'not all names are accepted');
    const { plural } = definitionSpec(next).names;
    (next['status'] as { acceptedNames: Names }).acceptedNames = { plural, kind: '' };
    this.#options.definitions.put(next);
  }

  /** Two definitions of one group cannot both have a kind. */
  #conflict(definition: ApiObject): Conflict | undefined {
    const { group, names } = definitionSpec(definition);
    const { kind, listKind = `${kind}List` } = names;
    for (const { resource } of this.#options.registry.all()) {
      if (!resource.custom || resource.group !== group || resource.resource === names.plural) continue;
      if (resource.listKind === listKind) return inUse('ListKindConflict', listKind);
      if (resource.kind === kind) return inUse('KindConflict', kind);
    }
    return undefined;
  }

  #terminate(definition: ApiObject): void {
    const name = definition.metadata?.name ?? '';
    const { registry, removeObject, definitions } = this.#options;
    if (conditionOf(definition, 'Terminating')?.reason === 'InstanceDeletionPending') {
      const next = copyOf(definition);
      const message = 'CustomResource deletion is in progress';
      this.#condition(next, 'Terminating', 'True', 'InstanceDeletionInProgress', message);
      definitions.put(next);
      return;
    }
    if (this.#stops.has(name)) return;
    const served = registry.custom(name)[0];
    if (served === undefined) return this.#finish(name);
    const { collection } = served;
    // Objects with finalizers go when their owners let them: the last one takes the definition along.
    const finishIfEmpty = (): void => {
      if (collection.size === 0) this.#finish(name);
    };
    this.#stops.set(name, collection.listen(finishIfEmpty));
    for (const { namespace, name: object } of collection.current()) removeObject(served, namespace, object);
    finishIfEmpty();
  }

  /** Nothing is left of the kind: the definition may go, as far as this finalizer is concerned. */
  #finish(name: string): void {
    const { definitions } = this.#options;
    this.#stops.get(name)?.();
    this.#stops.delete(name);
    const record = definitions.collection.get('', name);
    if (record === undefined) return;
    const next = copyOf(definitions.object(record));
    const meta = next.metadata as ObjectMeta;
    meta.finalizers = (meta.finalizers ?? []).filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
    if (meta.finalizers.length === 0) definitions.collection.remove('', name);
    else definitions.put(next);
  }

  #gone(name: string): void {
    const { registry, store, onGone } = this.#options;
    const served = registry.custom(name);
    registry.setCustom(name, []);
    onGone(served);
    for (const { collection } of served) if (collection.size === 0) store.close(collection.id);
  }

  #condition(definition: ApiObject, type: string, status: 'True' | 'False', reason: string, message: string): void {
    const lastTransitionTime = timestamp(this.#options.env.wallNow());
    setCondition(definition, { type, status, lastTransitionTime, reason, message });
  }
}
