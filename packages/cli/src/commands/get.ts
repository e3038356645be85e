import type { KubeObject } from 'kube-informer';
import { type Client, type ResourceClient } from 'kube-informer/client';
import { listPages } from 'kube-informer/informer';
import { type Invocation, quoteInvocationWord, invocationError } from '../arguments/invocation.ts';
import { resourceColumns } from '../columns/resource-columns.ts';
import { EXIT } from '../host/exit-code.ts';
import type { Command } from '../arguments/command.ts';
import { openSession } from '../session/session.ts';
import { reportFailure } from '../output/failure.ts';
import type { Host } from '../host/host.ts';
import { logNotices } from '../output/notices.ts';
import {
  CONNECTION_OPTIONS, NAMESPACE_OPTIONS, outputOption, SECRET_OPTIONS, SELECTOR_OPTIONS,
} from '../arguments/options.ts'; // prettier-ignore
import { presenter } from '../output/presenter.ts';
import { objectTextAsJson, objectTextAsYaml } from '../output/object-text.ts';
import { findTarget, isObjectTarget, targetKindName, type Target } from '../session/target.ts';
import { escapeText } from '../text/escape.ts';
import { stylePalette } from '../text/style.ts';
import { tableLines } from '../text/table.ts';
import { liveTableRow } from '../watch/live-table.ts';
import { byName, sortLiveRows } from '../watch/live-rows.ts';
import { joinSafe, safe } from '../text/safe.ts';

const PAGE_SIZE = 500;

export const get: Command = {
  name: 'get',
  summary: 'prints objects',
  usage: '<resource>[/name] [name …] [options]',
  examples: [
    ['kube-informer get pods -A', 'a table of all pods'],
    ['kube-informer get deploy/web -o yaml', 'one deployment as YAML'],
    ['kube-informer get nodes -o name', 'names only, for scripts'],
  ],
  options: {
    ...NAMESPACE_OPTIONS,
    ...SELECTOR_OPTIONS,
    output: outputOption('table', 'json', 'yaml', 'name'),
    ...SECRET_OPTIONS,
    ...CONNECTION_OPTIONS,
  },
  positionals: { min: 1 },

  async run(invocation, host) {
    const { signal, stderr, stdout, env } = host;
    const session = await openSession(invocation, host, {
      env: logNotices(env, (line) => stderr.write(safe`${line}\n`)),
    });
    try {
      const { word, names } = namesForGetCommand(invocation);
      const target = await findTarget(session.client, word, invocation, { signal });
      const { objects, failures } = await fetchForGetCommand(session.client, target, names, signal);
      if (failures.length === 0 || objects.length > 0) {
        await printForGetCommand(invocation, host, session.client, target, objects, names.length === 1);
        hintForGetCommand(invocation, host, target);
      }
      if (objects.length === 0 && names.length === 0) stderr.write(safe`no ${escapeText(target.title)} found\n`);
      await stdout.drained();
      return Math.max(EXIT.success, ...failures.map((error) => reportFailure(error, host)));
    } finally {
      await session[Symbol.asyncDispose]();
    }
  },
};

/** Explains masked values. */
function hintForGetCommand(invocation: Invocation, { stderr }: Host, { resource }: Target): void {
  const isWhole = invocation.text('output') === 'json' || invocation.text('output') === 'yaml';
  if (!isWhole || resource.kind !== 'Secret' || invocation.has('show-secrets')) return;
  stderr.write(safe`values of Secrets are masked; use --show-secrets to print them\n`);
}

/** Splits `pods a b` and `pod/a` into resource and names. */
export function namesForGetCommand({ positionals }: Pick<Invocation, 'positionals'>): {
  readonly word: string;
  readonly names: readonly string[];
} {
  const [first = '', ...names] = positionals;
  if (!isObjectTarget(first)) return { word: first, names };
  if (names.length > 0) throw invocationError(`unexpected arguments after ${quoteInvocationWord(first)}`);
  const [word = '', name = ''] = first.split('/');
  if (word === '' || name === '')
    throw invocationError(`expected <resource>/<name>, got ${quoteInvocationWord(first)}`);
  return { word, names: [name] };
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
  signal: AbortSignal,
): Promise<Fetched> {
  const { name, namespace, labels, fields, resource } = target;
  const api = client.resource<KubeObject>(name);
  if (names.length === 0)
    return { objects: sortLiveRows(await listForGetCommand(api, target, signal), byName), failures: [] };
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
  { stdout, env, environment, signal }: Host,
  client: Client,
  target: Target,
  objects: readonly KubeObject[],
  isOne: boolean,
): Promise<void> {
  const present = presenter(target.resource, env, {
    showSecrets: invocation.has('show-secrets'),
    showManagedFields: invocation.has('show-managed-fields'),
  });
  const whole = (): unknown =>
    isOne && objects[0] !== undefined
      ? present(objects[0])
      : { apiVersion: 'v1', kind: 'List', metadata: {}, items: objects.map(present) };
  switch (invocation.text('output') ?? 'table') {
    case 'json':
      return stdout.write(safe`${objectTextAsJson(whole())}\n`);
    case 'yaml':
      return stdout.write(objectTextAsYaml(whole()));
    case 'name':
      for (const { metadata } of objects)
        stdout.write(safe`${targetKindName(target.resource)}/${escapeText(metadata?.name ?? '')}\n`);
      return;
    default: {
      if (objects.length === 0) return;
      const columns = await resourceColumns(client, target.resource, {
        withNamespace: target.namespace === '',
        signal,
        env,
      });
      const now = env.wallNow();
      const rows = objects.map((object) => liveTableRow({ key: '', object, mark: undefined }, columns, now));
      const lines = tableLines(columns, rows, stylePalette(stdout.isTerminal, environment));
      stdout.write(safe`${joinSafe(lines, '\n')}\n`);
    }
  }
}
