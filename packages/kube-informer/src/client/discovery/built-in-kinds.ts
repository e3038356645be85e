import type { Kind } from '@kube-informer/kubernetes/kinds';

let loaded: readonly Kind[] | undefined;

/** The table of built-in kinds. Loaded when it is needed: it is large, and many programs never need it. */
export async function builtInKinds(): Promise<readonly Kind[]> {
  loaded ??= (await import('@kube-informer/kubernetes/kinds')).kinds;
  return loaded;
}
