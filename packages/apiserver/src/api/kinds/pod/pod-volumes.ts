import {
  duplicateFieldError,
  type FieldError,
  forbiddenFieldError,
  invalidFieldError,
} from '../../../core/field-error.ts';
import { type Fields, fieldsAt, isFieldAbsent, itemsField, numberField, textField } from '../common/fields.ts';
import { dnsLabelValueErrors, requiredValueErrors } from '../common/value-errors.ts';

/** Volume sources in the order a server looks for them: the first is used, the others are errors. */
const SOURCES = [
  'emptyDir', 'hostPath', 'gitRepo', 'gcePersistentDisk', 'awsElasticBlockStore', 'secret', 'nfs', 'iscsi', 'glusterfs',
  'persistentVolumeClaim', 'rbd', 'cinder', 'cephfs', 'flocker', 'downwardAPI', 'fc', 'configMap', 'azureFile',
  'vsphereVolume', 'quobyte', 'azureDisk', 'storageos', 'photonPersistentDisk', 'portworxVolume', 'scaleIO', 'projected',
  'csi', 'ephemeral', 'image',
] as const; // prettier-ignore

/** Required fields of each volume source. */
const REQUIRED: ReadonlyMap<string, string> = new Map<string, string>(Object.entries({
  hostPath: 'path', secret: 'secretName', configMap: 'name', persistentVolumeClaim: 'claimName', nfs: 'server',
})); // prettier-ignore

const ALL_BITS = 0o777;

export function podVolumeErrors(spec: Fields, path: string): FieldError[] {
  const names = new Set<string>();
  return itemsField(spec, 'volumes').flatMap((volume, index) => {
    const field = `${path}.volumes[${index}]`;
    const name = textField(volume, 'name');
    const errors = dnsLabelValueErrors(`${field}.name`, name);
    if (names.has(name)) errors.push(duplicateFieldError(`${field}.name`, name));
    names.add(name);
    return [...errors, ...podVolumeSourceErrors(volume, field)];
  });
}

function podVolumeSourceErrors(volume: Fields, path: string): FieldError[] {
  const [first, ...others] = SOURCES.filter((name) => !isFieldAbsent(volume[name]));
  if (first === undefined) return [];
  const source = fieldsAt(volume, first);
  const errors: FieldError[] = [];
  const required = REQUIRED.get(first);
  if (required !== undefined) errors.push(...requiredValueErrors(source, required, `${path}.${first}`));
  if (first === 'hostPath') errors.push(...podVolumePathErrors(source, 'path', `${path}.hostPath`));
  const mode = numberField(source, 'defaultMode');
  if (mode !== undefined && (mode < 0 || mode > ALL_BITS)) {
    const detail = 'must be a number between 0 and 0777 (octal), both inclusive';
    errors.push(invalidFieldError(`${path}.${first}.defaultMode`, mode, detail));
  }
  const tooMany = others.map((name) =>
    forbiddenFieldError(`${path}.${name}`, 'may not specify more than 1 volume type'),
  );
  return [...errors, ...tooMany];
}

const podVolumePathErrors = (parent: Fields, name: string, path: string): FieldError[] =>
  textField(parent, name).split('/').includes('..')
    ? [invalidFieldError(`${path}.${name}`, textField(parent, name), "must not contain '..'")]
    : [];

export function podVolumeMountErrors(mounts: readonly Fields[], path: string): FieldError[] {
  const seen = new Set<string>();
  return mounts.flatMap((mount, index) => {
    const place = textField(mount, 'mountPath');
    const errors: FieldError[] = [];
    if (place !== '' && seen.has(place))
      errors.push(invalidFieldError(`${path}[${index}].mountPath`, place, 'must be unique'));
    seen.add(place);
    const subPath = textField(mount, 'subPath');
    if (subPath.startsWith('/')) errors.push(invalidFieldError(`${path}.subPath`, subPath, 'must be a relative path'));
    return [...errors, ...podVolumePathErrors(mount, 'subPath', path)];
  });
}
