import type { ApiResource } from 'kube-informer/client';
import type { InformerEvent, KubeObject, Live, Registration } from 'kube-informer';
import {
  type Env,
  errorMessageOf,
  guardedAnswer,
  joinKey,
  type Key,
  printableText,
  type UserCode,
} from 'kube-informer/core';
import type { DeclaredCache } from '../freshness/declared-cache.ts';
import type { ControllerDefinition } from '../front/controller.ts';
import type { Watch } from '../front/watch.ts';
import { pathsOfChangedFields } from '../sources/changed-fields.ts';
import { faultOfIndexMapping } from '../sources/mapping-faults.ts';
import { ownerKeyOf } from '../sources/owner-keys.ts';
import { isRelevantChange, type On } from '../sources/relevant-change.ts';
import type { KeyTable } from './key-table.ts';
import { openCacheIndexName, type OpenCaches } from './open-caches.ts';

/** Priority of events that bring no news. */
const LOW_PRIORITY = -100;

export interface EnqueueOptions {
  readonly priority?: number;
  readonly afterMs?: number;
  /** Whether `settleMs` applies: the reason is an event, and others may follow. */
  readonly settle?: boolean;
  /** Whether it counts as a retry. */
  readonly isRetry?: boolean;
  /** Paths that the event changed, such as `spec.size`. Called only when runs follow each other suspiciously fast. */
  readonly changed?: () => readonly string[];
}

export interface HandlersOptions {
  readonly definition: ControllerDefinition;
  readonly caches: OpenCaches;
  readonly kind: ApiResource;
  readonly on: On | UserCode<(old: Live<KubeObject>, object: Live<KubeObject>) => boolean>;
  readonly env: Env;
  readonly keys: KeyTable;
  readonly isLeading: () => boolean;
  readonly enqueue: (key: Key, reason: string, options: EnqueueOptions) => void;
  /** Called when an object of the controller has left its cache, or another one has its name. */
  readonly gone: (key: Key, uid: string | undefined) => void;
  /** Called when an object of a cache of this cluster was changed or deleted. */
  readonly changed: (resource: string, event: InformerEvent<Live<KubeObject>>) => void;
}

/** Adds the handlers of a controller to its caches. */
export function addOperatorHandlers(options: HandlersOptions): Registration[] {
  const { definition, caches, kind } = options;
  const name = `controller ${definition.name}`;
  const follow = (cache: DeclaredCache, handle: (event: InformerEvent<Live<KubeObject>>) => void): Registration => {
    const changed = (event: InformerEvent<Live<KubeObject>>): void => {
      handle(event);
      if (!cache.isElsewhere) options.changed(cache.resource, event);
    };
    return cache.informer.on({ add: changed, update: changed, delete: changed }, { name });
  };
  const related =
    (
      what: 'owned' | 'related',
      resource: string,
      mapping: string,
      keysOf: (object: Live<KubeObject>) => Iterable<Key>,
    ) =>
    (event: InformerEvent<Live<KubeObject>>): void => {
      if (!options.isLeading()) return;
      // Both states: an object that lost its owner, or changed the name by which it is found, concerns two keys. The
      // new one comes last: it decides whether the object can be mapped.
      const states = event.type === 'update' ? [event.old, event.object] : [event.object];
      const keys = new Set(
        states.flatMap((state) => safeOperatorHandlerKeys(options, mapping, event.key, () => keysOf(state))),
      );
      if (event.type === 'delete') definition.faults.ended(mapping, event.key);
      const priority = isNewsForOperatorHandler(event) ? 0 : LOW_PRIORITY;
      const reason = `${what}(${resource} ${event.key})`;
      const changed = (): readonly string[] =>
        event.type === 'update'
          ? pathsOfChangedFields(event.old, event.object).map((path) => `${path} of ${resource} ${event.key}`)
          : [`${resource}: objects that are created and deleted`]; // a new name each time would hide the repetition
      for (const key of keys) options.enqueue(key, reason, { priority, settle: true, changed });
    };
  return [
    follow(caches.primary, (event) => primaryOperatorHandler(options, event)),
    ...caches.owned.map((cache) =>
      follow(
        cache,
        related('owned', cache.resource, `owner of ${cache.resource}`, (object) => {
          const key = ownerKeyOf(object, kind);
          return key === undefined ? [] : [key];
        }),
      ),
    ),
    ...caches.watched.map((cache, at) => {
      // With its position, because one resource may be watched twice.
      const mapping = `watch ${at + 1}, ${cache.resource}`;
      return follow(
        cache,
        related('related', cache.resource, mapping, mappingOfOperatorHandler(definition, caches, cache.watch)),
      );
    }),
  ];
}

