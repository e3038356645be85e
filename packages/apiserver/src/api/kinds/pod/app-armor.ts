import {
  ensureFields,
  type Fields,
  fieldsAt,
  isFieldAbsent,
  itemsField,
  textField,
  textMapField,
} from '../common/fields.ts';

const PREFIX = 'container.apparmor.security.beta.kubernetes.io/';
const LOCALHOST = 'localhost/';

/** Sets the field of a container without a profile from its annotation: profiles were annotations once. */
export function appArmorFromAnnotations(metadata: Fields, spec: Fields): void {
  const annotations = textMapField(metadata, 'annotations');
  for (const list of ['initContainers', 'containers'])
    for (const container of itemsField(spec, list)) {
      const profile = appArmorProfile(annotations[`${PREFIX}${textField(container, 'name')}`]);
      if (profile === undefined) continue;
      const context = fieldsAt(container, 'securityContext');
      if (isFieldAbsent(context['appArmorProfile']))
        ensureFields(container, 'securityContext')['appArmorProfile'] = profile;
    }
}

function appArmorProfile(annotation: string | undefined): Fields | undefined {
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation?.startsWith(LOCALHOST) !== true) return undefined;
  return { type: 'Localhost', localhostProfile: annotation.slice(LOCALHOST.length) };
}
