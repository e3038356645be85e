import { type FieldError, invalidFieldError } from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import { forbiddenStatusError } from '../../../core/status-error.ts';
import { metaFinalizerComplaints } from '../../meta/meta-errors.ts';
import { labelKeySyntaxComplaints } from '../../meta/name-syntax.ts';
import { ensureFields, nameField, specFields, textsField } from '../common/fields.ts';
import type { KindRules } from '../common/kind-rule.ts';

export const KUBERNETES_FINALIZER = 'kubernetes';
const NAME_LABEL = 'kubernetes.io/metadata.name';

/** Namespaces that a cluster cannot work without. */
const UNDELETABLE: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

export const namespaceRules: KindRules = {
  defaults(namespace) {
    labelNamespaceBesideFinalizer(namespace);
    ensureFields(namespace, 'status')['phase'] ??= 'Active';
  },

  prepareCreate(namespace) {
    labelNamespaceBesideFinalizer(namespace);
    namespace['status'] = { phase: 'Active' };
    const spec = ensureFields(namespace, 'spec');
    const finalizers = textsField(spec, 'finalizers');
    if (!finalizers.includes(KUBERNETES_FINALIZER)) spec['finalizers'] = [...finalizers, KUBERNETES_FINALIZER];
  },

  prepareUpdate(next, old) {
    labelNamespaceBesideFinalizer(next);
    // Only the `finalize` subresource changes them.
    const { finalizers } = specFields(old);
    const spec = ensureFields(next, 'spec');
    if (finalizers === undefined) delete spec['finalizers'];
    else spec['finalizers'] = finalizers;
  },

  validate: (namespace) => namespaceFinalizerErrors(namespace, () => 'spec.finalizers'),
  validateUpdate: (namespace) => namespaceFinalizerErrors(namespace, (index) => `spec.finalizers[${index}]`),

  beforeDelete(namespace) {
    const name = nameField(namespace);
    if (UNDELETABLE.has(name))
      throw forbiddenStatusError(
        { group: '', resource: 'namespaces', kind: 'Namespace' },
        name,
        'this namespace may not be deleted',
      );
  },
};

/** The namespace with the finalizer that keeps it until it is empty, unless it names its own. */
export function withNamespaceFinalizer(namespace: ApiObject): ApiObject {
  const spec = specFields(namespace);
  if (spec['finalizers'] !== undefined) return namespace;
  return { ...namespace, spec: { ...spec, finalizers: [KUBERNETES_FINALIZER] } };
}

function namespaceFinalizerErrors(namespace: ApiObject, fieldOf: (index: number) => string): FieldError[] {
  return textsField(specFields(namespace), 'finalizers').flatMap((finalizer, index) =>
    [...labelKeySyntaxComplaints(finalizer), ...metaFinalizerComplaints(finalizer)].map((complaint) =>
      invalidFieldError(fieldOf(index), finalizer, complaint),
    ),
  );
}

function labelNamespaceBesideFinalizer(namespace: ApiObject): void {
  const metadata = (namespace.metadata ??= {});
  if (metadata.name) metadata.labels = { ...metadata.labels, [NAME_LABEL]: metadata.name };
}
