import type { Fault, InspectedOperator, Inspector } from '@kube-informer/inspector';
import type { Cluster } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import type { LiveView } from '../terminal/live.ts';
import { safe, type Safe } from '../text/safe.ts';
import { escapeText } from '../text/escape.ts';

const LABEL = safe`web page:`;

export interface PageOptions {
  /** Faults the page offers. For the demo only. */
  readonly faults?: readonly Fault[];
  /** Operators whose controllers the page shows. */
  readonly operators?: Iterable<InspectedOperator>;
  /** Whether the page may show a Secret unmasked. @default false */
  readonly reveal?: boolean;
}

/** Serves the inspector page of a cluster. */
export async function openInspectorPage(cluster: Cluster, env: Env, options: PageOptions = {}): Promise<Inspector> {
  // Loaded on demand: it would slow down the start of other commands.
  const { startInspector } = await import('@kube-informer/inspector');
  return startInspector(cluster, { env, ...options });
}

/** One line with the address: terminals make it a link. */
export const inspectorPageLine = (url: string): Safe => safe`${LABEL} ${escapeText(url)}`;

/** The address in `columns` columns. It is never truncated: if needed, it takes its own lines. */
export function inspectorPageLines(url: string, columns: number): readonly Safe[] {
  const line = safe`   ${inspectorPageLine(url)}`;
  if (line.length <= columns) return [line];
  const rest = url.length < columns ? [` ${url}`] : (url.match(new RegExp(`.{1,${Math.max(1, columns)}}`, 'g')) ?? []);
  return [`   ${LABEL}`.slice(0, columns), ...rest].map(escapeText);
}

/** A command in `columns` columns: wrapped with backslashes, so that a shell reads it as one line. */
export function inspectorPageCommandLines(command: string, columns: number): readonly Safe[] {
  const line = escapeText(`   ${command}`);
  if (line.length <= columns) return [line];
  const pieces = line.match(new RegExp(`.{1,${Math.max(1, columns - 1)}}`, 'gu')) ?? [];
  return pieces.map((piece, index) => escapeText(index < pieces.length - 1 ? `${piece}\\` : piece));
}

/** Shows the page's address above a view. */
export function withInspectorPage(view: LiveView, url: string | undefined): LiveView {
  if (url === undefined) return view;
  return {
    lines({ columns, rows }) {
      const above = inspectorPageLines(url, columns).slice(0, rows);
      return [...above, ...view.lines({ columns, rows: rows - above.length })];
    },
    onKey: (key) => view.onKey?.(key),
    get isTyping() {
      return view.isTyping ?? false;
    },
  };
}
