import { readFile } from 'node:fs/promises';
import type { InformerState, KubeObject } from 'kube-informer';
import { expect, test } from 'vitest';
import { NAMESPACE } from '../src/columns/column.ts';
import { COLUMNS_BY_RESOURCE } from '../src/columns/kubectl-columns.ts';
import { COMMANDS } from '../src/commands/all-commands.ts';
import { worldTimestamp } from '../src/demo/demo-world.ts';
import { Notices } from '../src/output/notices.ts';
import { plainStyle } from '../src/text/style.ts';
import { LiveTable } from '../src/watch/live-table.ts';
import { byName } from '../src/columns/column-order.ts';
import { fakeHost } from './rigs/fake-host.ts';
import { safe } from '../src/text/safe.ts';

const README = await readFile(new URL('../README.md', import.meta.url), 'utf8');
const [, ...sections] = README.split(/^## /m);
const rowsOf = (text: string): string[][] =>
  [...text.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(/(?<!\\) \| /));

test('the table lists all commands, with options they have', () => {
  const [head = ''] = README.split(/^## /m);
  const rows = rowsOf(head).slice(1);
  const named = rows.map(([usage = '']) => /^`([\w-]+)/.exec(usage)?.[1] ?? '');
  expect(named.toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted());
  for (const [usage = '', about = ''] of rows) {
    const command = COMMANDS.find(({ name }) => usage.startsWith(`\`${name}`));
    for (const [, option = ''] of `${usage}${about}`.matchAll(/--([a-z-]+)/g))
      expect(Object.keys(command?.options ?? {}), usage).toContain(option);
    for (const [, short = ''] of about.matchAll(/`-([a-zA-Z])\b/g))
      expect(Object.values(command?.options ?? {}).map((option) => option.short)).toContain(short);
  }
});

test('every command line shown is valid', () => {
  const lines = [...README.matchAll(/^npx kube-informer (\S+)/gm)].map(([, name]) => name);
  expect(lines.length).toBeGreaterThan(0);
  for (const name of lines) expect(COMMANDS.map((command) => command.name)).toContain(name);
});

interface Shown {
  readonly seconds: number;
  readonly status: object;
  readonly deleted?: boolean;
}

test('the live table matches what a terminal shows', async () => {
  const { env } = fakeHost();
  const table = new LiveTable({
    title: safe`pods in all namespaces`,
    columns: [NAMESPACE, ...(COLUMNS_BY_RESOURCE.get('/pods') ?? [])],
    order: byName,
    informer: {
      state: { kind: 'synced' } as InformerState,
      hasSynced: true,
      // The one thing a table asks about health.
      health: () => [{ resourceVersion: '214' }] as unknown as ReturnType<never>,
    },
    progress: () => ({ received: 0, total: undefined, bytes: 0, elapsedMs: 0 }),
    notices: new Notices(),
    textOf: () => '',
    palette: plainStyle,
    env,
  });
  await env.clock.advance(60_000);
  const pod = (key: string, { seconds, status, deleted = false }: Shown): KubeObject => {
    const [namespace = '', name = ''] = key.split('/');
    const creationTimestamp = worldTimestamp(env.wallNow() - seconds * 1_000);
    const metadata = {
      namespace,
      name,
      creationTimestamp,
      ...(deleted ? { deletionTimestamp: creationTimestamp } : {}),
    };
    return { metadata, spec: { containers: [{ name: 'main' }] }, status } as KubeObject;
  };
  const status = (phase: string, ready: boolean, more: object = {}): object => ({
    phase,
    containerStatuses: [{ name: 'main', ready, restartCount: 0, ...more }],
  });
  const crash = {
    state: { waiting: { reason: 'CrashLoopBackOff' } },
    lastState: { terminated: { finishedAt: worldTimestamp(env.wallNow()) } },
  };
  const running = status('Running', true, { state: { running: {} } });
  const { handler } = table;
  const [cart, fresh, gone] = [
    'shop/cart-2cmm4nw5w-s24ch',
    'shop/web-fpsk6wzz9-x2k4p',
    'shop/web-7c9d5pmcb-dgpsk',
  ] as const;
  const add = (key: string, object: KubeObject, initial: boolean): void =>
    void handler.add?.({ type: 'add', key, object, initial });
  for (const key of ['db/orders-dd8fshqz4-j986b', cart, gone])
    add(key, pod(key, { seconds: 41, status: running }), true);
  const crashed = pod(cart, { seconds: 41, status: status('Running', false, { restartCount: 1, ...crash }) });
  void handler.update?.({ type: 'update', key: cart, object: crashed, old: crashed, replaced: false, resync: false });
  add(fresh, pod(fresh, { seconds: 1, status: status('Pending', false) }), false);
  const ending = pod(gone, { seconds: 40, status: running, deleted: true });
  void handler.delete?.({ type: 'delete', key: gone, object: ending, finalStateUnknown: false });
  const clock = /\d\d:\d\d:\d\d/;
  const lines = table.lines({ columns: 86, rows: 6 }).map((line) => line.replace(clock, 'HH:MM:SS').trimEnd());
  const [, shown = ''] =
    /```\n([\s\S]*?)```/.exec(sections.find((one) => one.startsWith('The live table')) ?? '') ?? [];
  expect(shown.replace(clock, 'HH:MM:SS')).toBe(`${lines.join('\n')}\n`);
});
