import { type ClusterInformer, keyOf, type KubeObject } from 'kube-informer';
import { ageClockTime, objectFieldText } from '@kube-informer/inspector/internal';
import type { Invocation } from '../arguments/invocation.ts';
import { chosenColumns, chosenOrder, chosenCustomColumns, type TableChoice } from '../columns/chosen-columns.ts';
import { resourceColumns } from '../columns/resource-columns.ts';
import { byName, missingInColumnOrder, type RowOrder } from '../columns/column-order.ts';
import type { Column } from '../columns/column.ts';
import { EXIT } from '../host/exit-code.ts';
import type { Command } from '../arguments/command.ts';
import { type Session, openSession } from '../session/session.ts';
import type { Host } from '../host/host.ts';
import { logNotices, Notices } from '../output/notices.ts';
import {
  CONNECTION_OPTIONS, NAMESPACE_OPTIONS, outputOptionOfCommand, SECRET_OPTIONS, SELECTOR_OPTIONS, TABLE_OPTIONS, UI_OPTION,
} from '../arguments/output-option.ts'; // prettier-ignore
import { compileColumnTemplate } from '../columns/column-template.ts';
import { yamlObjectText } from '../output/object-text.ts';
import { presenter, type PresentOptions } from '../output/presenter.ts';
import { stateTextDetail, stateText } from '../output/state-text.ts';
import {
  countSessionSyncObjects,
  sessionSyncProgress,
  untilSessionSynced,
  untilSessionSyncedWithProgress,
} from '../session/session-sync.ts';
import { findTargets, targetKindName, type Target } from '../session/session-target.ts';
import { escapeText } from '../text/escape.ts';
import { showLive } from '../terminal/live.ts';
import { pluralNumber } from '../text/numbers.ts';
import { stylePalette } from '../text/style.ts';
import {
  type ChangeWriter, eventChangeWriter, jsonChangeWriter, nameChangeWriter, rowChangeWriter, type RowTurn, changeWriterHandler, textChangeWriter, yamlChangeWriter,
} from '../watch/change-writers.ts'; // prettier-ignore
import { LiveTable } from '../watch/live-table.ts';
import { LiveTables } from '../watch/live-tables.ts';
import { sortLiveRows } from '../watch/live-rows.ts';
import { openInspectorPage, inspectorPageLine, withInspectorPage } from '../session/inspector-page.ts';
import { type Safe, safe } from '../text/safe.ts';

/** Interval at which the informer's state is checked. */
const STATE_MS = 250;

export const watch: Command = {
  name: 'watch',
  summary: 'shows a live table of a resource, or of several, or prints changes without a terminal',
  usage: '<resource>[,resource …] [options]',
  about:
    'Keeps a complete copy of the objects and shows every change: new rows with +, changed rows with ~, deleted rows\n' +
    'struck through. The last line shows whether the copy is up to date, and if not, since when and why.\n' +
    'Keys: arrows and page keys move, Enter opens the object, Escape goes back; / filters by text, left and right\n' +
    'choose the column to sort by, r reverses it; Tab goes to the next table; q quits.',
  examples: [
    ['kube-informer watch pods', "pods of the context's namespace"],
    ['kube-informer watch deploy -A -l app=web', 'deployments by label, in all namespaces'],
    ['kube-informer watch deploy,pods -n shop', 'two tables, one below the other'],
    ['kube-informer watch events -o events', 'one line per change, with the changed fields'],
    ["kube-informer watch v1/pods -o json | jq -r '.type'", 'events as the API sends them'],
  ],
  options: {
    ...NAMESPACE_OPTIONS,
    ...SELECTOR_OPTIONS,
    output: outputOptionOfCommand('table', 'wide', 'json', 'yaml', 'name', 'events', 'jsonpath=', 'custom-columns='),
    ...TABLE_OPTIONS,
    ...SECRET_OPTIONS,
    ...UI_OPTION,
    ...CONNECTION_OPTIONS,
  },
  positionals: { min: 1, max: 1 },

  async run(invocation, host) {
    const { signal, stdout, stderr, env } = host;
    const output = invocation.text('output') ?? 'table';
    const isTable = output === 'table' || output === 'wide' || output.startsWith('custom-columns=');
    const isLive = isTable && stdout.isTerminal;
    const notices = new Notices();
    const quiet = isLive ? notices.listen(env) : logNotices(env, (line) => stderr.write(safe`${line}\n`));
    const session = await openSession(invocation, host, { env: quiet });
    try {
      const reveal = invocation.has('show-secrets');
      const targets = await findTargets(session.client, invocation.positionals[0] ?? '', invocation, { signal });
      const shown: WatchedResource[] = [];
      for (const target of targets)
        shown.push(await watchCommandResource(invocation, host, session, target, isTable, isLive));
      await using inspector = invocation.has('ui')
        ? await openInspectorPage(session.cluster, quiet, { reveal })
        : undefined;
      if (!isLive && inspector !== undefined) stderr.write(safe`${inspectorPageLine(inspector.url)}\n`);
      const watched = shown.map((one) => ({ ...one, informer: watchCommandInformer(session, one.target) }));
      if (isLive) await watchCommandTables(host, session, watched, notices, inspector?.url);
      else await watchCommandLines(invocation, host, session, watched);
      return EXIT.success;
    } finally {
      await session[Symbol.asyncDispose]();
    }
  },
};

