import type { KubeObject } from 'kube-informer';
import type { Tone } from '../protocol/messages.ts';
import { conditionAt, entriesAt, isTrue, numberAt, textAt } from './fields.ts';
import { podReady, podRestartCount, podStatus } from './pod.ts';

const GOOD = /^(Running|Ready|Active|Complete|Completed|Succeeded|Bound|Available|Established|Normal)\b/;
const WAITING =
  /^(Pending|ContainerCreating|PodInitializing|Terminating|Unknown|Progressing|Suspended|Init:|Released|Warning)/;
const BAD = /Error|Fail|BackOff|OOM|Evicted|Lost|Invalid|NotReady|Killed|^Not /i;

/** Summarizes the status of an object of any kind in a few words, with the tone they are shown in. */
export function statusOf(object: KubeObject): { readonly status: string; readonly tone: Tone } {
  const status = object.metadata?.deletionTimestamp === undefined ? statusText(object) : 'Terminating';
  return { status, tone: toneOf(status) };
}

function toneOf(status: string): Tone {
  const [, ready, wanted] = /^(?:Running )?(\d+)\/(\d+)/.exec(status) ?? [];
  if (ready !== undefined) return ready === wanted ? 'good' : 'warn';
  if (WAITING.test(status) && !/Error|BackOff/.test(status)) return 'warn';
  if (BAD.test(status)) return 'bad';
  return GOOD.test(status) ? 'good' : 'plain';
}

function statusText(object: KubeObject): string {
  switch (object.kind ?? '') {
    case 'Pod':
      return podText(object);
    case 'Node':
      return isTrue(conditionAt(object, 'Ready')) ? 'Ready' : 'NotReady';
    case 'Event':
      return eventText(object);
    case 'Deployment':
    case 'StatefulSet':
    case 'ReplicaSet':
      return `${numberAt(object, 'status.readyReplicas')}/${numberAt(object, 'spec.replicas')} ready`;
    case 'DaemonSet':
      return `${numberAt(object, 'status.numberReady')}/${numberAt(object, 'status.desiredNumberScheduled')} ready`;
    case 'Job':
      return jobText(object);
    case 'ConfigMap':
    case 'Secret':
      return keysText(object);
    default:
      return otherText(object);
  }
}

function podText(pod: KubeObject): string {
  const restarts = podRestartCount(pod);
  const again = restarts === 0 ? '' : ` · ${restarts} restart${restarts === 1 ? '' : 's'}`;
  return `${podStatus(pod)} ${podReady(pod)}${again}`;
}

function jobText(job: KubeObject): string {
  for (const type of ['Complete', 'Failed']) if (isTrue(conditionAt(job, type))) return type;
  const active = numberAt(job, 'status.active');
  return active > 0 ? `Running ${active}` : 'Pending';
}

function eventText(event: KubeObject): string {
  const about = 'involvedObject' in event ? 'involvedObject' : 'regarding';
  const message = textAt(event, 'message', textAt(event, 'note'));
  const count = numberAt(event, 'count');
  const times = count > 1 ? ` (${count}×)` : '';
  const object = `${textAt(event, `${about}.kind`)}/${textAt(event, `${about}.name`)}`;
  return `${textAt(event, 'type')} ${textAt(event, 'reason')}: ${object} ${message}${times}`;
}

/** Most kinds have a phase or one of the usual conditions. */
function otherText(object: KubeObject): string {
  const phase = textAt(object, 'status.phase');
  if (phase !== '') return phase;
  for (const type of ['Ready', 'Available', 'Established', 'Complete']) {
    const condition = conditionAt(object, type);
    if (condition !== undefined) return isTrue(condition) ? type : `Not ${type.toLowerCase()}`;
  }
  return 'data' in object ? keysText(object) : textAt(object, 'type');
}

function keysText(object: KubeObject): string {
  const keys = entriesAt(object, 'data').length + entriesAt(object, 'binaryData').length;
  return `${keys} key${keys === 1 ? '' : 's'}`;
}
