import type { ApiObject } from '../../../core/kube-object.ts';
import {
  type Fields,
  fieldsAt,
  itemsField,
  numberField,
  specFields,
  textField,
  textMapField,
} from '../common/fields.ts';

/** Labels of nodes that were renamed, with their new names. */
const OLD_NODE_LABELS: ReadonlyMap<string, string> = new Map(Object.entries({
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
})); // prettier-ignore

export const podNodeLabelWarnings = (label: string, path: string): string[] => {
  const text = OLD_NODE_LABELS.get(label);
  return text === undefined ? [] : [`${path}: ${text}`];
};

/** Annotations that became fields, with these fields. */
const OLD_ANNOTATIONS: ReadonlyMap<string, string> = new Map(Object.entries({
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'seccomp.security.alpha.kubernetes.io/pod': 'non-functional in v1.27+; use the "seccompProfile" field instead',
})); // prettier-ignore
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';

/** Warnings about a pod or a template that is valid but should be written differently. `path`: that of its metadata and spec. */
export function podWarnings(metadata: Fields, spec: Fields, path: string): string[] {
  const annotations = Object.keys(textMapField(metadata, 'annotations')).toSorted();
  return [
    ...Object.keys(textMapField(spec, 'nodeSelector'))
      .toSorted()
      .flatMap((label) => podNodeLabelWarnings(label, `${path}spec.nodeSelector[${label}]`)),
    ...annotations.flatMap((name) => {
      const text = name.startsWith(APP_ARMOR)
        ? 'deprecated since v1.30; use the "appArmorProfile" field instead'
        : OLD_ANNOTATIONS.get(name);
      return text === undefined ? [] : [`${path}metadata.annotations[${name}]: ${text}`];
    }),
    ...podHostAliasWarnings(itemsField(spec, 'hostAliases'), `${path}spec.hostAliases`),
    ...itemsField(spec, 'imagePullSecrets').flatMap((secret, index) =>
      textField(secret, 'name') === '' ? [`${path}spec.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
    ...podContainerWarnings(spec, path),
  ];
}

export const wholePodWarnings = (pod: ApiObject): string[] =>
  podWarnings((pod.metadata ?? {}) as Fields, specFields(pod), '');

/** Warnings about the pod template in a controller's spec. */
export function podTemplateWarnings(parent: Fields, path = 'spec'): string[] {
  const template = fieldsAt(parent, 'template');
  return podWarnings(fieldsAt(template, 'metadata'), fieldsAt(template, 'spec'), `${path}.template.`);
}

function podHostAliasWarnings(aliases: readonly Fields[], path: string): string[] {
  const addresses = aliases.map((alias) => textField(alias, 'ip'));
  return addresses.flatMap((address, index) =>
    addresses.indexOf(address) < index ? [`${path}[${index}].ip: duplicate ip ${JSON.stringify(address)}`] : [],
  );
}

function podContainerWarnings(spec: Fields, path: string): string[] {
  const warnings: string[] = [];
  const names = new Map<string, string>();
  const late: string[] = [];
  for (const [index, container] of itemsField(spec, 'containers').entries()) {
    const at = `${path}spec.containers[${index}]`;
    const own = itemsField(container, 'env').map((one) => textField(one, 'name'));
    for (const [place, name] of own.entries())
      if (own.indexOf(name) < place)
        warnings.push(
          `${at}.env[${place}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
        );
    const ports = itemsField(container, 'ports');
    const keys = ports.map((port) => `${numberField(port, 'containerPort')}/${textField(port, 'protocol')}/${numberField(port, 'hostPort') ?? 0}/${textField(port, 'hostIP')}`); // prettier-ignore
    for (const [place, port] of ports.entries()) {
      const first = keys.indexOf(keys[place] as string);
      if (first < place) warnings.push(`${at}.ports[${place}]: duplicate port definition with ${at}.ports[${first}]`);
      const name = textField(port, 'name');
      const other = names.get(name);
      if (name !== '' && other !== undefined)
        late.push(
          `${at}.ports[${place}]: duplicate port name ${JSON.stringify(name)} with ${other}, services and probes that select ports by name will use ${other}`,
        );
      else if (name !== '') names.set(name, `${at}.ports[${place}]`);
    }
  }
  return [...warnings, ...late];
}
