import type { Node, Pod } from '@kube-informer/kubernetes/v1';
import { checkShape } from '../../core/shape-check.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { controllerEvents, type RecordEvent } from '../common/controller-events.ts';
import type { ControllerHost, Stop } from '../common/controller-host.ts';
import { typedResource, type TypedResource } from '../common/typed-resource.ts';
import { workLoop } from '../common/work-loop.ts';
import type { Container } from './container.ts';
import type { ContainerLog } from './container-log.ts';
import { nodeOptionScript, CONTAINER_SCRIPT, type ContainerScript, type NodeOptions } from './node-options.ts';
import { PodLife } from './pod-life.ts';

/**
 * The kubelets of all nodes: pods that were scheduled get an address, their containers start, become ready,
 * end and are restarted, as their scripts specify.
 *
 * Visible state is written to the status of pods; state that only a kubelet has, such as logs, is kept here
 * by uid.
 */
export class Kubelet {
  readonly #host: ControllerHost;
  readonly #options: NodeOptions;
  readonly #pods: TypedResource<Pod>;
  readonly #nodes: TypedResource<Node>;
  readonly #record: RecordEvent;
  readonly #lives = new Map<string, PodLife>();
  readonly #loop;
  readonly #stopWatch: Stop;
  #addresses = 0;

