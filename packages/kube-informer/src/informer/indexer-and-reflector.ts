import { defined } from '../core/defined.ts';
import { type KubeObject, plainAccess } from '../core/object/object.ts';
import { Indexer } from '../store/indexer.ts';
import type { ListWatch } from './list-watch/list-watch.ts';
import { Reflector } from './reflector/reflector.ts';
import type { ReflectorOptions } from './reflector/reflector-options.ts';

/** A namespace-indexed store and a reflector that writes directly into it, without a queue or handlers. */
export function namespaceKeyedIndexerAndReflector<T extends object = KubeObject>(
  source: ListWatch<T>,
  options: ReflectorOptions<T> = {},
): { readonly indexer: Indexer<T>; readonly reflector: Reflector<T> } {
  const { access = plainAccess, key } = options;
  const indexer = new Indexer<T>({ access, ...defined({ key }) });
  return { indexer, reflector: new Reflector(source, indexer, options) };
}
