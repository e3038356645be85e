import {
  type Fields,
  fieldsAt,
  isFieldAbsent,
  numberField,
  specFields,
  textField,
} from '../../api/kinds/common/fields.ts';
import { compareQuantities } from '../../api/kinds/common/quantity.ts';
import { addPodNodeTolerations } from '../../api/kinds/pod/pod-errors.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { forbiddenStatusError } from '../../core/status-error.ts';
import type { PluginServer, PluginTarget } from './admission-plugin.ts';
import { admitByLimitRanges } from './limit-ranges.ts';
import { admitByPodSecurity } from './pod-security.ts';
import { admitByRuntimeClass } from './runtime-class.ts';

/** An admission plugin that every cluster has: it changes or refuses an object because of other objects. */

type Plugin = (api: PluginServer, target: PluginTarget, object: ApiObject) => void;

const ON_CREATE: ReadonlyMap<string, readonly Plugin[]> = new Map<string, readonly Plugin[]>([
  ['/pods', [builtinAdmissionOfPriority, builtinAdmissionOfTolerations, admitByRuntimeClass, admitByLimitRanges]],
  ['/persistentvolumeclaims', [builtinAdmissionOfStorage, admitByLimitRanges]],
  ['networking.k8s.io/ingresses', [builtinAdmissionOfIngress]],
  ['scheduling.k8s.io/priorityclasses', [refuseSecondDefaultPriorityClass]],
]);

/**
 * Runs the plugins for a create, before validation and after managedFields are tracked: fields added here
 * have no manager. Throws 403.
 */
export function builtinAdmissionOnCreate(api: PluginServer, target: PluginTarget, object: ApiObject): void {
  const { group, resource } = target.served.resource;
  for (const plugin of ON_CREATE.get(`${group}/${resource}`) ?? []) plugin(api, target, object);
}

/** Runs the plugins after the validation of a new object. Throws 403, or 422 for labels of a namespace. */
export function builtinAdmissionAfterCreate(api: PluginServer, target: PluginTarget, object: ApiObject): void {
  admitByPodSecurity(api, target, object);
}

/** Runs the plugins for an update, after validation. Throws 403, or 422 for labels of a namespace. */
export function builtinAdmissionOnUpdate(
  api: PluginServer,
  target: PluginTarget,
  next: ApiObject,
  old: ApiObject,
): void {
  const { group, resource } = target.served.resource;
  if (group === '' && resource === 'persistentvolumeclaims' && target.subresource === '')
    checkVolumeExpansion(api, target, next, old);
  admitByPodSecurity(api, target, next, old);
}

const refuseBuiltinAdmission = ({ served }: PluginTarget, object: ApiObject, why: string): never => {
  throw forbiddenStatusError(served.resource, object.metadata?.name ?? '', why);
};

/** All objects of a cluster-scoped resource. */
function listClusterScoped({ registry }: PluginServer, group: string, resource: string): readonly ApiObject[] {
  const served = registry.find(group, 'v1', resource);
  if (served === undefined || served.collection.size === 0) return [];
  return served.collection.current().map((record) => served.object(record));
}

const builtinAdmissionName = ({ metadata }: ApiObject): string => metadata?.name ?? '';

const PREEMPTION = 'PreemptLowerPriority';

/** Sets the priority of a pod from the class it names, or from the default class. */
function builtinAdmissionOfPriority(api: PluginServer, target: PluginTarget, pod: ApiObject): void {
  const spec = specFields(pod);
  const wanted = textField(spec, 'priorityClassName');
  const classes = listClusterScoped(api, 'scheduling.k8s.io', 'priorityclasses');
  const found =
    wanted === '' ? defaultPriorityClass(classes) : classes.find((one) => builtinAdmissionName(one) === wanted);
  if (wanted !== '' && found === undefined)
    refuseBuiltinAdmission(target, pod, `no PriorityClass with name ${wanted} was found`);
  if (wanted === '' && found !== undefined) spec['priorityClassName'] = builtinAdmissionName(found);
  const priority = numberField(found ?? {}, 'value') ?? 0;
  const policy = found === undefined ? PREEMPTION : textField(found, 'preemptionPolicy') || PREEMPTION;
  const computed = (value: number | string): string =>
    `must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`;
  const given = numberField(spec, 'priority');
  if (given !== undefined && given !== priority)
    refuseBuiltinAdmission(target, pod, `the integer value of priority (${given}) ${computed(priority)}`);
  const givenPolicy = textField(spec, 'preemptionPolicy');
  if (givenPolicy !== '' && givenPolicy !== policy)
    refuseBuiltinAdmission(target, pod, `the string value of PreemptionPolicy (${givenPolicy}) ${computed(policy)}`);
  spec['priority'] = priority;
  spec['preemptionPolicy'] = policy;
}