/** One of the resources, and its display. */
interface WatchedResource {
  readonly target: Target;
  readonly columns: readonly Column[];
  readonly order: RowOrder;
  readonly present: (object: KubeObject) => KubeObject;
}

interface Watched extends WatchedResource {
  readonly informer: ClusterInformer<KubeObject>;
}

async function watchCommandResource(
  invocation: Invocation,
  { env, signal }: Host,
  { client }: Session,
  target: Target,
  isTable: boolean,
  isLive: boolean,
): Promise<WatchedResource> {
  const withNamespace = target.namespace === '';
  const present = presenter(target.resource, env, watchCommandPresentOptions(invocation));
  const ofResource = (): Promise<readonly Column[]> =>
    resourceColumns(client, target.resource, { withNamespace, signal, env });
  const columns = isTable
    ? (chosenCustomColumns(invocation.text('output') ?? '', present) ??
      chosenColumns(watchCommandTableChoice(invocation), await ofResource(), isLive))
    : [];
  return { target, columns, order: chosenOrder(invocation.text('sort-by'), watchCommandOrder(target)), present };
}

async function watchCommandTables(
  host: Host,
  session: Session,
  watched: readonly Watched[],
  notices: Notices,
  page: string | undefined,
): Promise<void> {
  const { env, signal } = host;
  const views = watched.map((one) => watchCommandTable(host, session, one, notices));
  const shown = new AbortController();
  const end = (): void => shown.abort();
  signal.addEventListener('abort', end, { once: true });
  try {
    const complete = watched.map(({ informer }) =>
      untilSessionSynced(informer, env, shown.signal).catch((error: unknown) => {
        end();
        throw error;
      }),
    );
    await Promise.all([...complete, showLive(host, withInspectorPage(new LiveTables(views), page), shown.signal)]);
  } finally {
    end();
    signal.removeEventListener('abort', end);
    await session.cluster.close();
  }
}

function watchCommandTable(
  { env, signal, stdout, environment }: Host,
  { client, traffic }: Session,
  { target, columns, order, present, informer }: Watched,
  notices: Notices,
): LiveTable {
  const startedAt = env.now();
  let total: number | undefined;
  void countSessionSyncObjects(client, target, signal).then((count) => (total = count));
  const view = new LiveTable({
    title: escapeText(target.title),
    columns,
    order,
    notices,
    textOf: (object) => yamlObjectText(present(object)),
    informer,
    progress: () => sessionSyncProgress(informer, traffic(), env.now() - startedAt, total),
    palette: stylePalette(stdout.isTerminal, environment),
    env,
  });
  informer.on(view.handler, { name: 'table', limit: Infinity });
  return view;
}

