import {
  type Fields,
  fieldsAt,
  isFieldAbsent,
  numberField,
  specFields,
  textField,
} from '../api/kinds/common/kind-fields.ts';
import { compareQuantities } from '../api/kinds/common/quantity.ts';
import type { ApiObject } from '../core/kube-object.ts';
import { forbidden } from '../core/status-error.ts';
import type { Api, Target } from './api-context.ts';
import { admitByLimitRanges } from './limit-ranges.ts';

/** The admission plugins that every cluster has: they change or refuse an object because of other objects. */

type Plugin = (api: Api, target: Target, object: ApiObject) => void;

const ON_CREATE: ReadonlyMap<string, readonly Plugin[]> = new Map<string, readonly Plugin[]>([
  ['/pods', [admitPriority, admitByLimitRanges]],
  ['/persistentvolumeclaims', [admitStorageClass, admitByLimitRanges]],
  ['networking.k8s.io/ingresses', [admitIngressClass]],
  ['scheduling.k8s.io/priorityclasses', [admitDefaultPriority]],
]);

/** Runs before validation and after managedFields are tracked: fields added here have no manager. Throws 403. */
export function admitCreate(api: Api, target: Target, object: ApiObject): void {
  const { group, resource } = target.served.resource;
  for (const plugin of ON_CREATE.get(`${group}/${resource}`) ?? []) plugin(api, target, object);
}

/** Runs after validation. Throws 403. */
export function admitUpdate(api: Api, target: Target, next: ApiObject, old: ApiObject): void {
  const { group, resource } = target.served.resource;
  if (group === '' && resource === 'persistentvolumeclaims' && target.subresource === '')
    admitResize(api, target, next, old);
}

const refuseAdmission = ({ served }: Target, object: ApiObject, why: string): never => {
  throw forbidden(served.resource, object.metadata?.name ?? '', why);
};

/** All objects of a resource that has no namespaces. */
function listForAdmission({ registry }: Api, group: string, resource: string): readonly ApiObject[] {
  const served = registry.find(group, 'v1', resource);
  if (served === undefined || served.collection.size === 0) return [];
  return served.collection.current().map((record) => served.object(record));
}

const admissionObjectName = ({ metadata }: ApiObject): string => metadata?.name ?? '';

const PREEMPTION = 'PreemptLowerPriority';

/** Priorities come from classes: a pod names one, or gets the default. */
function admitPriority(api: Api, target: Target, pod: ApiObject): void {
  const spec = specFields(pod);
  const wanted = textField(spec, 'priorityClassName');
  const classes = listForAdmission(api, 'scheduling.k8s.io', 'priorityclasses');
  const found =
    wanted === '' ? findAdmissionPriorityClass(classes) : classes.find((one) => admissionObjectName(one) === wanted);
  if (wanted !== '' && found === undefined)
    refuseAdmission(target, pod, `no PriorityClass with name ${wanted} was found`);
  if (wanted === '' && found !== undefined) spec['priorityClassName'] = admissionObjectName(found);
  const priority = numberField(found ?? {}, 'value') ?? 0;
  const policy = found === undefined ? PREEMPTION : textField(found, 'preemptionPolicy') || PREEMPTION;
  const computed = (value: number | string): string =>
    `must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`;
  const given = numberField(spec, 'priority');
  if (given !== undefined && given !== priority)
    refuseAdmission(target, pod, `the integer value of priority (${given}) ${computed(priority)}`);
  const givenPolicy = textField(spec, 'preemptionPolicy');
  if (givenPolicy !== '' && givenPolicy !== policy)
    refuseAdmission(target, pod, `the string value of PreemptionPolicy (${givenPolicy}) ${computed(policy)}`);
  spec['priority'] = priority;
  spec['preemptionPolicy'] = policy;
}

const findAdmissionPriorityClass = (classes: readonly ApiObject[]): ApiObject | undefined =>
  classes
    .filter((one) => one['globalDefault'] === true)
    .toSorted((a, b) => (numberField(a, 'value') ?? 0) - (numberField(b, 'value') ?? 0))[0];

function admitDefaultPriority(api: Api, target: Target, object: ApiObject): void {
  if (object['globalDefault'] !== true) return;
  const other = listForAdmission(api, 'scheduling.k8s.io', 'priorityclasses').find(
    (one) => one['globalDefault'] === true,
  );
  if (other !== undefined && admissionObjectName(other) !== admissionObjectName(object))
    refuseAdmission(
      target,
      object,
      `PriorityClass ${admissionObjectName(other)} is already marked as default. Only one default can exist`,
    );
}

/** The newest of the classes that are marked as default. */
function newestAdmittedClass(classes: readonly ApiObject[], annotation: string): string | undefined {
  const born = ({ metadata }: ApiObject): string => metadata?.creationTimestamp ?? '';
  const [first] = classes
    .filter(({ metadata }) => metadata?.annotations?.[annotation] === 'true')
    .toSorted(
      (a, b) =>
        compareAdmittedClassTexts(born(b), born(a)) ||
        compareAdmittedClassTexts(admissionObjectName(a), admissionObjectName(b)),
    );
  return first === undefined ? undefined : admissionObjectName(first);
}

const compareAdmittedClassTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function admitStorageClass(api: Api, _target: Target, claim: ApiObject): void {
  const spec = specFields(claim);
  // An empty name means no class.
  if (spec['storageClassName'] !== undefined && spec['storageClassName'] !== null) return;
  const name = newestAdmittedClass(
    listForAdmission(api, 'storage.k8s.io', 'storageclasses'),
    'storageclass.kubernetes.io/is-default-class',
  );
  if (name !== undefined) spec['storageClassName'] = name;
}

function admitIngressClass(api: Api, _target: Target, ingress: ApiObject): void {
  const spec = specFields(ingress);
  if (!isFieldAbsent(spec['ingressClassName'])) return;
  if (ingress.metadata?.annotations?.['kubernetes.io/ingress.class'] !== undefined) return;
  const name = newestAdmittedClass(
    listForAdmission(api, 'networking.k8s.io', 'ingressclasses'),
    'ingressclass.kubernetes.io/is-default-class',
  );
  if (name !== undefined) spec['ingressClassName'] = name;
}

const admittedClaimSize = (claim: ApiObject): string =>
  textField(fieldsAt(fieldsAt(specFields(claim), 'resources'), 'requests'), 'storage');

/** A volume grows only if its storage class allows expansion. */
function admitResize(api: Api, target: Target, next: ApiObject, old: ApiObject): void {
  if ((compareQuantities(admittedClaimSize(next), admittedClaimSize(old)) ?? 0) <= 0) return;
  const name = textField(specFields(next), 'storageClassName');
  const found: Fields | undefined = listForAdmission(api, 'storage.k8s.io', 'storageclasses').find(
    (one) => admissionObjectName(one) === name,
  );
  if (found?.['allowVolumeExpansion'] === true) return;
  refuseAdmission(
    target,
    next,
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
  );
}
