import {
  fieldError,
  type FieldError,
  forbiddenFieldError,
  invalidFieldError,
  requiredFieldError,
  unsupportedFieldError,
} from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import { podNodeLabelWarnings } from '../pod/pod-warnings.ts';
import { applyDefaultTable } from '../common/default-table.ts';
import {
  ensureFields,
  type Fields,
  fieldsAt,
  isFieldAbsent,
  isFieldEmpty,
  itemsField,
  sameFields,
  shownFieldValue,
  specFields,
  textField,
  textsField,
} from '../common/fields.ts';
import { countGeneration } from '../common/generation.ts';
import { compareQuantities } from '../common/quantity.ts';
import type { KindRules } from '../common/kind-rule.ts';
import { choiceValueErrors } from '../common/value-errors.ts';
import { VOLUME_SOURCE } from '../pod/pod-defaults.ts';

/** Rules of volumes, claims and their classes. */

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** Fields of a volume that do not name its source. */
const NOT_A_SOURCE: ReadonlySet<string> = new Set([
  'capacity', 'accessModes', 'claimRef', 'persistentVolumeReclaimPolicy', 'storageClassName', 'mountOptions', 'volumeMode', 'nodeAffinity', 'volumeAttributesClassName',
]); // prettier-ignore

export const persistentVolumeRules: KindRules = {
  warnings: (volume) =>
    textField(specFields(volume), 'persistentVolumeReclaimPolicy') === 'Recycle'
      ? [
          'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
        ]
      : [],
  defaults(volume) {
    const spec = ensureFields(volume, 'spec');
    applyDefaultTable(spec, [
      ...VOLUME_SOURCE,
      ['persistentVolumeReclaimPolicy', 'Retain'],
      ['volumeMode', 'Filesystem'],
    ]);
    ensureFields(volume, 'status')['phase'] ??= 'Pending';
  },
  prepareCreate(volume, { now }) {
    volume['status'] = { phase: 'Pending', lastPhaseTransitionTime: now };
    protectVolume(volume, 'kubernetes.io/pv-protection');
  },
  prepareStatusUpdate(next, old, { now }) {
    const [status, before] = [ensureFields(next, 'status'), fieldsAt(old, 'status')];
    const time = status['lastPhaseTransitionTime'];
    if (status['phase'] === before['phase']) {
      if (isFieldAbsent(time) && !isFieldAbsent(before['lastPhaseTransitionTime']))
        status['lastPhaseTransitionTime'] = before['lastPhaseTransitionTime'];
    } else if (isFieldAbsent(time) || time === before['lastPhaseTransitionTime'])
      status['lastPhaseTransitionTime'] = now;
  },
  validate(volume) {
    const spec = specFields(volume);
    const errors = volumeAccessModeErrors(spec);
    if (isFieldEmpty(spec['capacity'])) errors.push(requiredFieldError('spec.capacity'));
    if (!('storage' in fieldsAt(spec, 'capacity')))
      errors.push(
        unsupportedFieldError(
          'spec.capacity',
          isFieldEmpty(spec['capacity']) ? null : shownFieldValue(spec['capacity']),
          ['storage'],
        ),
      );
    if (Object.keys(spec).every((name) => NOT_A_SOURCE.has(name) || isFieldAbsent(spec[name])))
      errors.push(requiredFieldError('spec', 'must specify a volume type'));
    return [
      ...errors,
      ...choiceValueErrors(spec, 'persistentVolumeReclaimPolicy', 'spec', ['Delete', 'Recycle', 'Retain']),
    ];
  },
  validateUpdate: (next, old) => persistentVolumeChangeErrors(specFields(next), specFields(old)),
  validateStatusUpdate: () => [],
};

