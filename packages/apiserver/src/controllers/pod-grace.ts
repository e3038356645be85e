import type { ApiObject } from '../core/kube-object.ts';
import { StatusError } from '../core/status-error.ts';
import type { ControllerHost, Stop } from './common/controller-host.ts';
import { workLoop } from './common/work-loop.ts';

/** Removes deleted pods after their full grace period, as if the container ignored SIGTERM. */
export function startPodGrace(host: ControllerHost): Stop {
  const loop = workLoop(host.env, 'pod grace', (key) => {
    const [namespace = '', name = ''] = key.split('/');
    const pod = host.get('', 'pods', namespace, name);
    const { uid, deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod?.metadata ?? {};
    if (uid === undefined || deletionTimestamp === undefined || deletionGracePeriodSeconds === 0) return undefined;
    // oxlint-disable-next-line no-restricted-globals -- reads a time it was given, not the clock
    const left = Date.parse(deletionTimestamp) - host.env.wallNow();
    if (left > 0) return left;
    try {
      host.remove('', 'pods', namespace, name, { gracePeriodSeconds: 0, preconditions: { uid } });
    } catch (error) {
      // Gone, or another pod of that name: both are fine.
      if (!(error instanceof StatusError && [404, 409].includes(error.status.code ?? 0))) throw error;
    }
    return undefined;
  });
  const look = ({ metadata = {} }: ApiObject): void => {
    if (metadata.deletionTimestamp !== undefined) loop.add(`${metadata.namespace}/${metadata.name}`);
  };
  const stopWatch = host.watch('', 'pods', (type, pod) => {
    if (type !== 'DELETED') look(pod);
  });
  for (const pod of host.list('', 'pods')) look(pod);
  return () => {
    loop.stop();
    stopWatch();
  };
}
