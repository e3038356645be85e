import type { Env } from 'kube-informer/core';
import { managedFieldsAfterUpdate } from '../api/apply/managed-fields.ts';
import {
  CLEANUP_FINALIZER,
  definitionCondition,
  setDefinitionCondition,
} from '../api/kinds/definition/definition-conditions.ts';
import {
  type CustomVersion,
  customVersions,
  type DefinitionSpec,
  customVersionsOfDefinition,
  type VersionConverter,
} from '../api/kinds/definition/custom-version.ts';
import { type AcceptedNames, acceptDefinitionNames } from '../api/kinds/definition/definition-names.ts';
import { loadRules, mustLoadRules } from '../api/rules/load-rules.ts';
import { copyJson, isSameJson } from '../core/json.ts';
import type { ApiObject, ObjectMeta } from '../core/kube-object.ts';
import { serverTimestamp } from '../core/server-timestamp.ts';
import type { Change } from '../storage/store/stored-history.ts';
import type { Store } from '../storage/store/stored-objects.ts';
import type { Registry } from './registry.ts';
import type { Served } from './served.ts';

export interface CustomDefinitionsOptions {
  readonly env: Env;
  readonly store: Store;
  readonly registry: Registry;
  /** The resource of the definitions themselves. */
  readonly definitions: Served;
  /** Whether objects get managedFields. */
  readonly tracksManagers: boolean;
  readonly serve: (version: CustomVersion) => Served;
  /** Makes the converter of a definition. `storedIn` returns the versions in which older states were stored. */
  readonly converter: (definition: ApiObject, storedIn: VersionConverter['storedIn']) => VersionConverter;
  /** Deletes an object like a client: finalizers apply. */
  readonly removeObject: (served: Served, namespace: string, name: string) => void;
  /** Called when the resource of a definition is removed or replaced: its watches end. */
  readonly onGone: (served: readonly Served[]) => void;
}

const ACCEPTED = 'the initial names have been accepted';

/** The field manager of the conditions. */
const MANAGER = 'kube-apiserver';

/**
 * Serves the resources of CustomResourceDefinitions from the moment these are stored.
 *
 * It does the work of two controllers of a real server, with the same events: ADDED without conditions, then
 * NamesAccepted, then Established; on deletion Terminating, the objects' own deletes, and the definition
 * last. Here all of it happens within the write that caused it.
 */
export class CustomDefinitions {
  readonly #options: CustomDefinitionsOptions;
  readonly #stops = new Map<string, () => void>();
  /** Spec and accepted names of each definition when it was last served. */
  readonly #published = new Map<string, unknown>();
  /** Storage versions of each definition, oldest first, with the last revision that was written in them. */
  readonly #storedUntil = new Map<string, { readonly version: string; readonly revision: number }[]>();

  constructor(options: CustomDefinitionsOptions) {
    this.#options = options;
    options.definitions.collection.listen(({ record, previous }) => this.#changed(record, previous));
  }

  /** Serves exactly the current definitions. Called after everything was replaced at once. */
  refresh(): void {
    const { definitions, registry } = this.#options;
    const { collection } = definitions;
    for (const stop of this.#stops.values()) stop();
    this.#stops.clear();
    this.#published.clear();
    for (const name of registry.definitions()) if (collection.get('', name) === undefined) this.#gone(name);
    for (const record of collection.current()) this.#changed(record, undefined);
  }

  #changed(record: Change['record'], previous: Change['previous']): void {
    const { definitions, registry } = this.#options;
    if (record === undefined) {
      if (previous !== undefined) this.#gone(previous.name);
      return;
    }
    const definition = definitions.object(record);
    const isEstablished = definitionCondition(definition, 'Established')?.status === 'True';
    if (definition.metadata?.deletionTimestamp !== undefined) {
      // It is already being deleted: its objects must be known so that they can be deleted.
      if (isEstablished && registry.custom(record.name).length === 0) this.#serve(definition);
      return this.#terminate(definition);
    }
    if (this.#decideNames(definition)) return;
    if (isEstablished) return this.#serve(definition);
    if (definitionCondition(definition, 'NamesAccepted')?.status === 'True') this.#establish(definition);
  }

  #serve(definition: ApiObject): void {
    const { registry, serve, onGone } = this.#options;
    const name = definition.metadata?.name ?? '';
    const { acceptedNames } = (definition['status'] ?? {}) as { acceptedNames?: unknown };
    const given = { spec: definition['spec'], acceptedNames };
    const published = this.#published.get(name);
    // Labels and conditions change nothing for clients.
    if (published !== undefined && isSameJson(given, published)) return;
    const before = registry.custom(name);
    this.#published.set(name, given);
    this.#rememberStorage(name, definition, published);
    const versions = this.versionsOf(definition);
    // Requests wait for it; for writes of the same process it is loaded a turn later.
    if (versions.some(({ resource }) => mustLoadRules(resource.schema))) void loadRules();
    registry.setCustom(name, versions.map(serve));
    onGone(before);
  }

  /** The versions of a definition, with the conversion between them. */
  versionsOf(definition: ApiObject): CustomVersion[] {
    const known = this.#storedUntil.get(definition.metadata?.name ?? '') ?? [];
    const storedIn = ({ revision }: { readonly revision: number }): string | undefined =>
      known.find((era) => revision <= era.revision)?.version;
    return customVersions(definition, this.#options.converter(definition, storedIn));
  }

  /** Records the storage version: objects stay in the version that was the storage version when they were written. */
  #rememberStorage(name: string, definition: ApiObject, published: unknown): void {
    const storageOf = (spec: DefinitionSpec | undefined): string | undefined =>
      spec?.versions.find(({ storage }) => storage)?.name;
    const before = storageOf((published as { readonly spec?: DefinitionSpec } | undefined)?.spec);
    if (before === undefined || before === storageOf(customVersionsOfDefinition(definition))) return;
    const known = this.#storedUntil.get(name) ?? [];
    this.#storedUntil.set(name, [...known, { version: before, revision: this.#options.store.revision }]);
  }

  /**
   * Decides about the names. Returns true if the decision is new: it is written then, and the write triggers
   * the next step.
   */
  #decideNames(definition: ApiObject): boolean {
    const { definitions } = this.#options;
    const others = definitions.collection.current().map((record) => definitions.object(record));
    const { names, conflict } = acceptDefinitionNames(definition, others);
    const next = copyJson(definition);
    const status = (next['status'] ??= {}) as { acceptedNames?: AcceptedNames['names'] };
    if (conflict === undefined) this.#condition(next, 'NamesAccepted', 'True', 'NoConflicts', 'no conflicts found');
    else this.#condition(next, 'NamesAccepted', 'False', conflict.reason, conflict.message);
    // An established definition stays established, because clients rely on it, even if it requests other names.
    if (definitionCondition(next, 'Established')?.status !== 'True') {
      if (conflict === undefined) this.#condition(next, 'Established', 'False', 'Installing', ACCEPTED);
      else this.#condition(next, 'Established', 'False', 'NotAccepted', 'not all names are accepted');
    }
    status.acceptedNames = names;
    if (isSameJson(next, definition)) return false;
    this.#put(next, definition);
    return true;
  }