/** Errors of changes to the source and the mode of a volume, which cannot change. */
function persistentVolumeChangeErrors(next: Fields, old: Fields): FieldError[] {
  const source = (spec: Fields): Fields =>
    Object.fromEntries(
      Object.entries(spec).filter(([name, value]) => !NOT_A_SOURCE.has(name) && !isFieldAbsent(value)),
    );
  const errors: FieldError[] = [];
  const policy = choiceValueErrors(next, 'persistentVolumeReclaimPolicy', 'spec', ['Delete', 'Recycle', 'Retain']);
  const [, ...others] = Object.keys(source(next));
  errors.push(...policy);
  for (const name of others)
    errors.push(forbiddenFieldError(`spec.${name}`, 'may not specify more than 1 volume type'));
  if (!sameFields(source(next), source(old)))
    errors.push(
      forbiddenFieldError('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation'),
    );
  return [...errors, ...volumeModeErrors(next, old)];
}

const volumeModeErrors = (next: Fields, old: Fields): FieldError[] =>
  next['volumeMode'] === old['volumeMode']
    ? []
    : [invalidFieldError('volumeMode', shownFieldValue(next['volumeMode']), 'field is immutable')];

export const persistentVolumeClaimRules: KindRules = {
  defaults(claim) {
    const spec = ensureFields(claim, 'spec');
    applyDefaultTable(spec, [['volumeMode', 'Filesystem']]);
    ensureFields(claim, 'status')['phase'] ??= 'Pending';
  },
  prepareCreate(claim) {
    claim['status'] = { phase: 'Pending' };
    pairVolumeDataSources(ensureFields(claim, 'spec'));
    protectVolume(claim, 'kubernetes.io/pvc-protection');
  },
  prepareUpdate: (next) => pairVolumeDataSources(ensureFields(next, 'spec')),
  validate(claim) {
    const spec = specFields(claim);
    const errors = volumeAccessModeErrors(spec, 'at least 1 access mode is required');
    if (isFieldAbsent(fieldsAt(fieldsAt(spec, 'resources'), 'requests')['storage']))
      errors.push(requiredFieldError('spec.resources[storage]'));
    return errors;
  },
  validateUpdate(next, old) {
    const errors: FieldError[] = [];
    if (!sameFields(fixedVolumeClaimSpec(next, old), fixedVolumeClaimSpec(old, old)))
      errors.push(
        forbiddenFieldError(
          'spec',
          'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
        ),
      );
    const isBound = textField(fieldsAt(old, 'status'), 'phase') === 'Bound';
    if (isBound && volumeClaimShrinks(next, old)) {
      const field = 'spec.resources.requests.storage';
      errors.push(forbiddenFieldError(field, 'field can not be less than status.capacity'));
    }
    return [...errors, ...volumeModeErrors(specFields(next), specFields(old))];
  },
  validateStatusUpdate: () => [],
};

const volumeStorageAmount = (amounts: Fields): string => textField(amounts, 'storage');
const volumeClaimRequests = (claim: ApiObject): Fields =>
  fieldsAt(fieldsAt(specFields(claim), 'resources'), 'requests');

/** Whether a claim requests less than before, and not more than its capacity. */
function volumeClaimShrinks(next: ApiObject, old: ApiObject): boolean {
  const [wanted, before] = [
    volumeStorageAmount(volumeClaimRequests(next)),
    volumeStorageAmount(volumeClaimRequests(old)),
  ];
  const capacity = volumeStorageAmount(fieldsAt(fieldsAt(old, 'status'), 'capacity'));
  if ((compareQuantities(wanted, before) ?? 0) >= 0) return false;
  return (compareQuantities(wanted, capacity) ?? 0) <= 0;
}

/** The part of the spec that cannot change: binding sets the volume, a default may still set the class, and a bound claim may request more. */
function fixedVolumeClaimSpec(claim: ApiObject, old: ApiObject): Fields {
  const [fixed, before] = [{ ...specFields(claim) }, specFields(old)];
  if (isFieldAbsent(before['volumeName'])) delete fixed['volumeName'];
  if (before['storageClassName'] === undefined) delete fixed['storageClassName'];
  delete fixed['volumeAttributesClassName'];
  if (textField(fieldsAt(old, 'status'), 'phase') === 'Bound') {
    const { requests: _requests, ...resources } = fieldsAt(fixed, 'resources');
    fixed['resources'] = resources;
  }
  return fixed;
}

