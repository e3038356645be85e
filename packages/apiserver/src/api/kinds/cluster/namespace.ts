import { type FieldError, invalidField } from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/object.ts';
import { forbidden } from '../../../core/status.ts';
import { metaFinalizerComplaints } from '../../meta/object-meta.ts';
import { labelKeySyntaxComplaints } from '../../meta/syntax.ts';
import { ensureFields, nameOf, specOf, textsAt } from '../common/fields.ts';
import type { KindRules } from '../common/rules.ts';

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

  validate: (namespace) => finalizerErrors(namespace, () => 'spec.finalizers'),
  validateUpdate: (namespace) => finalizerErrors(namespace, (index) => `spec.finalizers[${index}]`),

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

function finalizerErrors(namespace: ApiObject, fieldOf: (index: number) => string): FieldError[] {
  return textsAt(specOf(namespace), 'finalizers').flatMap((finalizer, index) =>
    [...labelKeySyntaxComplaints(finalizer), ...metaFinalizerComplaints(finalizer)].map((complaint) =>
      invalidField(fieldOf(index), finalizer, complaint),
    ),
  );
}

function labelWithName(namespace: ApiObject): void {
  const metadata = (namespace.metadata ??= {});
  if (metadata.name) metadata.labels = { ...metadata.labels, [NAME_LABEL]: metadata.name };
}
