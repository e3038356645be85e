import { FakeClock, fakeEnv, seededRandom } from 'kube-informer/testing';
import { onTestFinished } from 'vitest';
import { type ApiObject, type ApiServer, type ApiServerOptions, startApiServer } from '../../src/index.ts';

// The tests read many fields of many kinds.
// oxlint-disable-next-line typescript/no-explicit-any
export type Anything = any;

export interface MovingCluster {
  readonly server: ApiServer;
  readonly local: ApiServer['local'];
  /** Lets this much time pass. */
  readonly advance: (ms: number) => Promise<void>;
  readonly create: (object: Anything) => ApiObject;
  /** Changes an object as `kubectl edit` does. */
  readonly edit: (group: string, resource: string, name: string, change: (object: Anything) => void) => void;
  readonly get: (group: string, resource: string, name: string) => Anything;
  readonly list: (group: string, resource: string) => readonly Anything[];
  /** `name phase`, in the order of names. */
  readonly pods: () => readonly string[];
  /** Every state of every object of a resource, as told by `tell`, without repetitions. */
  readonly story: (
    group: string,
    resource: string,
    tell: (object: Anything, type: string) => string,
  ) => readonly string[];
  /** `reason: message`, without the names that chance has given. */
  readonly events: (name: string) => readonly string[];
}

/** A server with controllers on a fake clock. */
export async function movingCluster(options: ApiServerOptions = {}): Promise<MovingCluster> {
  const clock = new FakeClock();
  const env = fakeEnv({ clock, random: seededRandom(7) });
  const server = await startApiServer({ env, tls: false, controllers: 'all', ...options });
  onTestFinished(() => server.close());
  const { local } = server;
  const get = (group: string, resource: string, name: string): Anything => local.get(group, resource, 'default', name);
  return {
    server,
    local,
    advance: (ms) => clock.advance(ms),
    create: (object) => local.put(object as ApiObject),
    edit(group, resource, name, change) {
      const copy = structuredClone(get(group, resource, name));
      change(copy);
      local.update(group, resource, copy as ApiObject);
    },
    get,
    list: (group, resource) => local.list(group, resource),
    pods: () =>
      local
        .list('', 'pods', 'default')
        .map((pod) => `${pod.metadata?.name} ${(pod['status'] as { phase?: string }).phase}`),
    story(group, resource, tell) {
      const received: string[] = [];
      const stop = local.watch(group, resource, (type, object) => {
        const line = tell(object, type);
        if (received.at(-1) !== line) received.push(line);
      });
      onTestFinished(stop);
      return received;
    },
    events: (name) =>
      local
        .list('', 'events', 'default')
        .filter((event) => (event['involvedObject'] as { name?: string }).name === name)
        .map((event) => `${String(event['reason'])}: ${String(event['message'])}`),
  };
}

const podSpec = { containers: [{ name: 'main', image: 'app:1' }] };
const labels = { app: 'web' };

/** A workload named `web` with three pods. */
export const workload = (kind: string, spec: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    ...(kind === 'DaemonSet' ? {} : { replicas: 3 }),
    ...(kind === 'StatefulSet' ? { serviceName: 'web' } : {}),
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: podSpec },
    ...spec,
  },
});

export const job = (spec: object = {}, pod: object = {}, annotations: object = {}): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'work', namespace: 'default' },
  spec: { template: { metadata: { annotations }, spec: { ...podSpec, restartPolicy: 'Never', ...pod } }, ...spec },
});
