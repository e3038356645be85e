import { type ClusterInformer, keyOf, type KubeObject } from 'kube-informer';
import { ageClockTime, objectFieldText } from '@kube-informer/inspector/internal';
import type { Invocation } from '../arguments/invocation.ts';
import { chosenColumns, chosenOrder, customColumns, type TableChoice } from '../columns/chosen-columns.ts';
import { resourceColumns } from '../columns/resource-columns.ts';
import { byName, type RowOrder } from '../columns/row-order.ts';
import type { Column } from '../columns/column.ts';
import { EXIT } from '../host/exit-code.ts';
import type { Command } from '../arguments/command.ts';
import { type Session, openSession } from '../session/session.ts';
import type { Host } from '../host/host.ts';
import { logNotices, Notices } from '../output/notices.ts';
import {
  CONNECTION_OPTIONS, NAMESPACE_OPTIONS, outputOption, SECRET_OPTIONS, SELECTOR_OPTIONS, TABLE_OPTIONS, UI_OPTION,
} from '../arguments/options.ts'; // prettier-ignore
import { compileJsonPathTemplate } from '../columns/json-path-template.ts';
import { objectTextAsYaml } from '../output/object-text.ts';
import { presenter, type PresentOptions } from '../output/presenter.ts';
import { stateTextDetail, stateText } from '../output/state-text.ts';
import {
  countSessionSyncObjects,
  sessionSyncProgress,
  untilSessionSynced,
  untilSessionSyncedWithProgress,
} from '../session/sync.ts';
import { findTarget, targetKindName, type Target } from '../session/target.ts';
import { escapeText } from '../text/escape.ts';
import { showLive } from '../terminal/live.ts';
import { countedNumber } from '../text/numbers.ts';
import { stylePalette } from '../text/style.ts';
import {
  type ChangeWriter, eventChangeWriter, jsonChangeWriter, nameChangeWriter, rowChangeWriter, changeWriterHandler, textChangeWriter, yamlChangeWriter,
} from '../watch/change-writers.ts'; // prettier-ignore
import { LiveTable, type LiveTableOptions } from '../watch/live-table.ts';
import { sortLiveRows } from '../watch/live-rows.ts';
import { openInspectorPage, inspectorPageLine, withInspectorPage } from '../session/inspector-page.ts';
import { safe } from '../text/safe.ts';

/** Interval at which the informer's state is checked. */
const STATE_MS = 250;

export const watch: Command = {
  name: 'watch',
  summary: 'shows a live table of a resource, or prints changes without a terminal',
  usage: '<resource> [options]',
  about:
    'Keeps a complete copy of the objects and shows every change: new rows with +, changed rows with ~, deleted rows\n' +
    'struck through. The last line says whether the copy is up to date, and if not, since when and why.\n' +
    'Keys: arrows and page keys move, Enter opens the object, Escape goes back; / filters by text, left and right\n' +
    'choose the column to sort by, r reverses it; q quits.',
  examples: [
    ['kube-informer watch pods', "pods of the context's namespace"],
    ['kube-informer watch deploy -A -l app=web', 'deployments by label, in all namespaces'],
    ['kube-informer watch events -o events', 'one line per change, with the changed fields'],
    ["kube-informer watch v1/pods -o json | jq -r '.type'", 'events as the API sends them'],
  ],
  options: {
    ...NAMESPACE_OPTIONS,
    ...SELECTOR_OPTIONS,
    output: outputOption('table', 'wide', 'json', 'yaml', 'name', 'events', 'jsonpath=', 'custom-columns='),
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
      const { client } = session;
      const target = await findTarget(client, invocation.positionals[0] ?? '', invocation, { signal });
      const withNamespace = target.namespace === '';
      const present = presenter(target.resource, env, watchPresentOptions(invocation));
      const ofResource = (): Promise<readonly Column[]> =>
        resourceColumns(client, target.resource, { withNamespace, signal, env });
      const columns = isTable
        ? (customColumns(invocation.text('output') ?? '', present) ??
          chosenColumns(tableChoice(invocation), await ofResource(), isLive))
        : [];
      const reveal = invocation.has('show-secrets');
      await using inspector = invocation.has('ui')
        ? await openInspectorPage(session.cluster, quiet, { reveal })
        : undefined;
      if (!isLive && inspector !== undefined) stderr.write(safe`${inspectorPageLine(inspector.url)}\n`);
      const order = chosenOrder(invocation.text('sort-by'), watchCommandOrder(target));
      if (isLive) {
        const textOf = (object: KubeObject): string => objectTextAsYaml(present(object));
        await watchCommandTable(host, session, target, { columns, order, notices, textOf }, inspector?.url);
      } else
        await watchCommandLines(host, session, target, order, (objects) =>
          watchCommandWriter(invocation, host, target, columns, objects),
        );
      return EXIT.success;
    } finally {
      await session[Symbol.asyncDispose]();
    }
  },
};

