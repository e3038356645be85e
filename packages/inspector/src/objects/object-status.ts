import type { KubeObject } from 'kube-informer';
import type { Tone } from '../protocol/messages.ts';
import { statusTone } from './status-tone.ts';
import {
  objectFieldCondition,
  objectFieldEntries,
  isObjectFieldConditionTrue,
  objectFieldNumber,
  objectFieldText,
} from './object-fields.ts';
import { jobObjectState } from './job-object.ts';
import { podObjectReady, podObjectRestartCount, podObjectStatus } from './pod-object.ts';

/** Summarizes the status of an object of any kind in a few words, with the tone they are shown in. */
export function objectStatus(object: KubeObject): { readonly status: string; readonly tone: Tone } {
  const status = object.metadata?.deletionTimestamp === undefined ? objectStatusText(object) : 'Terminating';
  return { status, tone: statusTone(status) };
}

function objectStatusText(object: KubeObject): string {
  switch (object.kind ?? '') {
    case 'Pod':
      return podAsObjectStatus(object);
    case 'Node':
      return isObjectFieldConditionTrue(objectFieldCondition(object, 'Ready')) ? 'Ready' : 'NotReady';
    case 'Event':
      return objectStatusOfEvent(object);
    case 'Deployment':
    case 'StatefulSet':
    case 'ReplicaSet':
      return `${objectFieldNumber(object, 'status.readyReplicas')}/${objectFieldNumber(object, 'spec.replicas')} ready`;
    case 'DaemonSet':
      return `${objectFieldNumber(object, 'status.numberReady')}/${objectFieldNumber(object, 'status.desiredNumberScheduled')} ready`;
    case 'Job':
      return jobAsObjectStatus(object);
    case 'ConfigMap':
    case 'Secret':
      return objectStatusByKeys(object);
    default:
      return objectStatusOfOther(object);
  }
}

function podAsObjectStatus(pod: KubeObject): string {
  const restarts = podObjectRestartCount(pod);
  const again = restarts === 0 ? '' : ` · ${restarts} restart${restarts === 1 ? '' : 's'}`;
  return `${podObjectStatus(pod)} ${podObjectReady(pod)}${again}`;
}

function jobAsObjectStatus(job: KubeObject): string {
  const status = jobObjectState(job);
  const active = objectFieldNumber(job, 'status.active');
  return status === 'Running' && active > 0 ? `Running ${active}` : status;
}

function objectStatusOfEvent(event: KubeObject): string {
  const about = 'involvedObject' in event ? 'involvedObject' : 'regarding';
  const message = objectFieldText(event, 'message', objectFieldText(event, 'note'));
  const count = objectFieldNumber(event, 'count');
  const times = count > 1 ? ` (${count}×)` : '';
  const object = `${objectFieldText(event, `${about}.kind`)}/${objectFieldText(event, `${about}.name`)}`;
  return `${objectFieldText(event, 'type')} ${objectFieldText(event, 'reason')}: ${object} ${message}${times}`;
}

/** The status of other kinds: most have a phase or one of the usual conditions. */
function objectStatusOfOther(object: KubeObject): string {
  const phase = objectFieldText(object, 'status.phase');
  if (phase !== '') return phase;
  for (const type of ['Ready', 'Available', 'Established', 'Complete']) {
    const condition = objectFieldCondition(object, type);
    if (condition !== undefined) return isObjectFieldConditionTrue(condition) ? type : `Not ${type.toLowerCase()}`;
  }
  return 'data' in object ? objectStatusByKeys(object) : objectFieldText(object, 'type');
}

function objectStatusByKeys(object: KubeObject): string {
  const keys = objectFieldEntries(object, 'data').length + objectFieldEntries(object, 'binaryData').length;
  return `${keys} key${keys === 1 ? '' : 's'}`;
}
