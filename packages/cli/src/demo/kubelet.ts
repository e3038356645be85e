import type { ApiObject } from '@kube-informer/apiserver';
import { objectField, objectFieldItems, objectFieldText } from '@kube-informer/inspector/internal';
import { NODES } from './seed.ts';
import { putWorldStatus, worldTimestamp, type World } from './world.ts';

/** Whether containers of this image crash. */
export const isKubeletImageBroken = (image: string): boolean => image.includes('-broken');

type Stage = 'creating' | 'starting' | 'running' | 'backoff' | 'done';

/** State of a pod's container. */
interface Life {
  stage: Stage;
  /** End of the stage, monotonic clock. */
  until: number;
  restarts: number;
  /** Whether it will crash once, whatever its image. */
  willCrash: boolean;
  lastEnd: string | undefined;
  readonly ip: string;
  readonly startedAt: string;
}

/**
 * All kubelets of the demo: gives pods an address, starts, crashes, restarts and ends their containers.
 *
 * The state of a pod is kept here, by UID; what is visible is written to its status.
 */
export class Kubelet {
  readonly #world: World;
  readonly #lives = new Map<string, Life>();
  #addresses = 0;

  constructor(world: World) {
    this.#world = world;
  }

  step(): void {
    const pods = this.#world.local.list('', 'pods');
    const present = new Set(pods.map(({ metadata }) => metadata?.uid ?? ''));
    for (const uid of this.#lives.keys()) if (!present.has(uid)) this.#lives.delete(uid);
    for (const pod of pods) if (pod.metadata?.deletionTimestamp === undefined) this.#stepPod(pod);
  }

  /** Makes the pod's container crash in the next step. */
  crashNext(pod: ApiObject): void {
    const life = this.#lives.get(pod.metadata?.uid ?? '');
    if (life === undefined || life.stage !== 'running') return;
    life.willCrash = true;
    life.until = 0;
  }

  #stepPod(pod: ApiObject): void {
    const { env } = this.#world;
    const uid = pod.metadata?.uid ?? '';
    let life = this.#lives.get(uid);
    if (life === undefined) {
      life = this.#create(pod);
      this.#lives.set(uid, life);
      this.#write(pod, life);
      return;
    }
    if (env.now() < life.until) return;
    if (this.#advance(pod, life)) this.#write(pod, life);
  }

  #create(pod: ApiObject): Life {
    const { env } = this.#world;
    const node = Math.max(0, NODES.indexOf(objectFieldText(pod, 'spec.nodeName')));
    this.#addresses = (this.#addresses + 1) % 250;
    return {
      stage: 'creating',
      until: env.now() + 400 + env.random() * 1_200,
      restarts: 0,
      willCrash: false,
      lastEnd: undefined,
      ip: `10.244.${node + 1}.${this.#addresses + 2}`,
      startedAt: worldTimestamp(env.wallNow()),
    };
  }

  /** Moves to the next stage when it is time. Returns whether the status changed. */
  #advance(pod: ApiObject, life: Life): boolean {
    const { env, recordEvent } = this.#world;
    const image = kubeletImageOf(pod);
    const go = (stage: Stage, ms: number): true => {
      life.stage = stage;
      life.until = env.now() + ms;
      return true;
    };
    switch (life.stage) {
      case 'creating':
        recordEvent(pod, 'Normal', 'Started', `Container started`);
        return go('starting', 400 + env.random() * 800);
      case 'starting':
        if (isKubeletImageBroken(image)) return this.#crash(pod, life);
        return go('running', objectFieldText(pod, 'spec.restartPolicy') === 'Always' ? Infinity : 2_500);
      case 'running':
        if (life.willCrash) return this.#crash(pod, life);
        return objectFieldText(pod, 'spec.restartPolicy') === 'Always' ? false : go('done', Infinity);
      case 'backoff':
        return go('starting', 600 + env.random() * 800);
      case 'done':
        return false;
    }
  }

  #crash(pod: ApiObject, life: Life): true {
    const { env, recordEvent } = this.#world;
    life.stage = 'backoff';
    life.willCrash = false;
    life.restarts += 1;
    life.lastEnd = worldTimestamp(env.wallNow());
    life.until = env.now() + 2_000 + Math.min(4_000, life.restarts * 800);
    recordEvent(pod, 'Warning', 'BackOff', `Back-off restarting failed container in pod ${pod.metadata?.name}`);
    return true;
  }

  #write(pod: ApiObject, life: Life): void {
    const isUp = life.stage === 'running';
    const phase = life.stage === 'creating' ? 'Pending' : life.stage === 'done' ? 'Succeeded' : 'Running';
    const since = worldTimestamp(this.#world.env.wallNow());
    const condition = (type: string, holds: boolean): object => ({
      type,
      status: holds ? 'True' : 'False',
      lastTransitionTime: since,
    });
    putWorldStatus(this.#world, '', 'pods', this.#current(pod), {
      phase,
      startTime: life.startedAt,
      hostIP: '192.168.7.11',
      ...(phase === 'Pending' ? {} : { podIP: life.ip, podIPs: [{ ip: life.ip }] }),
      conditions: [
        condition('Initialized', true),
        condition('Ready', isUp),
        condition('ContainersReady', isUp),
        condition('PodScheduled', true),
      ],
      containerStatuses: [kubeletContainerStatus(pod, life)],
    });
  }

  /** Reads the pod again: it may have changed since it was listed. */
  #current(pod: ApiObject): ApiObject {
    const { namespace = '', name = '' } = pod.metadata ?? {};
    return this.#world.local.get('', 'pods', namespace, name) ?? pod;
  }
}

function kubeletContainerStatus(pod: ApiObject, life: Life): object {
  const { stage, restarts, lastEnd, startedAt } = life;
  const image = kubeletImageOf(pod);
  const ended = { exitCode: 1, reason: 'Error', startedAt, finishedAt: lastEnd ?? startedAt };
  const states: Readonly<Record<Stage, object>> = {
    creating: { waiting: { reason: 'ContainerCreating' } },
    starting: { running: { startedAt } },
    running: { running: { startedAt } },
    backoff: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off restarting failed container' } },
    done: { terminated: { ...ended, exitCode: 0, reason: 'Completed' } },
  };
  return {
    name: objectFieldText(objectFieldItems(pod, 'spec.containers')[0], 'name'),
    image,
    imageID: '',
    ready: stage === 'running',
    started: stage === 'running' || stage === 'starting',
    restartCount: restarts,
    state: states[stage],
    lastState: lastEnd === undefined ? {} : { terminated: ended },
  };
}

function kubeletImageOf(pod: ApiObject): string {
  const containers = objectField(pod, 'spec.containers');
  return Array.isArray(containers) ? objectFieldText(containers[0], 'image') : '';
}