  constructor(host: ControllerHost, options: NodeOptions) {
    this.#host = host;
    this.#options = options;
    this.#pods = typedResource(host, '', 'pods');
    this.#nodes = typedResource(host, '', 'nodes');
    this.#record = controllerEvents(host, 'kubelet');
    this.#loop = workLoop(host.env, 'kubelet', (key) => this.#sync(key));
    this.#stopWatch = host.watch('', 'pods', (type, pod) => {
      if (type === 'DELETED') this.#forget(pod);
      else this.#look(pod);
    });
    for (const pod of host.list('', 'pods')) this.#look(pod);
  }

  /** Ends the current run of a container, or of all containers of a pod; false if none is running. */
  exit(namespace: string, name: string, { exitCode = 1, container }: { readonly exitCode?: number; readonly container?: string } = {}): boolean {
    const life = this.#lives.get(this.#pods.get(namespace, name)?.metadata?.uid ?? '');
    const chosen = life?.containers.filter((one) => one.isRunning && (container ?? one.name) === one.name) ?? [];
    for (const one of chosen) one.exit(exitCode);
    if (chosen.length > 0) this.#loop.add(`${namespace}/${name}`);
    return chosen.length > 0;
  } // prettier-ignore

  /** The logs of a container, if it has started. */
  logOf(pod: ApiObject, container: string, { previous }: { readonly previous: boolean }): ContainerLog | undefined {
    const found = this.#lives.get(pod.metadata?.uid ?? '')?.containers.find(({ name }) => name === container);
    if (previous) return found?.previousLog;
    return found?.hasStarted === true ? found.log : undefined;
  }

  stop(): void {
    this.#loop.stop();
    this.#stopWatch();
    for (const life of this.#lives.values()) life.stop();
    this.#lives.clear();
  }

  #look({ metadata, ...pod }: ApiObject): void {
    const { nodeName = '' } = (pod['spec'] ?? {}) as { nodeName?: string };
    if (nodeName !== '') this.#loop.add(`${metadata?.namespace}/${metadata?.name}`);
  }

  #forget({ metadata }: ApiObject): void {
    this.#lives.get(metadata?.uid ?? '')?.stop();
    this.#lives.delete(metadata?.uid ?? '');
  }

  #sync(key: string): number | undefined {
    const [namespace = '', name = ''] = key.split('/');
    const pod = this.#pods.get(namespace, name);
    if (pod === undefined) return undefined;
    const { phase } = pod.status ?? {};
    const hasEnded = phase === 'Succeeded' || phase === 'Failed';
    if (pod.metadata?.deletionTimestamp !== undefined) return this.#end(pod, hasEnded);
    if (hasEnded) return undefined;
    const life = this.#lifeOf(pod);
    life.adopt(pod);
    for (const [container, what] of life.advance()) this.#tell(pod, container, what);
    this.#pods.updateStatus(pod, life.status(pod));
    return life.nextInMs;
  }

  /** Handles a pod that is being deleted: its containers stop, then it is removed. */
  #end(pod: Pod, hasEnded: boolean): number | undefined {
    const { env } = this.#host;
    const { stopAfterMs = 100 } = this.#options;
    const { deletionGracePeriodSeconds: grace = 30 } = pod.metadata ?? {};
    if (!hasEnded && grace > 0) {
      const life = this.#lifeOf(pod);
      if (life.stopAt === undefined) {
        life.stopAt = env.now() + Math.min(stopAfterMs, grace * 1_000);
        for (const { name, isRunning } of life.containers)
          if (isRunning) this.#record(pod, 'Normal', 'Killing', `Stopping container ${name}`);
      }
      if (life.stopAt > env.now()) return life.stopAt - env.now();
      life.stop();
      this.#pods.updateStatus(pod, life.status(pod));
    }
    if (grace > 0) this.#pods.remove(pod, { gracePeriodSeconds: 0 });
    return undefined;
  }

  #lifeOf(pod: Pod): PodLife {
    const uid = pod.metadata?.uid ?? '';
    let life = this.#lives.get(uid);
    if (life === undefined) {
      const { startAfterMs = 0, readyAfterMs = 500, restartAfterMs = 10_000 } = this.#options;
      const { podIP, hostIP } = this.#address(pod);
      const script: ConstructorParameters<typeof PodLife>[0]['script'] = (start) => this.#script({ ...start, pod: pod as unknown as ApiObject }); // prettier-ignore
      life = new PodLife({
        env: this.#host.env,
        pod,
        podIP,
        hostIP,
        startAfterMs,
        readyAfterMs,
        restartAfterMs,
        script,
      });
      this.#lives.set(uid, life);
    }
    return life;
  }

  #script(start: Parameters<NonNullable<NodeOptions['run']>>[0]): ContainerScript {
    const annotated = nodeOptionScript(start.pod);
    try {
      const script = this.#options.run?.(start);
      if (script !== undefined) checkShape(CONTAINER_SCRIPT, script, '', 'nodes.run');
      return { ...annotated, ...script };
    } catch (error) {
      this.#host.env.log('warn', 'nodes.run failed; the container runs without a script', { ...start, pod: start.pod.metadata?.name, error }); // prettier-ignore
      return annotated;
    }
  }

  #address(pod: Pod): { readonly podIP: string; readonly hostIP: string } {
    const node = this.#nodes.get('', pod.spec?.nodeName ?? '');
    const hostIP = node?.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '127.0.0.1';
    if (pod.spec?.hostNetwork === true) return { podIP: hostIP, hostIP };
    const known = pod.status?.podIP;
    this.#addresses += 1;
    const block = (this.#addresses >> 8) % 256;
    return { podIP: known ?? `10.244.${block}.${this.#addresses % 256}`, hostIP };
  }

  #tell(pod: Pod, container: Container, what: 'started' | 'ended'): void {
    const { name } = container;
    if (what === 'ended') {
      if (!container.isInBackoff) return;
      const { namespace, name: podName, uid } = pod.metadata ?? {};
      return this.#record(pod, 'Warning', 'BackOff', `Back-off restarting failed container ${name} in pod ${podName}_${namespace}(${uid})`); // prettier-ignore
    }
    const { image } = container.status();
    this.#record(pod, 'Normal', 'Pulled', `Container image "${image}" already present on machine`);
    this.#record(pod, 'Normal', 'Created', 'Container created');
    this.#record(pod, 'Normal', 'Started', 'Container started');
  }
}
