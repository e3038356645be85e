import type { ControllerHost, Stop } from './controller-host.ts';
import { workLoop } from './work-loop.ts';
import { controllerOwnerOf } from './controller-owner.ts';
import type { Typed } from './typed-resource.ts';

/** `namespace/name`, or `/name` for a cluster-scoped object. */
type Key = string;

export interface Reconciler {
  readonly name: string;
  readonly group: string;
  readonly resource: string;
  /** Resources whose changes reconcile their controller, if it is of this resource. */
  readonly owns?: readonly (readonly [group: string, resource: string])[];
  /** Resources whose changes reconcile other objects of this resource. */
  readonly follows?: readonly (readonly [group: string, resource: string, concerned: (changed: Typed) => readonly Typed[]])[];
  /** Brings one object closer to its desired state. May return milliseconds after which to check again. */
  sync(namespace: string, name: string): number | undefined;
} // prettier-ignore

/** Calls `sync` for every object of a resource: at the start, and after each relevant change. */
export function reconcileKeyNow(host: ControllerHost, reconciler: Reconciler): Stop {
  const { name: title, group, resource, owns = [], follows = [] } = reconciler;
  const kind = host.resources().find((one) => one.group === group && one.resource === resource)?.kind;
  const loop = workLoop(host.env, title, (key) => {
    const slash = key.indexOf('/');
    return reconciler.sync(key.slice(0, slash), key.slice(slash + 1));
  });
  const look = (object: Typed): void => loop.add(keyToReconcile(object));
  const stops = [host.watch(group, resource, (_, object) => look(object))];
  for (const [ownedGroup, owned] of owns)
    stops.push(
      host.watch(ownedGroup, owned, (type, object) => {
        const owner = controllerOwnerOf(object);
        const namespace = object.metadata?.namespace ?? '';
        if (owner?.kind === kind) return loop.add(`${namespace}/${owner?.name}`);
        // It may be adopted.
        if (owner === undefined && type !== 'DELETED') for (const one of host.list(group, resource, namespace)) look(one);
      }),
    ); // prettier-ignore
  for (const [followedGroup, followed, concerned] of follows)
    stops.push(
      host.watch(followedGroup, followed, (_, object) => {
        for (const one of concerned(object)) look(one);
      }),
    );
  for (const object of host.list(group, resource)) look(object);
  return () => {
    loop.stop();
    for (const stop of stops) stop();
  };
}

const keyToReconcile = ({ metadata }: Typed): Key => `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