  #establish(definition: ApiObject): void {
    const next = copyJson(definition);
    this.#condition(next, 'Established', 'True', 'InitialNamesAccepted', ACCEPTED);
    this.#put(next, definition);
  }

  /** Checks all definitions again after a name became free: others may be waiting for it. */
  #lookAgain(): void {
    const { definitions } = this.#options;
    for (const record of definitions.collection.current()) {
      const definition = definitions.object(record);
      if (definition.metadata?.deletionTimestamp !== undefined) continue;
      if (definitionCondition(definition, 'NamesAccepted')?.status === 'False') this.#decideNames(definition);
    }
  }

  #terminate(definition: ApiObject): void {
    const name = definition.metadata?.name ?? '';
    const { registry, removeObject } = this.#options;
    if (definitionCondition(definition, 'Terminating')?.reason === 'InstanceDeletionPending') {
      const next = copyJson(definition);
      const message = 'CustomResource deletion is in progress';
      this.#condition(next, 'Terminating', 'True', 'InstanceDeletionInProgress', message);
      this.#put(next, definition);
      return;
    }
    if (this.#stops.has(name)) return;
    const served = registry.custom(name)[0]?.atOnce;
    if (served === undefined) return this.#finish(name);
    const { collection } = served;
    // Objects with finalizers are removed later: the last one removes the definition too.
    const finishIfEmpty = (): void => {
      if (collection.size === 0) this.#finish(name);
    };
    this.#stops.set(name, collection.listen(finishIfEmpty));
    for (const { namespace, name: object } of collection.current()) removeObject(served, namespace, object);
    finishIfEmpty();
  }

  /** Removes the finalizer of a definition when no objects of the kind are left. */
  #finish(name: string): void {
    const { definitions } = this.#options;
    this.#stops.get(name)?.();
    this.#stops.delete(name);
    const record = definitions.collection.get('', name);
    if (record === undefined) return;
    const next = copyJson(definitions.object(record));
    const meta = next.metadata as ObjectMeta;
    meta.finalizers = (meta.finalizers ?? []).filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
    if (meta.finalizers.length === 0) definitions.collection.remove('', name);
    else definitions.put(next);
  }

  #gone(name: string): void {
    const { registry, store, onGone } = this.#options;
    const served = registry.custom(name);
    this.#published.delete(name);
    this.#storedUntil.delete(name);
    registry.setCustom(name, []);
    onGone(served);
    for (const { collection } of served) if (collection.size === 0) store.close(collection.id);
    this.#lookAgain();
  }

  #put(next: ApiObject, old: ApiObject): void {
    const { definitions, env, tracksManagers } = this.#options;
    if (tracksManagers) {
      const managedFields = managedFieldsAfterUpdate({
        manager: MANAGER,
        apiVersion: definitions.apiVersion,
        schema: definitions.resource.schema,
        subresource: 'status',
        now: serverTimestamp(env.wallNow()),
        resource: definitions.resource,
        before: old,
        after: next,
      });
      if (managedFields.length > 0) (next.metadata as ObjectMeta).managedFields = managedFields;
    }
    definitions.put(next);
  }

  #condition(definition: ApiObject, type: string, status: 'True' | 'False', reason: string, message: string): void {
    const lastTransitionTime = serverTimestamp(this.#options.env.wallNow());
    setDefinitionCondition(definition, { type, status, lastTransitionTime, reason, message });
  }
}
