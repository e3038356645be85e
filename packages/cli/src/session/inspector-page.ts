import type { Fault, Inspector } from '@kube-informer/inspector';
import type { Cluster } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import type { LiveView } from '../terminal/live.ts';

const LABEL = 'in a browser:';

export interface PageOptions {
  /** Only where everything is a demo. */
  readonly faults?: readonly Fault[];
  /** Whether a click may show a Secret. @default false */
  readonly reveal?: boolean;
}

/** The page about a cluster's informers. */
export async function openInspector(cluster: Cluster, env: Env, options: PageOptions = {}): Promise<Inspector> {
  // Loaded when needed: no other command should wait for it.
  const { startInspector } = await import('@kube-informer/inspector');
  return startInspector(cluster, { env, ...options });
}

/** One line, for people: terminals make a link of it. */
export const pageLine = (url: string): string => `${LABEL} ${url}`;

/** The same in so many columns. An address that is cut off leads nowhere: it rather takes lines of its own. */
export function pageLines(url: string, columns: number): readonly string[] {
  const line = `   ${pageLine(url)}`;
  if (line.length <= columns) return [line];
  const rest = url.length < columns ? [` ${url}`] : (url.match(new RegExp(`.{1,${Math.max(1, columns)}}`, 'g')) ?? []);
  return [`   ${LABEL}`.slice(0, columns), ...rest];
}

/** A command in so many columns: what does not fit goes on in the next line, in a way that a shell takes for one. */
export function commandLines(command: string, columns: number): readonly string[] {
  const line = `   ${command}`;
  if (line.length <= columns) return [line];
  const pieces = line.match(new RegExp(`.{1,${Math.max(1, columns - 1)}}`, 'gu')) ?? [];
  return pieces.map((piece, index) => (index < pieces.length - 1 ? `${piece}\\` : piece));
}

/** The same view with the address of its page above it. */
export function withPage(view: LiveView, url: string | undefined): LiveView {
  if (url === undefined) return view;
  return {
    lines({ columns, rows }) {
      const above = pageLines(url, columns).slice(0, rows);
      return [...above, ...view.lines({ columns, rows: rows - above.length })];
    },
    onKey: (key) => view.onKey?.(key),
  };
}
