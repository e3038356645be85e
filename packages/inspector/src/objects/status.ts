import type { KubeObject } from 'kube-informer';
import type { Tone } from '../protocol/messages.ts';

type Fields = Readonly<Record<string, unknown>>;

const GOOD = /^(Running|Ready|Active|Complete|Completed|Succeeded|Bound|Available|Established|Normal)\b/;
const WAITING =
  /^(Pending|ContainerCreating|PodInitializing|Terminating|Unknown|Progressing|Suspended|Init:|Released|Warning)/;
const BAD = /Error|Fail|BackOff|OOM|Evicted|Lost|Invalid|NotReady|Killed|^Not /i;

/** How an object is doing, in a few words, and how that looks. Works for kinds nobody has heard of. */
export function statusOf(object: KubeObject): { readonly status: string; readonly tone: Tone } {
  const status = object.metadata?.deletionTimestamp === undefined ? wordsOf(object) : 'Terminating';
  return { status, tone: toneOf(status) };
}

/** Milliseconds since 1970. */
export function instantOf(timestamp: unknown): number | undefined {
  if (typeof timestamp !== 'string') return undefined;
  // oxlint-disable-next-line no-restricted-globals -- reads a time it was given, not the clock
  const ms = Date.parse(timestamp);
  return Number.isNaN(ms) ? undefined : ms;
}

function toneOf(status: string): Tone {
  const [, ready, wanted] = /^(?:Running )?(\d+)\/(\d+)/.exec(status) ?? [];
  if (ready !== undefined) return ready === wanted ? 'good' : 'warn';
  if (WAITING.test(status) && !/Error|BackOff/.test(status)) return 'warn';
  if (BAD.test(status)) return 'bad';
  return GOOD.test(status) ? 'good' : 'plain';
}

function wordsOf(object: KubeObject): string {
  const status = fields((object as Fields)['status']);
  const spec = fields((object as Fields)['spec']);
  switch (object.kind ?? '') {
    case 'Pod':
      return podWords(status, spec);
    case 'Node':
      return condition(status, 'Ready') === 'True' ? 'Ready' : 'NotReady';
    case 'Event':
      return eventWords(object as Fields);
    case 'Deployment':
    case 'StatefulSet':
    case 'ReplicaSet':
      return `${number(status['readyReplicas'])}/${number(spec['replicas'])} ready`;
    case 'DaemonSet':
      return `${number(status['numberReady'])}/${number(status['desiredNumberScheduled'])} ready`;
    case 'Job':
      return jobWords(status);
    case 'ConfigMap':
    case 'Secret':
      return keyWords(object as Fields);
    default:
      return anyWords(object as Fields, status);
  }
}

/** Not the phase: a pod that crashes every minute is `Running` most of the time. */
function podWords(status: Fields, spec: Fields): string {
  const containers = list(status['containerStatuses']);
  const ready = containers.filter((one) => one['ready'] === true).length;
  const reasons = containers.map(({ state }) => {
    const { waiting, terminated } = fields(state);
    return text(fields(waiting)['reason']) || text(fields(terminated)['reason']);
  });
  const word = reasons.find((reason) => reason !== '') ?? (text(status['reason']) || text(status['phase']));
  const restarts = containers.reduce((sum, one) => sum + number(one['restartCount']), 0);
  const wanted = list(spec['containers']).length;
  const again = restarts === 0 ? '' : ` · ${restarts} restart${restarts === 1 ? '' : 's'}`;
  return `${word || 'Unknown'} ${ready}/${wanted}${again}`;
}

function jobWords(status: Fields): string {
  if (condition(status, 'Complete') === 'True') return 'Complete';
  if (condition(status, 'Failed') === 'True') return 'Failed';
  return number(status['active']) > 0 ? `Running ${number(status['active'])}` : 'Pending';
}

function eventWords(event: Fields): string {
  const about = fields(event['involvedObject'] ?? event['regarding']);
  const message = text(event['message'] ?? event['note']);
  const times = number(event['count']) > 1 ? ` (${number(event['count'])}×)` : '';
  return `${text(event['type'])} ${text(event['reason'])}: ${text(about['kind'])}/${text(about['name'])} ${message}${times}`;
}

/** Whatever a kind says of itself: a phase, or the condition people look at first. */
function anyWords(object: Fields, status: Fields): string {
  const phase = text(status['phase']);
  if (phase !== '') return phase;
  for (const type of ['Ready', 'Available', 'Established', 'Complete']) {
    const value = condition(status, type);
    if (value !== undefined) return value === 'True' ? type : `Not ${type.toLowerCase()}`;
  }
  return 'data' in object ? keyWords(object) : text(object['type']);
}

function keyWords(object: Fields): string {
  const keys = Object.keys(fields(object['data'])).length + Object.keys(fields(object['binaryData'])).length;
  return `${keys} key${keys === 1 ? '' : 's'}`;
}

function condition(status: Fields, type: string): string | undefined {
  const found = list(status['conditions']).find((one) => one['type'] === type);
  return found === undefined ? undefined : text(found['status']);
}

const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fields) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
