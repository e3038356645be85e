import type { KubeObject } from 'kube-informer';
import { type Client, type ResourceClient } from 'kube-informer/client';
import { listPages } from 'kube-informer/informer';
import { type Invocation, quoteInvocationWord, invocationError } from '../arguments/invocation.ts';
import { chosenColumns, chosenOrder, chosenCustomColumns, type TableChoice } from '../columns/chosen-columns.ts';
import { resourceColumns } from '../columns/resource-columns.ts';
import { missingInColumnOrder, type RowOrder } from '../columns/column-order.ts';
import { EXIT } from '../host/exit-code.ts';
import type { Command } from '../arguments/command.ts';
import { openSession } from '../session/session.ts';
import { reportCommandFailure } from '../output/command-failure.ts';
import type { Host } from '../host/host.ts';
import { logNotices } from '../output/notices.ts';
import {
  CONNECTION_OPTIONS, NAMESPACE_OPTIONS, outputOptionOfCommand, SECRET_OPTIONS, SELECTOR_OPTIONS, TABLE_OPTIONS,
} from '../arguments/output-option.ts'; // prettier-ignore
import { compileColumnTemplate } from '../columns/column-template.ts';
import { presenter, type PresentOptions } from '../output/presenter.ts';
import { jsonObjectText, yamlObjectText } from '../output/object-text.ts';
import { findTarget, isObjectTarget, targetKindName, targetWords, type Target } from '../session/session-target.ts';
import { escapeColumns, escapeText } from '../text/escape.ts';
import { stylePalette } from '../text/style.ts';
import { tableLines } from '../text/table-lines.ts';
import { liveTableCells } from '../watch/live-table.ts';
import { sortLiveRows } from '../watch/live-rows.ts';
import { watch } from './watch-command.ts';
import { joinSafe, safe } from '../text/safe.ts';

const PAGE_SIZE = 500;

export const get: Command = {
  name: 'get',
  summary: 'prints objects',
  usage: '<resource>[,resource …][/name] [name …] [options]',
  examples: [
    ['kube-informer get pods -A', 'a table of all pods'],
    ['kube-informer get deploy/web -o yaml', 'one deployment as YAML'],
    ['kube-informer get deploy,sts -n shop --show-labels', 'two resources, with labels'],
    ['kube-informer get pods -w', 'and every change, as watch does'],
    ['kube-informer get pods -o jsonpath=\'{range .items[*]}{.metadata.name}{"\\n"}{end}\'', 'any text, for scripts'],
  ],
  options: {
    ...NAMESPACE_OPTIONS,
    ...SELECTOR_OPTIONS,
    output: outputOptionOfCommand('table', 'wide', 'json', 'yaml', 'name', 'jsonpath=', 'custom-columns='),
    ...TABLE_OPTIONS,
    watch: { type: 'boolean', short: 'w', help: 'show changes until interrupted, as the command watch does' },
    ...SECRET_OPTIONS,
    ...CONNECTION_OPTIONS,
  },
  positionals: { min: 1 },

  async run(invocation, host) {
    if (invocation.has('watch')) {
      const { names } = namesForGetCommand(invocation);
      if (names.length > 0) throw invocationError('-w takes no names: use --field-selector metadata.name=<name>');
      return watch.run(invocation, host);
    }
    const { signal, stderr, stdout, env } = host;
    const session = await openSession(invocation, host, {
      env: logNotices(env, (line) => stderr.write(safe`${line}\n`)),
    });
    try {
      const { words, names } = namesForGetCommand(invocation);
      const found: FoundForGet[] = [];
      const failures: unknown[] = [];
      for (const word of words) {
        const target = await findTarget(session.client, word, invocation, { signal });
        const order = chosenOrder(invocation.text('sort-by'));
        const fetched = await fetchForGetCommand(session.client, target, names, order, signal);
        const missing = missingInColumnOrder(order, fetched.objects);
        if (missing !== undefined) stderr.write(safe`${missing} (${escapeText(target.title)})\n`);
        found.push({ target, objects: fetched.objects });
        failures.push(...fetched.failures);
      }
      const isEmpty = found.every(({ objects }) => objects.length === 0);
      if (failures.length === 0 || !isEmpty)
        await printForGetCommand(invocation, host, session.client, found, names.length === 1);
      hintForGetCommand(invocation, host, found);
      if (isEmpty && names.length === 0)
        stderr.write(safe`no ${escapeText(found.map(({ target }) => target.title).join(', '))} found\n`);
      await stdout.drained();
      return Math.max(EXIT.success, ...failures.map((error) => reportCommandFailure(error, host)));
    } finally {
      await session[Symbol.asyncDispose]();
    }
  },
};

/** Prints a hint about masked values. */
function hintForGetCommand(invocation: Invocation, { stderr }: Host, found: readonly FoundForGet[]): void {
  const output = invocation.text('output') ?? 'table';
  const isWhole = !['table', 'wide', 'name'].includes(output);
  const hasSecrets = found.some(({ target, objects }) => target.resource.kind === 'Secret' && objects.length > 0);
  if (!isWhole || !hasSecrets || invocation.has('show-secrets')) return;
  stderr.write(safe`values of Secrets are masked; use --show-secrets to print them\n`);
}

