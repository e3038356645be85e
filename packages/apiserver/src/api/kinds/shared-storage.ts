import type { ApiObject } from '../../core/kube-object.ts';
import type { Resource } from '../schema/resource.ts';
import { eventErrorsToNewVersion, eventErrorsToOldVersion } from './cluster/event-errors.ts';
import { takeTypedForm } from './typed-form.ts';
import { autoscalingToOldVersion, autoscalingToStoredVersion } from './workload/autoscaling.ts';

/** A version of a resource that is stored in the form of another one. */
export interface SharedStorage {
  /** The resource that the objects are stored as. */
  readonly storedAs: Pick<Resource, 'group' | 'version' | 'resource'>;
  toStored(object: ApiObject): ApiObject;
  fromStored(object: ApiObject): ApiObject;
}

/** Two resources with one store: a write through either is visible in both. */
export function sharedStorage({
  group,
  version,
  resource,
}: Pick<Resource, 'group' | 'version' | 'resource'>): SharedStorage | undefined {
  return SHARED.get(`${group}/${version}/${resource}`);
}

/** The result of a conversion as its own type prints it. */
const sharedStorageConversion =
  (convert: (object: ApiObject) => ApiObject, message: string) =>
  (object: ApiObject): ApiObject => {
    const converted = convert(object);
    takeTypedForm(converted, message);
    return converted;
  };

const SHARED: ReadonlyMap<string, SharedStorage> = new Map<string, SharedStorage>([
  [
    'events.k8s.io/v1/events',
    {
      storedAs: { group: '', version: 'v1', resource: 'events' },
      toStored: sharedStorageConversion(eventErrorsToOldVersion, 'io.k8s.api.core.v1.Event'),
      fromStored: sharedStorageConversion(eventErrorsToNewVersion, 'io.k8s.api.events.v1.Event'),
    },
  ],
  [
    'autoscaling/v1/horizontalpodautoscalers',
    {
      storedAs: { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers' },
      toStored: sharedStorageConversion(
        autoscalingToStoredVersion,
        'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
      ),
      fromStored: sharedStorageConversion(autoscalingToOldVersion, 'io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler'),
    },
  ],
]);
