import { fieldError, forbiddenField, invalidField, requiredField, unsupportedField } from '../errors/field.ts';
import type { ApiObject, FieldError } from '../types.ts';
import { applyTable } from './default-table.ts';
import {
  ensureFields,
  type Fields,
  fieldsAt,
  isAbsent,
  isEmpty,
  sameFields,
  shown,
  specOf,
  textAt,
  textsAt,
} from './fields.ts';
import { VOLUME_SOURCE } from './pod-defaults.ts';
import type { KindRules } from './rules.ts';
import { countGeneration } from './workload.ts';

/** Volumes, claims and the classes they come in. */

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** Fields of a volume that do not say where its bytes are. */
const NOT_A_SOURCE: ReadonlySet<string> = new Set([
  'capacity', 'accessModes', 'claimRef', 'persistentVolumeReclaimPolicy', 'storageClassName', 'mountOptions', 'volumeMode', 'nodeAffinity', 'volumeAttributesClassName',
]); // prettier-ignore

export const persistentVolumeRules: KindRules = {
  defaults(volume) {
    const spec = ensureFields(volume, 'spec');
    applyTable(spec, [...VOLUME_SOURCE, ['persistentVolumeReclaimPolicy', 'Retain'], ['volumeMode', 'Filesystem']]);
    ensureFields(volume, 'status')['phase'] ??= 'Pending';
  },
  prepareCreate(volume, { now }) {
    volume['status'] = { phase: 'Pending', lastPhaseTransitionTime: now };
    protect(volume, 'kubernetes.io/pv-protection');
  },
  prepareStatusUpdate(next, old, { now }) {
    const [status, before] = [ensureFields(next, 'status'), fieldsAt(old, 'status')];
    const time = status['lastPhaseTransitionTime'];
    if (status['phase'] === before['phase']) {
      if (isAbsent(time) && !isAbsent(before['lastPhaseTransitionTime']))
        status['lastPhaseTransitionTime'] = before['lastPhaseTransitionTime'];
    } else if (isAbsent(time) || time === before['lastPhaseTransitionTime']) status['lastPhaseTransitionTime'] = now;
  },
  validate(volume) {
    const spec = specOf(volume);
    const errors = accessModeErrors(spec);
    if (isEmpty(spec['capacity'])) errors.push(requiredField('spec.capacity'));
    if (!('storage' in fieldsAt(spec, 'capacity')))
      errors.push(
        unsupportedField('spec.capacity', isEmpty(spec['capacity']) ? null : shown(spec['capacity']), ['storage']),
      );
    if (Object.keys(spec).every((name) => NOT_A_SOURCE.has(name) || isAbsent(spec[name])))
      errors.push(requiredField('spec', 'must specify a volume type'));
    return errors;
  },
};

export const persistentVolumeClaimRules: KindRules = {
  defaults(claim) {
    const spec = ensureFields(claim, 'spec');
    applyTable(spec, [['volumeMode', 'Filesystem']]);
    ensureFields(claim, 'status')['phase'] ??= 'Pending';
  },
  prepareCreate(claim) {
    claim['status'] = { phase: 'Pending' };
    pairDataSources(ensureFields(claim, 'spec'));
    protect(claim, 'kubernetes.io/pvc-protection');
  },
  prepareUpdate: (next) => pairDataSources(ensureFields(next, 'spec')),
  validate(claim) {
    const spec = specOf(claim);
    const errors = accessModeErrors(spec, 'at least 1 access mode is required');
    if (isAbsent(fieldsAt(fieldsAt(spec, 'resources'), 'requests')['storage']))
      errors.push(requiredField('spec.resources[storage]'));
    return errors;
  },
  validateUpdate(next, old) {
    // Binding fills in the volume and perhaps the class; from then on only the size may grow.
    const fixed = (claim: ApiObject): Fields => {
      const { volumeName: _volume, resources: _resources, volumeAttributesClassName: _class, ...rest } = specOf(claim);
      return rest;
    };
    if (sameFields(fixed(next), fixed(old))) return [];
    return [
      forbiddenField(
        'spec',
        'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
      ),
    ];
  },
};

function accessModeErrors(spec: Fields, hint = ''): FieldError[] {
  const modes = textsAt(spec, 'accessModes');
  if (modes.length === 0) return [requiredField('spec.accessModes', hint)];
  return modes
    .filter((mode) => !ACCESS_MODES.includes(mode))
    .map((mode) => unsupportedField('spec.accessModes', mode, ACCESS_MODES));
}

/** The old field for the source of a copy and the new one say the same. */
function pairDataSources(spec: Fields): void {
  const old = spec['dataSource'];
  if (!isAbsent(old)) {
    const source = ensureFields(spec, 'dataSource');
    source['apiGroup'] ??= null;
    if (isAbsent(spec['dataSourceRef'])) spec['dataSourceRef'] = { ...source };
  } else if (!isAbsent(spec['dataSourceRef'])) {
    const source = fieldsAt(spec, 'dataSourceRef');
    if (isAbsent(source['namespace'])) spec['dataSource'] = { ...source };
  }
}

/** What is in use must not vanish; a controller takes the finalizer away when nobody uses it. */
function protect(object: ApiObject, finalizer: string): void {
  const metadata = (object.metadata ??= {});
  if (!metadata.finalizers?.includes(finalizer)) metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
}

const CLASS_FIXED = ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'];

export const storageClassRules: KindRules = {
  defaults: (object) =>
    applyTable(object, [['reclaimPolicy', 'Delete'], ['volumeBindingMode', 'Immediate']]), // prettier-ignore
  validate: (object) => (textAt(object, 'provisioner') === '' ? [requiredField('provisioner')] : []),
  validateUpdate: (next, old) =>
    CLASS_FIXED.filter((name) => !sameFields(next[name], old[name])).map((name) =>
      name === 'parameters'
        ? forbiddenField(name, 'updates to parameters are forbidden.')
        : invalidField(name, shown(next[name]), 'field is immutable'),
    ),
};

export const csiDriverRules: KindRules = {
  defaults: (object) =>
    applyTable(object, [
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
      : [fieldError('FieldValueInvalid', 'spec', shown(next['spec']), 'field is immutable')],
};

export const volumeAttributesClassRules: KindRules = {
  prepareCreate: (object) => protect(object, 'kubernetes.io/vac-protection'),
  validateUpdate: (next, old) => [
    ...(sameFields(next['driverName'], old['driverName'])
      ? []
      : [invalidField('driverName', shown(next['driverName']), 'field is immutable')]),
    ...(sameFields(next['parameters'], old['parameters'])
      ? []
      : [invalidField('parameters', shown(next['parameters']), 'field is immutable')]),
  ],
};