/** The objects of one resource. */
interface FoundForGet {
  readonly target: Target;
  readonly objects: readonly KubeObject[];
}

/** Splits `pods a b`, `pod/a` and `pods,services` into resources and names. */
export function namesForGetCommand({ positionals }: Pick<Invocation, 'positionals'>): {
  readonly words: readonly string[];
  readonly names: readonly string[];
} {
  const [first = '', ...names] = positionals;
  const words = targetWords(first);
  if (words.length > 1 && (names.length > 0 || words.some(isObjectTarget)))
    throw invocationError('names cannot be used with several resources');
  if (!isObjectTarget(first)) return { words, names };
  if (names.length > 0) throw invocationError(`unexpected arguments after ${quoteInvocationWord(first)}`);
  const [word = '', name = ''] = first.split('/');
  if (word === '' || name === '')
    throw invocationError(`expected <resource>/<name>, got ${quoteInvocationWord(first)}`);
  return { words: [word], names: [name] };
}

interface Fetched {
  readonly objects: readonly KubeObject[];
  /** One error per name that was not found; the other objects are printed anyway. */
  readonly failures: readonly unknown[];
}

async function fetchForGetCommand(
  client: Client,
  target: Target,
  names: readonly string[],
  order: RowOrder,
  signal: AbortSignal,
): Promise<Fetched> {
  const { name, namespace, labels, fields, resource } = target;
  const api = client.resource<KubeObject>(name);
  if (names.length === 0)
    return { objects: sortLiveRows(await listForGetCommand(api, target, signal), order), failures: [] };
  if (labels !== '' || fields !== '') throw invocationError('names and selectors cannot be used together');
  if (resource.namespaced && namespace === '') throw invocationError('-A cannot be used with an object name: use -n');
  const keys = names.map((one) => (namespace === '' ? one : `${namespace}/${one}`));
  const results = await Promise.allSettled(keys.map((key) => api.get(key, { signal })));
  signal.throwIfAborted();
  return {
    objects: results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    failures: results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : [])),
  };
}

async function listForGetCommand(
  api: ResourceClient<KubeObject>,
  { namespace, labels, fields }: Target,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const selection = {
    namespace,
    ...(labels === '' ? {} : { labelSelector: labels }),
    ...(fields === '' ? {} : { fieldSelector: fields }),
  };
  const { items } = await listPages(api.listWatch(selection), {}, { pageSize: PAGE_SIZE, signal });
  return items;
}

async function printForGetCommand(
  invocation: Invocation,
  host: Host,
  client: Client,
  found: readonly FoundForGet[],
  isOne: boolean,
): Promise<void> {
  const { stdout, env } = host;
  const output = invocation.text('output') ?? 'table';
  const shown = found.flatMap(({ target, objects }) =>
    objects.map(presenter(target.resource, env, getCommandPresentOptions(invocation))),
  );
  const whole = (): unknown =>
    isOne && shown[0] !== undefined ? shown[0] : { apiVersion: 'v1', kind: 'List', metadata: {}, items: shown };
  if (output === 'json') return stdout.write(safe`${jsonObjectText(whole())}\n`);
  if (output === 'yaml') return stdout.write(yamlObjectText(whole()));
  if (output.startsWith(JSON_PATH))
    return stdout.write(safe`${escapeColumns(compileColumnTemplate(output.slice(JSON_PATH.length))(whole()))}\n`);
  for (const [index, one] of found.entries()) {
    if (output === 'name') printNamesForGetCommand(host, one);
    else if (one.objects.length > 0) {
      if (index > 0) stdout.write(safe`\n`);
      await printTableForGetCommand(invocation, host, client, one);
    }
  }
}

const JSON_PATH = 'jsonpath=';

const getCommandTableChoice = (invocation: Invocation): TableChoice => ({
  isWide: invocation.text('output') === 'wide',
  showLabels: invocation.has('show-labels'),
});

const getCommandPresentOptions = (invocation: Invocation): PresentOptions => ({
  showSecrets: invocation.has('show-secrets'),
  showManagedFields: invocation.has('show-managed-fields'),
});

function printNamesForGetCommand({ stdout }: Host, { target, objects }: FoundForGet): void {
  for (const { metadata } of objects)
    stdout.write(safe`${targetKindName(target.resource)}/${escapeText(metadata?.name ?? '')}\n`);
}

async function printTableForGetCommand(
  invocation: Invocation,
  { stdout, env, environment, signal }: Host,
  client: Client,
  { target, objects }: FoundForGet,
): Promise<void> {
  const present = presenter(target.resource, env, getCommandPresentOptions(invocation));
  const withNamespace = target.namespace === '';
  const columns =
    chosenCustomColumns(invocation.text('output') ?? '', present) ??
    chosenColumns(
      getCommandTableChoice(invocation),
      await resourceColumns(client, target.resource, { withNamespace, signal, env }),
      false,
    );
  const now = env.wallNow();
  const rows = objects.map((object) => liveTableCells({ key: '', object, mark: undefined }, columns, now));
  const lines = tableLines(columns, rows, stylePalette(stdout.isTerminal, environment));
  stdout.write(safe`${joinSafe(lines, '\n')}\n`);
}
