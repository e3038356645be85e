import type { KubeObject } from '../../../src/core/object/object.ts';
import type { AddEvent, DeleteEvent, UpdateEvent } from '../../../src/informer/handlers/handlers.ts';
import { keyFor } from '../../store/rig/objects.ts';
import { obj } from './delta-lines.ts';

/** Events from `web/a@3` lines. */
export function add(text: string, initial = false): AddEvent<KubeObject> {
  const object = obj(text);
  return { type: 'add', key: keyFor(object), object, initial };
}

export function update(
  before: string,
  after: string,
  more: { readonly replaced?: boolean } = {},
): UpdateEvent<KubeObject> {
  const object = obj(after);
  return { type: 'update', key: keyFor(object), object, old: obj(before), replaced: false, resync: false, ...more };
}

export function resync(text: string): UpdateEvent<KubeObject> {
  return { ...update(text, text), resync: true };
}

export function gone(text: string, finalStateUnknown = false): DeleteEvent<KubeObject> {
  const object = obj(text);
  return { type: 'delete', key: keyFor(object), object, finalStateUnknown };
}