async function watchCommandLines(
  invocation: Invocation,
  host: Host,
  session: Session,
  watched: readonly Watched[],
): Promise<void> {
  const { env, signal, stdout, stderr } = host;
  const turn: RowTurn = {};
  for (const one of watched) {
    const { target, order, informer } = one;
    await untilSessionSyncedWithProgress(informer, host, target, session.traffic);
    if (signal.aborted) return;
    const [health] = informer.health();
    stderr.write(
      safe`${escapeText(target.title)}: synced, ${pluralNumber(health?.objects ?? 0, safe`object`)} at version ${escapeText(health?.resourceVersion ?? '')}\n`,
    );
    const objects = sortLiveRows(informer.list(), order);
    const missing = missingInColumnOrder(order, objects);
    if (missing !== undefined) stderr.write(safe`${missing} (${escapeText(target.title)})\n`);
    const kind = watched.length > 1 ? targetKindName(target.resource) : undefined;
    const writer = watchCommandWriter(invocation, host, one, { objects, kind, turn });
    // Existing objects are written in order; every later change reaches the handler.
    informer.on(changeWriterHandler(writer, stdout), { name: 'lines', initial: false });
    for (const object of objects) stdout.write(writer({ type: 'add', key: keyOf(object), object, initial: true }));
  }
  const reported = new Map<Watched, string>();
  while (!signal.aborted) {
    await env.sleep(STATE_MS, signal);
    for (const one of watched) {
      const { state } = one.informer;
      if (signal.aborted || state.kind === (reported.get(one) ?? 'synced')) continue;
      reported.set(one, state.kind);
      const detail = stateTextDetail(state);
      const text = safe`${stateText(state, env.wallNow())}${detail === '' ? safe`` : safe`: ${detail}`}`;
      stderr.write(safe`${escapeText(ageClockTime(env.wallNow()))}  ${escapeText(one.target.title)}: ${text}\n`);
    }
  }
}

function watchCommandWriter(
  invocation: Invocation,
  { env, stdout, environment }: Host,
  { target, columns, present }: Watched,
  among: { readonly objects: readonly KubeObject[]; readonly kind: Safe | undefined; readonly turn: RowTurn },
): ChangeWriter {
  const palette = stylePalette(stdout.isTerminal, environment);
  const output = invocation.text('output') ?? 'table';
  if (output.startsWith(JSON_PATH))
    return textChangeWriter(compileColumnTemplate(output.slice(JSON_PATH.length)), present);
  switch (output) {
    case 'json':
      return jsonChangeWriter(present);
    case 'yaml':
      return yamlChangeWriter(present);
    case 'name':
      return nameChangeWriter(targetKindName(target.resource));
    case 'events':
      return eventChangeWriter(env, palette, present, among.kind);
    default:
      return rowChangeWriter(columns, env, palette, among.objects, among.turn);
  }
}

const JSON_PATH = 'jsonpath=';

const watchCommandTableChoice = (invocation: Invocation): TableChoice => ({
  isWide: invocation.text('output') === 'wide',
  showLabels: invocation.has('show-labels'),
});

const watchCommandPresentOptions = (invocation: Invocation): PresentOptions => ({
  showSecrets: invocation.has('show-secrets'),
  showManagedFields: invocation.has('show-managed-fields'),
});

function watchCommandInformer(
  { cluster }: Session,
  { name, namespace, labels, fields }: Target,
): ClusterInformer<KubeObject> {
  return cluster.informer<KubeObject, never>(name, { namespace, labels, fields });
}

/** Events are sorted by time, everything else by name. */
function watchCommandOrder({ resource }: Target): RowOrder {
  if (resource.kind !== 'Event') return byName;
  const times = ['series.lastObservedTime', 'lastTimestamp', 'deprecatedLastTimestamp', 'eventTime', 'metadata.creationTimestamp']; // prettier-ignore
  return {
    orderOf: (object) => times.map((path) => objectFieldText(object, path)).find((time) => time !== '') ?? '',
    descending: true,
  };
}