function volumeAccessModeErrors(spec: Fields, hint = ''): FieldError[] {
  const modes = textsField(spec, 'accessModes');
  if (modes.length === 0) return [requiredFieldError('spec.accessModes', hint)];
  return modes
    .filter((mode) => !ACCESS_MODES.includes(mode))
    .map((mode) => unsupportedFieldError('spec.accessModes', mode, ACCESS_MODES));
}

/** Keeps the old and the new field for the source of a clone equal. */
function pairVolumeDataSources(spec: Fields): void {
  const old = spec['dataSource'];
  if (!isFieldAbsent(old)) {
    const source = ensureFields(spec, 'dataSource');
    source['apiGroup'] ??= null;
    if (isFieldAbsent(spec['dataSourceRef'])) spec['dataSourceRef'] = { ...source };
  } else if (!isFieldAbsent(spec['dataSourceRef'])) {
    const source = fieldsAt(spec, 'dataSourceRef');
    if (isFieldAbsent(source['namespace'])) spec['dataSource'] = { ...source };
  }
}

/** Adds the finalizer that a controller removes once the object is no longer in use. */
function protectVolume(object: ApiObject, finalizer: string): void {
  const metadata = (object.metadata ??= {});
  if (!metadata.finalizers?.includes(finalizer)) metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
}

const CLASS_FIXED = ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'];

export const storageClassRules: KindRules = {
  warnings: (storageClass, old) => (old === undefined ? volumeTopologyWarnings(storageClass) : []),
  defaults: (object) =>
    applyDefaultTable(object, [['reclaimPolicy', 'Delete'], ['volumeBindingMode', 'Immediate']]), // prettier-ignore
  validate: (object) => (textField(object, 'provisioner') === '' ? [requiredFieldError('provisioner')] : []),
  validateUpdate: (next, old) =>
    CLASS_FIXED.filter((name) => !sameFields(next[name], old[name])).map((name) =>
      invalidFieldError(name, shownFieldValue(next[name]), 'field is immutable'),
    ),
};

export const csiDriverRules: KindRules = {
  defaults: (object) =>
    applyDefaultTable(object, [
      ['spec.attachRequired', true],
      ['spec.podInfoOnMount', false],
      ['spec.volumeLifecycleModes', ['Persistent']],
      ['spec.storageCapacity', false],
      ['spec.fsGroupPolicy', 'ReadWriteOnceWithFSType'],
      ['spec.requiresRepublish', false],
      ['spec.seLinuxMount', false],
    ]),
  prepareUpdate(next, old) {
    // Unlike any other kind it starts without a generation and gets one with its first change.
    if (!sameFields(next['spec'], old['spec'])) countGeneration(next, old);
  },
};

export const volumeAttachmentRules: KindRules = {
  validateUpdate: (next, old) =>
    sameFields(next['spec'], old['spec'])
      ? []
      : [fieldError('FieldValueInvalid', 'spec', shownFieldValue(next['spec']), 'field is immutable')],
};

export const volumeAttributesClassRules: KindRules = {
  prepareCreate: (object) => protectVolume(object, 'kubernetes.io/vac-protection'),
  validateUpdate: (next, old) => [
    ...(sameFields(next['driverName'], old['driverName'])
      ? []
      : [invalidFieldError('driverName', shownFieldValue(next['driverName']), 'field is immutable')]),
    ...(sameFields(next['parameters'], old['parameters'])
      ? []
      : [invalidFieldError('parameters', shownFieldValue(next['parameters']), 'field is immutable')]),
  ],
};

const volumeTopologyWarnings = (storageClass: ApiObject): string[] =>
  itemsField(storageClass, 'allowedTopologies').flatMap((term, index) =>
    itemsField(term, 'matchLabelExpressions').flatMap((requirement, at) =>
      podNodeLabelWarnings(
        textField(requirement, 'key'),
        `allowedTopologies[${index}].matchLabelExpressions[${at}].key`,
      ),
    ),
  );
