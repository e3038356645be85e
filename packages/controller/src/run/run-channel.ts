import type { Run } from './run-log.ts';

/** A message on the channel `kube-informer:reconcile`: a run that has ended, or is hung. */
export interface ReconcileEvent extends Run {
  readonly controller: string;
}

interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

interface Builtins {
  readonly getBuiltinModule?: (name: string) => { channel(name: string): Channel } | undefined;
}

/** Undefined before the first run. */
let runs: Channel | 'none' | undefined;

/** Publishes on `kube-informer:reconcile`, for tracers, where the platform has diagnostics channels: Node, Deno, Bun. */
export function publishToRunChannel(event: () => ReconcileEvent): void {
  // Looked up by name, not imported, as for the channels of the client.
  const { process } = globalThis as { process?: Builtins };
  runs ??= process?.getBuiltinModule?.('node:diagnostics_channel')?.channel('kube-informer:reconcile') ?? 'none';
  if (runs !== 'none' && runs.hasSubscribers) runs.publish(event());
}