/** Adds default tolerations before webhooks and policies, which see them. */
function builtinAdmissionOfTolerations(_api: PluginServer, _target: PluginTarget, pod: ApiObject): void {
  addPodNodeTolerations(specFields(pod));
}

const defaultPriorityClass = (classes: readonly ApiObject[]): ApiObject | undefined =>
  classes
    .filter((one) => one['globalDefault'] === true)
    .toSorted((a, b) => (numberField(a, 'value') ?? 0) - (numberField(b, 'value') ?? 0))[0];

function refuseSecondDefaultPriorityClass(api: PluginServer, target: PluginTarget, object: ApiObject): void {
  if (object['globalDefault'] !== true) return;
  const other = listClusterScoped(api, 'scheduling.k8s.io', 'priorityclasses').find(
    (one) => one['globalDefault'] === true,
  );
  if (other !== undefined && builtinAdmissionName(other) !== builtinAdmissionName(object))
    refuseBuiltinAdmission(
      target,
      object,
      `PriorityClass ${builtinAdmissionName(other)} is already marked as default. Only one default can exist`,
    );
}

/** The newest of the classes marked as default. */
function newestDefaultClass(classes: readonly ApiObject[], annotation: string): string | undefined {
  const born = ({ metadata }: ApiObject): string => metadata?.creationTimestamp ?? '';
  const [first] = classes
    .filter(({ metadata }) => metadata?.annotations?.[annotation] === 'true')
    .toSorted(
      (a, b) =>
        compareClassTexts(born(b), born(a)) || compareClassTexts(builtinAdmissionName(a), builtinAdmissionName(b)),
    );
  return first === undefined ? undefined : builtinAdmissionName(first);
}

const compareClassTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function builtinAdmissionOfStorage(api: PluginServer, _target: PluginTarget, claim: ApiObject): void {
  const spec = specFields(claim);
  // An empty name means no class.
  if (spec['storageClassName'] !== undefined && spec['storageClassName'] !== null) return;
  const name = newestDefaultClass(
    listClusterScoped(api, 'storage.k8s.io', 'storageclasses'),
    'storageclass.kubernetes.io/is-default-class',
  );
  if (name !== undefined) spec['storageClassName'] = name;
}

function builtinAdmissionOfIngress(api: PluginServer, _target: PluginTarget, ingress: ApiObject): void {
  const spec = specFields(ingress);
  if (!isFieldAbsent(spec['ingressClassName'])) return;
  if (ingress.metadata?.annotations?.['kubernetes.io/ingress.class'] !== undefined) return;
  const name = newestDefaultClass(
    listClusterScoped(api, 'networking.k8s.io', 'ingressclasses'),
    'ingressclass.kubernetes.io/is-default-class',
  );
  if (name !== undefined) spec['ingressClassName'] = name;
}

const requestedClaimStorage = (claim: ApiObject): string =>
  textField(fieldsAt(fieldsAt(specFields(claim), 'resources'), 'requests'), 'storage');

/** Refuses to expand a volume if its storage class does not allow it. */
function checkVolumeExpansion(api: PluginServer, target: PluginTarget, next: ApiObject, old: ApiObject): void {
  if ((compareQuantities(requestedClaimStorage(next), requestedClaimStorage(old)) ?? 0) <= 0) return;
  const name = textField(specFields(next), 'storageClassName');
  const found: Fields | undefined = listClusterScoped(api, 'storage.k8s.io', 'storageclasses').find(
    (one) => builtinAdmissionName(one) === name,
  );
  if (found?.['allowVolumeExpansion'] === true) return;
  refuseBuiltinAdmission(
    target,
    next,
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
  );
}
