import type { Container as ContainerSpec, Pod, PodCondition, PodStatus } from '@kube-informer/kubernetes/v1';
import type { Env } from 'kube-informer/core';
import { serverTimestamp } from '../../core/server-timestamp.ts';
import { uuid } from '../../core/uuid.ts';
import { findStatusCondition, isStatusConditionTrue, withStatusCondition } from '../common/status-conditions.ts';
import { Container } from './container.ts';
import type { ContainerScript, ContainerStart } from './node-options.ts';

export interface PodLifeOptions {
  readonly env: Env;
  readonly pod: Pod;
  readonly podIP: string;
  readonly hostIP: string;
  readonly startAfterMs: number;
  readonly readyAfterMs: number;
  readonly restartAfterMs: number;
  readonly script: (start: Omit<ContainerStart, 'pod'>) => ContainerScript;
}

/** The containers of one pod on a fake node: first the init containers, one after the other, then all others. */
export class PodLife {
  readonly #env: Env;
  readonly #options: PodLifeOptions;
  readonly #init: readonly { readonly container: Container; readonly isSidecar: boolean }[];
  readonly #main: readonly Container[];
  /** Containers that were added to the running pod, by `kubectl debug` for one. */
  readonly #ephemeral: Container[] = [];
  readonly #startTime: string;
  /** Time at which a pod that is being deleted ends, on the monotonic clock. */
  stopAt: number | undefined;

