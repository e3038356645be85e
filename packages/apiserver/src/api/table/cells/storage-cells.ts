import type { ApiObject } from '../../../core/kube-object.ts';
import { ageCell, type Cells, defaultNameCell, nameCell } from './cells.ts';
import {
  readFieldFlag,
  readFieldIsPresent,
  readFieldItems,
  readFieldMap,
  readFieldText,
  readFieldTexts,
} from './read-fields.ts';
import { NONE, UNSET } from './cell-texts.ts';

/** Access modes and their short forms, in the order they are shown. */
const ACCESS_MODES: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

export const storageCells: Readonly<Record<string, Cells>> = {
  '/persistentvolumes': (object, now) => [
    nameCell(object),
    readFieldMap(object, 'spec.capacity')['storage'] ?? '0',
    storageModesCell(object, 'spec.accessModes'),
    readFieldText(object, 'spec.persistentVolumeReclaimPolicy'),
    storagePhaseCell(object),
    readFieldIsPresent(object, 'spec.claimRef')
      ? `${readFieldText(object, 'spec.claimRef.namespace')}/${readFieldText(object, 'spec.claimRef.name')}`
      : '',
    storageClassNameCell(object),
    readFieldText(object, 'spec.volumeAttributesClassName', UNSET),
    readFieldText(object, 'status.reason'),
    ageCell(object, now),
    readFieldText(object, 'spec.volumeMode', UNSET),
  ],
  '/persistentvolumeclaims': (object, now) => {
    const volume = readFieldText(object, 'spec.volumeName');
    const isBound = volume !== '';
    return [
      nameCell(object),
      storagePhaseCell(object),
      volume,
      isBound ? (readFieldMap(object, 'status.capacity')['storage'] ?? '0') : '',
      isBound ? storageModesCell(object, 'status.accessModes') : '',
      storageClassNameCell(object),
      readFieldText(object, 'spec.volumeAttributesClassName', UNSET),
      ageCell(object, now),
      readFieldText(object, 'spec.volumeMode', UNSET),
    ];
  },
  'storage.k8s.io/storageclasses': (object, now) => [
    defaultNameCell(
      object,
      'storageclass.kubernetes.io/is-default-class',
      'storageclass.beta.kubernetes.io/is-default-class',
    ),
    readFieldText(object, 'provisioner'),
    readFieldText(object, 'reclaimPolicy', 'Delete'),
    readFieldText(object, 'volumeBindingMode', 'Immediate'),
    readFieldFlag(object, 'allowVolumeExpansion'),
    ageCell(object, now),
  ],
  'storage.k8s.io/volumeattributesclasses': (object, now) => [
    nameCell(object),
    readFieldText(object, 'driverName'),
    ageCell(object, now),
  ],
  'storage.k8s.io/csinodes': (object, now) => [
    nameCell(object),
    readFieldItems(object, 'spec.drivers').length,
    ageCell(object, now),
  ],
  'storage.k8s.io/csidrivers': (object, now) => [
    nameCell(object),
    readFieldFlag(object, 'spec.attachRequired', true),
    readFieldFlag(object, 'spec.podInfoOnMount'),
    readFieldFlag(object, 'spec.storageCapacity'),
    readFieldIsPresent(object, 'spec.tokenRequests')
      ? readFieldItems(object, 'spec.tokenRequests')
          .map((request) => readFieldText(request, 'audience'))
          .join(',')
      : UNSET,
    readFieldFlag(object, 'spec.requiresRepublish'),
    readFieldTexts(object, 'spec.volumeLifecycleModes').join(',') || NONE,
    ageCell(object, now),
  ],
  'storage.k8s.io/volumeattachments': (object, now) => [
    nameCell(object),
    readFieldText(object, 'spec.attacher'),
    readFieldText(object, 'spec.source.persistentVolumeName'),
    readFieldText(object, 'spec.nodeName'),
    readFieldFlag(object, 'status.attached'),
    ageCell(object, now),
  ],
};

function storageModesCell(object: ApiObject, path: string): string {
  const modes = readFieldTexts(object, path);
  return ACCESS_MODES.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

const storagePhaseCell = (object: ApiObject): string =>
  object.metadata?.deletionTimestamp === undefined ? readFieldText(object, 'status.phase') : 'Terminating';

const storageClassNameCell = (object: ApiObject): string =>
  object.metadata?.annotations?.['volume.beta.kubernetes.io/storage-class'] ??
  readFieldText(object, 'spec.storageClassName');
