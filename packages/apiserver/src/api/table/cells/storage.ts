import type { ApiObject } from '../../../core/object.ts';
import { age, type Cells, defaultName, name } from './cells.ts';
import { flagAt, isPresent, itemsAt, mapAt, textAt, textsAt } from './read.ts';
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
    name(object),
    mapAt(object, 'spec.capacity')['storage'] ?? '0',
    accessModesText(object, 'spec.accessModes'),
    textAt(object, 'spec.persistentVolumeReclaimPolicy'),
    phaseText(object),
    isPresent(object, 'spec.claimRef')
      ? `${textAt(object, 'spec.claimRef.namespace')}/${textAt(object, 'spec.claimRef.name')}`
      : '',
    className(object),
    textAt(object, 'spec.volumeAttributesClassName', UNSET),
    textAt(object, 'status.reason'),
    age(object, now),
    textAt(object, 'spec.volumeMode', UNSET),
  ],
  '/persistentvolumeclaims': (object, now) => {
    const volume = textAt(object, 'spec.volumeName');
    const isBound = volume !== '';
    return [
      name(object),
      phaseText(object),
      volume,
      isBound ? (mapAt(object, 'status.capacity')['storage'] ?? '0') : '',
      isBound ? accessModesText(object, 'status.accessModes') : '',
      className(object),
      textAt(object, 'spec.volumeAttributesClassName', UNSET),
      age(object, now),
      textAt(object, 'spec.volumeMode', UNSET),
    ];
  },
  'storage.k8s.io/storageclasses': (object, now) => [
    defaultName(
      object,
      'storageclass.kubernetes.io/is-default-class',
      'storageclass.beta.kubernetes.io/is-default-class',
    ),
    textAt(object, 'provisioner'),
    textAt(object, 'reclaimPolicy', 'Delete'),
    textAt(object, 'volumeBindingMode', 'Immediate'),
    flagAt(object, 'allowVolumeExpansion'),
    age(object, now),
  ],
  'storage.k8s.io/volumeattributesclasses': (object, now) => [
    name(object),
    textAt(object, 'driverName'),
    age(object, now),
  ],
  'storage.k8s.io/csinodes': (object, now) => [name(object), itemsAt(object, 'spec.drivers').length, age(object, now)],
  'storage.k8s.io/csidrivers': (object, now) => [
    name(object),
    flagAt(object, 'spec.attachRequired', true),
    flagAt(object, 'spec.podInfoOnMount'),
    flagAt(object, 'spec.storageCapacity'),
    isPresent(object, 'spec.tokenRequests')
      ? itemsAt(object, 'spec.tokenRequests')
          .map((request) => textAt(request, 'audience'))
          .join(',')
      : UNSET,
    flagAt(object, 'spec.requiresRepublish'),
    textsAt(object, 'spec.volumeLifecycleModes').join(',') || NONE,
    age(object, now),
  ],
  'storage.k8s.io/volumeattachments': (object, now) => [
    name(object),
    textAt(object, 'spec.attacher'),
    textAt(object, 'spec.source.persistentVolumeName'),
    textAt(object, 'spec.nodeName'),
    flagAt(object, 'status.attached'),
    age(object, now),
  ],
};

function accessModesText(object: ApiObject, path: string): string {
  const modes = textsAt(object, path);
  return ACCESS_MODES.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

const phaseText = (object: ApiObject): string =>
  object.metadata?.deletionTimestamp === undefined ? textAt(object, 'status.phase') : 'Terminating';

const className = (object: ApiObject): string =>
  object.metadata?.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? textAt(object, 'spec.storageClassName');