  constructor(options: PodLifeOptions) {
    const { env, pod } = options;
    this.#env = env;
    this.#options = options;
    this.#startTime = pod.status?.startTime ?? serverTimestamp(env.wallNow());
    this.#init = (pod.spec?.initContainers ?? []).map((spec) => {
      const isSidecar = spec.restartPolicy === 'Always';
      return { isSidecar, container: this.#container(spec, isSidecar ? 'always' : 'init') };
    });
    this.#main = (pod.spec?.containers ?? []).map((spec) => this.#container(spec, 'main'));
  }

  get containers(): readonly Container[] {
    return [...this.#init.map(({ container }) => container), ...this.#main, ...this.#ephemeral];
  }

  /** Takes up ephemeral containers that the pod has got since. */
  adopt({ spec }: Pod): void {
    for (const one of spec?.ephemeralContainers ?? [])
      if (this.#ephemeral.every(({ name }) => name !== one.name))
        this.#ephemeral.push(this.#container(one, 'ephemeral'));
  }

  /** Milliseconds until something changes over time. */
  get nextInMs(): number | undefined {
    const times = this.#begun().map(({ nextInMs }) => nextInMs ?? Infinity);
    const next = Math.min(...times);
    return next === Infinity ? undefined : next;
  }

  /** Makes the changes that are due; returns them by container. */
  advance(): readonly (readonly [Container, 'started' | 'ended'])[] {
    const happened: [Container, 'started' | 'ended'][] = [];
    // The end of one container may start the next.
    for (let before = -1; happened.length > before;) {
      before = happened.length;
      for (const container of this.#begun()) for (const what of container.advance()) happened.push([container, what]);
    }
    // Sidecars and ephemeral containers end with the others.
    if (this.#hasEnded()) for (const container of this.containers) if (container.isRunning) container.stop(0, { forGood: true }); // prettier-ignore
    return happened;
  }

  /** Ends all containers, as after SIGTERM. */
  stop(): void {
    for (const container of this.containers) if (container.isRunning || container.isInBackoff) container.stop(0, { forGood: true });
  } // prettier-ignore

  status(pod: Pod): PodStatus {
    const { podIP, hostIP } = this.#options;
    const phase = this.#phase();
    const hasIP = this.containers.some(({ hasStarted }) => hasStarted);
    return {
      ...pod.status,
      phase,
      startTime: this.#startTime,
      hostIP,
      hostIPs: [{ ip: hostIP }],
      ...(hasIP ? { podIP, podIPs: [{ ip: podIP }] } : {}),
      conditions: this.#conditions(pod, phase),
      initContainerStatuses: this.#init.map(({ container }) => container.status()),
      containerStatuses: this.#main.map((container) => container.status()),
      ...(this.#ephemeral.length === 0
        ? {}
        : { ephemeralContainerStatuses: this.#ephemeral.map((container) => container.status()) }),
    };
  }

  #container(spec: ContainerSpec, role: 'init' | 'main' | 'always' | 'ephemeral'): Container {
    const { env, pod, startAfterMs, readyAfterMs, restartAfterMs, script } = this.#options;
    const { name, image = '' } = spec;
    const policy = pod.spec?.restartPolicy ?? 'Always';
    const restarts = role === 'always' || (role === 'main' && policy === 'Always') ? 'always' : role === 'ephemeral' || policy === 'Never' ? 'never' : 'on failure'; // prettier-ignore
    const known = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
    return new Container({
      env,
      name,
      image,
      id: uuid(() => env.random()),
      restarts,
      startAfterMs,
      readyAfterMs: role === 'init' ? 0 : readyAfterMs,
      restartAfterMs,
      restartCount: known.find((one) => one.name === name)?.restartCount ?? 0,
      script: (count) => {
        const found = script({ container: name, image, restarts: count });
        // Init containers end at once, unless they fail on purpose.
        if (role === 'init') return { exitAfterMs: 0, ...found };
        // Ephemeral ones run until the pod ends: what the pod's annotations say is about its own containers.
        return role === 'ephemeral' ? { ...found, exitAfterMs: Infinity } : found;
      },
    });
  }

  /** Containers whose turn has come. */
  #begun(): readonly Container[] {
    const begun: Container[] = [];
    for (const { container, isSidecar } of this.#init) {
      begun.push(container);
      if (isSidecar ? !container.isRunning : container.ended !== 0) return begun;
    }
    return [...begun, ...this.#main, ...this.#ephemeral];
  }

  #isInitialized(): boolean {
    return this.#init.every(({ container, isSidecar }) => (isSidecar ? container.hasStarted : container.ended === 0));
  }

  #hasEnded(): boolean {
    const hasFailed = this.#init.some(({ container }) => (container.ended ?? 0) !== 0);
    return hasFailed || this.#main.every(({ ended }) => ended !== undefined);
  }

  #phase(): NonNullable<PodStatus['phase']> {
    const own = [...this.#init.map(({ container }) => container), ...this.#main];
    if (this.#hasEnded()) return own.every(({ ended }) => ended === 0) ? 'Succeeded' : 'Failed';
    return this.#main.some(({ hasStarted }) => hasStarted) ? 'Running' : 'Pending';
  }

  #conditions({ spec, status }: Pod, phase: string): readonly PodCondition[] {
    const now = serverTimestamp(this.#env.wallNow());
    const hasEnded = phase === 'Succeeded' || phase === 'Failed';
    const notReady = this.#main.filter(({ isReady }) => !isReady).map(({ name }) => name);
    const why = hasEnded ? { reason: phase === 'Failed' ? 'PodFailed' : 'PodCompleted' } : { reason: 'ContainersNotReady', message: `containers with unready status: [${notReady.join(' ')}]` }; // prettier-ignore
    const isUp = !hasEnded && notReady.length === 0 && this.#isInitialized();
    const gate = (spec?.readinessGates ?? []).find(({ conditionType }) => !isStatusConditionTrue(status?.conditions, conditionType)); // prettier-ignore
    const gated = { reason: 'ReadinessGatesNotReady', message: `corresponding condition of pod readiness gate "${gate?.conditionType}" does not exist.` }; // prettier-ignore
    const wanted: readonly (readonly [type: string, holds: boolean, why: object])[] = [
      ['PodReadyToStartContainers', !hasEnded, {}],
      ['Initialized', this.#isInitialized(), { reason: 'ContainersNotInitialized' }],
      ['Ready', isUp && gate === undefined, isUp ? gated : why],
      ['ContainersReady', isUp, why],
    ];
    let conditions: readonly PodCondition[] = status?.conditions ?? [];
    for (const [type, holds, reason] of wanted) {
      const next = { type, status: holds ? 'True' : 'False', ...(holds ? {} : reason), lastProbeTime: null, lastTransitionTime: now }; // prettier-ignore
      conditions = withStatusCondition<PodCondition>(conditions, next as unknown as PodCondition);
    }
    return findStatusCondition(conditions, 'PodScheduled') === undefined
      ? withStatusCondition<PodCondition>(conditions, { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now } as unknown as PodCondition) // prettier-ignore
      : conditions;
  }
}
