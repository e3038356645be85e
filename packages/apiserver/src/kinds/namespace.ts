import { forbidden } from '../errors/status.ts';
import type { ApiObject } from '../types.ts';
import { ensureFields, nameOf, specOf, textsAt } from './fields.ts';
import type { KindRules } from './rules.ts';

export const KUBERNETES_FINALIZER = 'kubernetes';
const NAME_LABEL = 'kubernetes.io/metadata.name';

/** A cluster cannot work without them. */
const UNDELETABLE: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

export const namespaceRules: KindRules = {
  defaults(namespace) {
    labelWithName(namespace);
    ensureFields(namespace, 'status')['phase'] ??= 'Active';
  },

  prepareCreate(namespace) {
    labelWithName(namespace);
    namespace['status'] = { phase: 'Active' };
    const spec = ensureFields(namespace, 'spec');
    const finalizers = textsAt(spec, 'finalizers');
    if (!finalizers.includes(KUBERNETES_FINALIZER)) spec['finalizers'] = [...finalizers, KUBERNETES_FINALIZER];
  },

  prepareUpdate(next, old) {
    labelWithName(next);
    // Only the `finalize` subresource changes them.
    const { finalizers } = specOf(old);
    const spec = ensureFields(next, 'spec');
    if (finalizers === undefined) delete spec['finalizers'];
    else spec['finalizers'] = finalizers;
  },

  beforeDelete(namespace) {
    const name = nameOf(namespace);
    if (UNDELETABLE.has(name))
      throw forbidden(
        { group: '', resource: 'namespaces', kind: 'Namespace' },
        name,
        'this namespace may not be deleted',
      );
  },
};

function labelWithName(namespace: ApiObject): void {
  const metadata = (namespace.metadata ??= {});
  if (metadata.name) metadata.labels = { ...metadata.labels, [NAME_LABEL]: metadata.name };
}