function primaryOperatorHandler(options: HandlersOptions, event: InformerEvent<Live<KubeObject>>): void {
  const { keys, enqueue, isLeading, definition, gone } = options;
  const { key } = event;
  if (event.type === 'delete') {
    gone(key, event.object.metadata.uid);
    const record = keys.find(key);
    if (record !== undefined) record.last = event.object;
    for (const index of Object.keys(definition.indexers)) definition.faults.ended(faultOfIndexMapping(index), key);
    if (isLeading()) enqueue(key, 'deleted', {});
    return;
  }
  if (!isLeading()) return;
  if (event.type === 'add') {
    enqueue(key, event.initial ? 'initial' : 'created', { priority: event.initial ? LOW_PRIORITY : 0, settle: true });
    return;
  }
  if (event.resync) return enqueue(key, 'resync', { priority: LOW_PRIORITY });
  if (event.old.metadata.uid !== event.object.metadata.uid) gone(key, event.old.metadata.uid);
  const paths = pathsOfChangedFields(event.old, event.object);
  const what = `updated(${paths.join(', ')})`;
  if (isWantedByOperatorHandler(options, event.old, event.object))
    enqueue(key, what, { settle: true, changed: () => paths });
  else keys.filtered(key, what);
}

/** Whether the user's filter lets an event pass. A filter that fails does: an extra run does no harm. */
function isWantedByOperatorHandler(
  { on, env, definition: { name } }: HandlersOptions,
  old: Live<KubeObject>,
  object: Live<KubeObject>,
): boolean {
  if (on === 'spec' || on === 'any') return isRelevantChange(on, old, object);
  try {
    return guardedAnswer('on', on)(old, object);
  } catch (error) {
    env.log('error', 'the option `on` of a controller failed; the object runs', {
      controller: name,
      error: errorMessageOf(error),
    });
    return true;
  }
}

function mappingOfOperatorHandler(
  { name }: ControllerDefinition,
  { primary }: OpenCaches,
  { options: { index, value, keys } }: Watch,
): (object: Live<KubeObject>) => Iterable<Key> {
  if (keys !== undefined) {
    const keysOf = guardedAnswer('the keys of a watch', keys);
    return (object) => {
      const found = keysOf(object) ?? [];
      return typeof found === 'string' ? [found] : found;
    };
  }
  const valueOf = value === undefined ? keyForOperatorHandler : guardedAnswer('the value of a watch', value);
  const inIndex = openCacheIndexName(name, index ?? '');
  return (object) => {
    const found = valueOf(object) ?? [];
    const values = typeof found === 'string' ? [found] : found;
    return values.flatMap((one) => primary.informer.byIndex(inIndex, one).map(keyForOperatorHandler));
  };
}

/**
 * The keys for one state of an object. If they cannot be computed, that is a fault of the mapping, and
 * nothing runs.
 */
function safeOperatorHandlerKeys(
  { definition: { faults } }: HandlersOptions,
  mapping: string,
  of: Key,
  keys: () => Iterable<Key>,
): Key[] {
  try {
    const [valid, invalid] = partitionOperatorHandlers([...keys()], (key) => typeof key === 'string' && key !== '');
    if (invalid.length === 0) faults.ended(mapping, of);
    else {
      const got = printableText(String(invalid[0]));
      faults.failed(mapping, of, new TypeError(`expected namespace/name or name, got ${got}`));
    }
    return valid;
  } catch (error) {
    faults.failed(mapping, of, error);
    return [];
  }
}

function partitionOperatorHandlers<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

const isNewsForOperatorHandler = (event: InformerEvent<Live<KubeObject>>): boolean =>
  !((event.type === 'add' && event.initial) || (event.type === 'update' && event.resync));

function keyForOperatorHandler({ metadata }: KubeObject): Key {
  const { namespace = '', name = '' } = metadata ?? {};
  return joinKey({ namespace, name });
}
