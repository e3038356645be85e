import type { KubeObject } from '../core/object/object.ts';
import type { Handler, InformerEvent } from '../informer/handlers/handlers.ts';

/**
 * A handler that records its events and reports impossible ones in `violations`:
 * an add of a known object, an update or delete of an unknown one, or an update
 * whose `old` is not the last recorded state.
 */
export class HandlerRecorder<T extends KubeObject = KubeObject> implements Handler<T> {
  readonly events: InformerEvent<T>[] = [];
  readonly violations: string[] = [];
  /** The objects after all events. */
  readonly view: Map<string, T> = new Map();
  overflows = 0;

  /** The events as text: `add web/a@2`, `update web/a@2→3`, `delete web/a`. */
  get lines(): string[] {
    return this.events.map((event) => {
      if (event.type === 'update')
        return `update ${event.key}@${handlerRecorderVersion(event.old)}→${handlerRecorderVersion(event.object)}${event.replaced ? ' replaced' : ''}${event.resync ? ' resync' : ''}`;
      if (event.type === 'add')
        return `add ${event.key}@${handlerRecorderVersion(event.object)}${event.initial ? ' initial' : ''}`;
      return `delete ${event.key}${event.finalStateUnknown ? ' unknown' : ''}`;
    });
  }

  readonly add = (event: InformerEvent<T> & { type: 'add' }): void => {
    if (this.view.has(event.key)) this.violations.push(`add of ${event.key}, which exists`);
    this.view.set(event.key, event.object);
    this.events.push(event);
  };

  readonly update = (event: InformerEvent<T> & { type: 'update' }): void => {
    const known = this.view.get(event.key);
    if (known === undefined) this.violations.push(`update of ${event.key}, which does not exist`);
    else if (handlerRecorderVersion(known) !== handlerRecorderVersion(event.old))
      this.violations.push(
        `update of ${event.key}: old is ${handlerRecorderVersion(event.old)}, expected ${handlerRecorderVersion(known)}`,
      );
    this.view.set(event.key, event.object);
    this.events.push(event);
  };

  readonly delete = (event: InformerEvent<T> & { type: 'delete' }): void => {
    if (!this.view.delete(event.key)) this.violations.push(`delete of ${event.key}, which does not exist`);
    this.events.push(event);
  };

  readonly overflow = (): void => {
    this.overflows += 1;
    this.view.clear();
  };

  clear(): void {
    this.events.length = 0;
  }
}

function handlerRecorderVersion(object: KubeObject): string {
  return object.metadata?.resourceVersion ?? '?';
}
