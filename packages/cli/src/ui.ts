import type { Fault, Inspector } from '@kube-informer/inspector';
import type { Cluster } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import type { LiveView } from './terminal/live.ts';
import { truncate } from './terminal/width.ts';

/** The page about a cluster's informers. With faults only where everything is a demo. */
export async function openInspector(cluster: Cluster, env: Env, faults?: readonly Fault[]): Promise<Inspector> {
  // Loaded when needed: no other command should wait for it.
  const { startInspector } = await import('@kube-informer/inspector');
  return startInspector(cluster, { env, ...(faults === undefined ? {} : { faults }) });
}

/** One line, for people: terminals make a link of it. */
export const pageLine = ({ url }: Inspector): string => `in a browser: ${url}`;

/** The same view with a line above it. */
export function withLine(view: LiveView, line: string | undefined): LiveView {
  if (line === undefined) return view;
  return {
    lines: ({ columns, rows }) => [truncate(` ${line}`, columns), ...view.lines({ columns, rows: rows - 1 })],
    onKey: (key) => view.onKey?.(key),
  };
}
