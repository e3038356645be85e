import type { ApiObject } from '../../../core/object.ts';
import { ageCell, type Cells, defaultNameCell, nameCell } from './cells.ts';
import { readFlag, readIsPresent, readItems, readMap, readText, readTexts } from './read-fields.ts';
import { NONE, UNSET } from './texts.ts';

/** In the order they are shown. */
const ACCESS_MODES: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

export const storageCells: Readonly<Record<string, Cells>> = {
  '/persistentvolumes': (object, now) => [
    nameCell(object),
    readMap(object, 'spec.capacity')['storage'] ?? '0',
    storageAccessModesCell(object, 'spec.accessModes'),
    readText(object, 'spec.persistentVolumeReclaimPolicy'),
    storagePhaseCell(object),
    readIsPresent(object, 'spec.claimRef')
      ? `${readText(object, 'spec.claimRef.namespace')}/${readText(object, 'spec.claimRef.name')}`
      : '',
    storageClassNameCell(object),
    readText(object, 'spec.volumeAttributesClassName', UNSET),
    readText(object, 'status.reason'),
    ageCell(object, now),
    readText(object, 'spec.volumeMode', UNSET),
  ],
  '/persistentvolumeclaims': (object, now) => {
    const volume = readText(object, 'spec.volumeName');
    const isBound = volume !== '';
    return [
      nameCell(object),
      storagePhaseCell(object),
      volume,
      isBound ? (readMap(object, 'status.capacity')['storage'] ?? '0') : '',
      isBound ? storageAccessModesCell(object, 'status.accessModes') : '',
      storageClassNameCell(object),
      readText(object, 'spec.volumeAttributesClassName', UNSET),
      ageCell(object, now),
      readText(object, 'spec.volumeMode', UNSET),
    ];
  },
  'storage.k8s.io/storageclasses': (object, now) => [
    defaultNameCell(
      object,
      'storageclass.kubernetes.io/is-default-class',
      'storageclass.beta.kubernetes.io/is-default-class',
    ),
    readText(object, 'provisioner'),
    readText(object, 'reclaimPolicy', 'Delete'),
    readText(object, 'volumeBindingMode', 'Immediate'),
    readFlag(object, 'allowVolumeExpansion'),
    ageCell(object, now),
  ],
  'storage.k8s.io/volumeattributesclasses': (object, now) => [
    nameCell(object),
    readText(object, 'driverName'),
    ageCell(object, now),
  ],
  'storage.k8s.io/csinodes': (object, now) => [
    nameCell(object),
    readItems(object, 'spec.drivers').length,
    ageCell(object, now),
  ],
  'storage.k8s.io/csidrivers': (object, now) => [
    nameCell(object),
    readFlag(object, 'spec.attachRequired', true),
    readFlag(object, 'spec.podInfoOnMount'),
    readFlag(object, 'spec.storageCapacity'),
    readIsPresent(object, 'spec.tokenRequests')
      ? readItems(object, 'spec.tokenRequests')
          .map((request) => readText(request, 'audience'))
          .join(',')
      : UNSET,
    readFlag(object, 'spec.requiresRepublish'),
    readTexts(object, 'spec.volumeLifecycleModes').join(',') || NONE,
    ageCell(object, now),
  ],
  'storage.k8s.io/volumeattachments': (object, now) => [
    nameCell(object),
    readText(object, 'spec.attacher'),
    readText(object, 'spec.source.persistentVolumeName'),
    readText(object, 'spec.nodeName'),
    readFlag(object, 'status.attached'),
    ageCell(object, now),
  ],
};

function storageAccessModesCell(object: ApiObject, path: string): string {
  const modes = readTexts(object, path);
  return ACCESS_MODES.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

const storagePhaseCell = (object: ApiObject): string =>
  object.metadata?.deletionTimestamp === undefined ? readText(object, 'status.phase') : 'Terminating';

const storageClassNameCell = (object: ApiObject): string =>
  object.metadata?.annotations?.['volume.beta.kubernetes.io/storage-class'] ??
  readText(object, 'spec.storageClassName');