async function watchCommandTable(
  host: Host,
  session: Session,
  target: Target,
  shownAs: Pick<LiveTableOptions, 'columns' | 'order' | 'notices' | 'textOf'>,
  page: string | undefined,
): Promise<void> {
  const { env, signal, stdout, environment } = host;
  const { cluster, client, traffic } = session;
  const informer = watchCommandInformer(session, target);
  const startedAt = env.now();
  let total: number | undefined;
  void countSessionSyncObjects(client, target, signal).then((count) => (total = count));
  const view = new LiveTable({
    title: escapeText(target.title),
    ...shownAs,
    informer,
    progress: () => sessionSyncProgress(informer, traffic(), env.now() - startedAt, total),
    palette: stylePalette(stdout.isTerminal, environment),
    env,
  });
  informer.on(view.handler, { name: 'table', limit: Infinity });
  const shown = new AbortController();
  const end = (): void => shown.abort();
  signal.addEventListener('abort', end, { once: true });
  try {
    const complete = untilSessionSynced(informer, env, shown.signal).catch((error: unknown) => {
      end();
      throw error;
    });
    await Promise.all([complete, showLive(host, withInspectorPage(view, page), shown.signal)]);
  } finally {
    end();
    signal.removeEventListener('abort', end);
    await cluster.close();
  }
}

async function watchCommandLines(
  host: Host,
  session: Session,
  target: Target,
  order: RowOrder,
  writerOf: (objects: readonly KubeObject[]) => ChangeWriter,
): Promise<void> {
  const { env, signal, stdout, stderr } = host;
  const informer = watchCommandInformer(session, target);
  await untilSessionSyncedWithProgress(informer, host, target, session.traffic);
  if (signal.aborted) return;
  const title = escapeText(target.title);
  const [health] = informer.health();
  stderr.write(
    safe`${title}: synced, ${countedNumber(health?.objects ?? 0, safe`object`)} at version ${escapeText(health?.resourceVersion ?? '')}\n`,
  );
  const objects = sortLiveRows(informer.list(), order);
  const writer = writerOf(objects);
  // Existing objects are written in order; every later change reaches the handler.
  informer.on(changeWriterHandler(writer, stdout), { name: 'lines', initial: false });
  for (const object of objects) stdout.write(writer({ type: 'add', key: keyOf(object), object, initial: true }));
  let reported = 'synced';
  while (!signal.aborted) {
    await env.sleep(STATE_MS, signal);
    const { state } = informer;
    if (signal.aborted || state.kind === reported) continue;
    reported = state.kind;
    const detail = stateTextDetail(state);
    const text = safe`${title}: ${stateText(state, env.wallNow())}${detail === '' ? safe`` : safe`: ${detail}`}`;
    stderr.write(safe`${escapeText(ageClockTime(env.wallNow()))}  ${text}\n`);
  }
}

function watchCommandWriter(
  invocation: Invocation,
  host: Host,
  target: Target,
  columns: readonly Column[],
  objects: readonly KubeObject[],
): ChangeWriter {
  const { env, stdout, environment } = host;
  const palette = stylePalette(stdout.isTerminal, environment);
  const present = presenter(target.resource, env, watchPresentOptions(invocation));
  const output = invocation.text('output') ?? 'table';
  if (output.startsWith(JSON_PATH))
    return textChangeWriter(compileJsonPathTemplate(output.slice(JSON_PATH.length)), present);
  switch (output) {
    case 'json':
      return jsonChangeWriter(present);
    case 'yaml':
      return yamlChangeWriter(present);
    case 'name':
      return nameChangeWriter(targetKindName(target.resource));
    case 'events':
      return eventChangeWriter(env, palette, present);
    default:
      return rowChangeWriter(columns, env, palette, objects);
  }
}

const JSON_PATH = 'jsonpath=';

const tableChoice = (invocation: Invocation): TableChoice => ({
  isWide: invocation.text('output') === 'wide',
  showLabels: invocation.has('show-labels'),
});

const watchPresentOptions = (invocation: Invocation): PresentOptions => ({
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
