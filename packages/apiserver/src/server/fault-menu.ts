import type { FaultHost } from '../faults/fault-host.ts';
import { FaultMenu } from '../faults/menu.ts';
import type { Watches } from '../http/served-watches.ts';
import type { Api } from '../verbs/api-context.ts';
import type { Front } from './front.ts';
import type { SkewedEnv } from './skewed-env.ts';

/** The parts of a server that faults use. */
export interface FaultParts extends Pick<FaultHost, 'restart' | 'snapshot' | 'restore' | 'expireToken'> {
  readonly api: Api;
  readonly env: SkewedEnv;
  readonly watches: Watches;
  readonly front: Front;
}

/** Makes the faults of a server. */
export function makeFaultMenu({ api, env, watches, front, ...own }: FaultParts): FaultMenu {
  const { store, registry } = api;
  return new FaultMenu({
    ...own,
    env,
    store,
    watches,
    windowStart: (group, resource) => registry.findAnyVersion(group, resource)?.collection.windowStart ?? 0,
    seamsChanged: ({ transaction }) => (store.guard = transaction),
    setDoor: (door) => front.setDoor(door),
    sayGoodbye: () => front.sayGoodbye(),
    rotateCertificates: (options) => front.rotate(options),
    skew: (ms) => (env.skewMs = ms),
  });
}
