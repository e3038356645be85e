import type { ControllerHost, Stop } from './controller-host.ts';
import { startDefaultServiceAccount } from './default-service-account.ts';
import { startEventExpiry } from './event-expiry.ts';
import { startGarbageCollector } from './garbage-collector.ts';
import { startNamespaceLifecycle } from './namespace-lifecycle.ts';
import { startPodGrace } from './pod-grace.ts';

/** The controllers, by name. */
export interface Controllers {
  /** Deletes what has lost its owners. */
  readonly garbageCollector?: boolean;
  /** Empties namespaces that are being deleted. */
  readonly namespaces?: boolean;
  /** Ends pods when their grace period is over, as a kubelet would. */
  readonly podGrace?: boolean;
  /** Gives every namespace its `default` ServiceAccount. */
  readonly serviceAccounts?: boolean;
  /** Forgets Events after an hour. */
  readonly eventExpiry?: boolean;
}

const STARTERS: Readonly<Record<keyof Controllers, (host: ControllerHost) => Stop>> = {
  garbageCollector: startGarbageCollector,
  namespaces: startNamespaceLifecycle,
  podGrace: startPodGrace,
  serviceAccounts: startDefaultServiceAccount,
  eventExpiry: (host) => startEventExpiry(host),
};

/** Starts those that are asked for, or all; returns how to stop them. */
export function runControllers(host: ControllerHost, wanted: boolean | Controllers): Stop {
  const isWanted = (name: keyof Controllers): boolean =>
    typeof wanted === 'boolean' ? wanted : (wanted[name] ?? false);
  const stops = (Object.keys(STARTERS) as (keyof Controllers)[]).filter(isWanted).map((name) => STARTERS[name](host));
  return () => {
    for (const stop of stops) stop();
  };
}
