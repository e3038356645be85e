import type { KubeObject } from 'kube-informer';
import { expect, test } from 'vitest';
import { NAME } from '../../src/columns/column.ts';
import { byName } from '../../src/columns/column-order.ts';
import { Notices } from '../../src/output/notices.ts';
import { withInspectorPage } from '../../src/session/inspector-page.ts';
import { terminalKeysOfChunk } from '../../src/terminal/terminal-keys.ts';
import { escapeText } from '../../src/text/escape.ts';
import { plainStyle } from '../../src/text/style.ts';
import { eventChangeWriter, rowChangeWriter, type RowTurn } from '../../src/watch/change-writers.ts';
import { LiveTable } from '../../src/watch/live-table.ts';
import { LiveTables } from '../../src/watch/live-tables.ts';
import { fakeHost } from '../rigs/fake-host.ts';
import { safe } from '../../src/text/safe.ts';

const object = (name: string): KubeObject => ({ metadata: { name, namespace: 'web' } });

function table(title: string, names: readonly string[]): LiveTable {
  const { env } = fakeHost();
  const informer = { state: { kind: 'synced' }, hasSynced: true, health: () => [] };
  const made = new LiveTable({
    title: escapeText(title),
    columns: [NAME],
    order: byName,
    // The three things a table asks.
    informer: informer as unknown as ConstructorParameters<typeof LiveTable>[0]['informer'],
    progress: () => ({ received: 0, total: undefined, bytes: 0, elapsedMs: 0 }),
    notices: new Notices(),
    palette: plainStyle,
    env,
    textOf: ({ metadata }) => `name: ${metadata?.name ?? ''}\n`,
  });
  for (const name of names)
    void made.handler.add?.({ type: 'add', key: `web/${name}`, object: object(name), initial: true });
  return made;
}

const shown = (view: LiveTables, rows: number): string[] =>
  view.lines({ columns: 40, rows }).map((line) => line.replace(/ · .*/, '').trimEnd());

test('tables are one below the other: a small one gets what it needs, the largest the rest', () => {
  const view = new LiveTables([table('pods', ['a', 'b', 'c', 'd', 'e', 'f']), table('nodes', ['n'])]);
  expect(shown(view, 9)).toEqual([' NAME', ' a', ' b', ' c', ' d', ' ▸ pods', ' NAME', ' n', '   nodes']);
  expect(shown(view, 30)).toHaveLength(30);
});

test('Tab chooses the table that gets the keys; an opened object, and a table of a tiny terminal, has the whole screen', () => {
  const view = new LiveTables([table('pods', ['a']), table('nodes', ['n', 'o'])]);
  for (const key of terminalKeysOfChunk('\t')) view.onKey(key);
  view.onKey('down');
  view.onKey('down');
  expect(shown(view, 7)).toEqual([' NAME', ' a', '   pods', ' NAME', ' n', '>o', ' ▸ nodes']);
  expect(shown(view, 5)).toEqual([' NAME', ' n', '>o', '', ' nodes']);
  view.onKey('enter');
  expect(shown(view, 7)).toEqual([' web/o', 'name: o', '', '', '', '', ' nodes']);
  view.onKey('escape');
  view.onKey('/');
  view.onKey('tab'); // typed text belongs to one table
  expect([view.isTyping, withInspectorPage(view, 'http://127.0.0.1:1/').isTyping]).toEqual([true, true]);
  view.onKey('escape');
  view.onKey('tab');
  expect(shown(view, 7)[2]).toBe(' ▸ pods');
});

test('lines of several tables: the header is repeated when another table was written, and an event names its kind', () => {
  const { env } = fakeHost();
  const turn: RowTurn = {};
  const [one, other] = [0, 1].map(() => rowChangeWriter([NAME].slice(), env, plainStyle, [], turn));
  const add = (name: string) => ({ type: 'add', key: `web/${name}`, object: object(name), initial: true }) as const;
  expect([one?.(add('a')), one?.(add('b')), other?.(add('c')), one?.(add('d'))].join('')).toBe(
    ' NAME\n a\n b\n\n NAME\n c\n\n NAME\n d\n',
  );
  const write = eventChangeWriter(env, plainStyle, (given) => given, safe`pod`);
  expect(write(add('a'))).toMatch(/EXISTS {4}pod web\/a\n$/);
});
