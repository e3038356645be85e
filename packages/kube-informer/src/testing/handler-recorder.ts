import type { KubeObject } from '../core/object/object.ts';
import type { Handler, InformerEvent } from '../informer/handlers/handlers.ts';

/**
 * A handler that remembers what it was told, and complains when it is told nonsense:
 * an add of something it has, an update or delete of something it has not, or an
 * update whose `old` is not what it was told last.
 */
export class HandlerRecorder<T extends KubeObject = KubeObject> implements Handler<T> {
  readonly events: InformerEvent<T>[] = [];
  readonly violations: string[] = [];
  /** What the handler must believe to be there now. */
  readonly view: Map<string, T> = new Map();
  overflows = 0;

  /** `add web/a@2`, `update web/a@2→3`, `delete web/a`: easy to compare with. */
  get lines(): string[] {
    return this.events.map((event) => {
      if (event.type === 'update')
        return `update ${event.key}@${version(event.old)}→${version(event.object)}${event.replaced ? ' replaced' : ''}${event.resync ? ' resync' : ''}`;
      if (event.type === 'add') return `add ${event.key}@${version(event.object)}${event.initial ? ' initial' : ''}`;
      return `delete ${event.key}${event.finalStateUnknown ? ' unknown' : ''}`;
    });
  }

  readonly add = (event: InformerEvent<T> & { type: 'add' }): void => {
    if (this.view.has(event.key)) this.violations.push(`add of ${event.key}, which is there`);
    this.view.set(event.key, event.object);
    this.events.push(event);
  };

  readonly update = (event: InformerEvent<T> & { type: 'update' }): void => {
    const known = this.view.get(event.key);
    if (known === undefined) this.violations.push(`update of ${event.key}, which is not there`);
    else if (version(known) !== version(event.old))
      this.violations.push(`update of ${event.key}: old is ${version(event.old)}, told was ${version(known)}`);
    this.view.set(event.key, event.object);
    this.events.push(event);
  };

  readonly delete = (event: InformerEvent<T> & { type: 'delete' }): void => {
    if (!this.view.delete(event.key)) this.violations.push(`delete of ${event.key}, which is not there`);
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

function version(object: KubeObject): string {
  return object.metadata?.resourceVersion ?? '?';
}
