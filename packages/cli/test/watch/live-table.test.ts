import type { InformerState, KubeObject } from 'kube-informer';
import { expect, test } from 'vitest';
import { objectFieldText } from '@kube-informer/inspector/internal';
import { AGE, column, NAME } from '../../src/columns/column.ts';
import { Notices } from '../../src/output/notices.ts';
import type { Progress } from '../../src/session/session-sync.ts';
import { colourStyle, plainStyle, type Palette } from '../../src/text/style.ts';
import { LiveTable } from '../../src/watch/live-table.ts';
import { chosenOrder } from '../../src/columns/chosen-columns.ts';
import { byName } from '../../src/columns/column-order.ts';
import { fakeHost } from '../rigs/fake-host.ts';
import { safe } from '../../src/text/safe.ts';

const COLUMNS = [NAME, column('STATUS', (object) => objectFieldText(object, 'status.phase'), { isStatus: true }), AGE];
const SIZE = { columns: 76, rows: 6 };

function rig({ palette = plainStyle as Palette, order = byName } = {}) {
  const { env } = fakeHost();
  const now = {
    state: { kind: 'synced' } as InformerState,
    version: '7',
    progress: { received: 0, total: undefined, bytes: 0, elapsedMs: 0 } as Progress,
  };
  const health = () => [{ resourceVersion: now.version }];
  const informer = {
    get state() { return now.state; },
    get hasSynced() { return now.state.kind === 'synced' || now.state.kind === 'stale'; },
    health,
  }; // prettier-ignore
  const table = new LiveTable({
    title: safe`pods in web`,
    columns: COLUMNS,
    order,
    // The two things a table asks about health.
    informer: informer as unknown as ConstructorParameters<typeof LiveTable>[0]['informer'],
    progress: () => now.progress,
    notices: new Notices(),
    palette,
    env,
    textOf: (object) =>
      `kind: Pod\nname: ${object.metadata?.name ?? ''}\nphase: ${objectFieldText(object, 'status.phase')}\n`,
  });
  const { handler } = table;
  const pod = (name: string, phase: string): KubeObject =>
    ({
      metadata: { name, namespace: 'web', creationTimestamp: '2023-11-14T22:13:20Z' },
      status: { phase },
    }) as KubeObject;
  return {
    env,
    table,
    now,
    /** The screen without the time of day, which depends on the time zone. */
    screen: (size = SIZE) => table.lines(size).map((line) => line.replace(/\d\d:\d\d:\d\d/, 'HH:MM:SS').trimEnd()),
    add: (name: string, phase: string, initial = false) =>
      void handler.add?.({ type: 'add', key: `web/${name}`, object: pod(name, phase), initial }),
    update: (name: string, phase: string) =>
      void handler.update?.({ type: 'update', key: `web/${name}`, object: pod(name, phase), old: pod(name, ''), replaced: false, resync: false }),
    remove: (name: string) =>
      void handler.delete?.({ type: 'delete', key: `web/${name}`, object: pod(name, 'Running'), finalStateUnknown: false }),
  }; // prettier-ignore
}

test('changed rows are marked for two seconds; deleted rows disappear after two seconds', async () => {
  const { env, screen, add, update, remove } = rig();
  add('b', 'Running', true);
  add('a', 'Running', true);
  await env.clock.advance(5_000);
  add('c', 'Pending');
  update('a', 'Failed');
  remove('b');
  expect(screen()).toEqual([
    ' NAME   STATUS    AGE',
    '~a      Failed    5s',
    '-b      Running   5s',
    '+c      Pending   5s',
    '',
    ' pods in web · synced · 2 objects · 3.0 events/s · version 7 · HH:MM:SS',
  ]);
  await env.clock.advance(1_999);
  expect(screen()[1]).toBe('~a      Failed    6s');
  await env.clock.advance(1);
  expect(screen()).toEqual([
    ' NAME   STATUS    AGE',
    ' a      Failed    7s',
    ' c      Pending   7s',
    '',
    '',
    ' pods in web · synced · 2 objects · 1.5 events/s · version 7 · HH:MM:SS',
  ]);
});

test('with colours, deleted rows are struck through and status words are coloured', () => {
  const { table, add, remove } = rig({ palette: colourStyle });
  add('a', 'Running', true);
  add('b', 'Running', true);
  remove('b');
  const [, a, b] = table.lines(SIZE);
  expect(a).toBe(' a      \u001b[32mRunning\u001b[0m   0s');
  expect(b).toBe('\u001b[2;9m-b      Running   0s\u001b[0m');
});

test('a stale cache is shown with the duration and the reason', async () => {
  const { env, now, screen, add } = rig();
  add('a', 'Running', true);
  now.state = { kind: 'stale', since: env.wallNow(), reason: 'unreachable', error: new Error('connect \u001b[2JECONNREFUSED') };
  await env.clock.advance(12_000);
  expect(screen({ columns: 130, rows: 6 }).at(-1)).toBe(
    ' pods in web · stale for 12s: unreachable · 1 object · 0 events/s · version 7 · HH:MM:SS · connect \\x1b[2JECONNREFUSED',
  );
}); // prettier-ignore

test('the progress of the first list is shown', () => {
  const { now, screen } = rig();
  now.state = { kind: 'starting' };
  now.progress = { received: 12_500, total: 50_000, bytes: 34_100_000, elapsedMs: 3_040 };
  expect(screen().slice(0, 2)).toEqual([
    ' listing pods in web: 12,500 of 50,000 objects, 34.1 MB, 3.0 s',
    ` ${'█'.repeat(15)}${'─'.repeat(45)}`,
  ]);
  now.progress = { ...now.progress, total: undefined };
  expect(screen()[1]).toBe('');
});

test('a cursor moves over the rows, and the screen follows it', () => {
  const { table, screen, add } = rig();
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) add(name, 'Running', true);
  const names = (): string => screen().slice(1, 5).map((line) => line.slice(0, 2)).join(''); // prettier-ignore
  const press = (...keys: string[]): string => {
    for (const key of keys) table.onKey(key);
    return names();
  };
  expect(names()).toBe(' a b c d');
  expect(press('down')).toBe('>a b c d');
  expect(press('down', 'down', 'down', 'down')).toBe(' b c d>e');
  expect(press('end')).toBe(' d e f>g');
  expect(press('pageup')).toBe('>d e f g');
  expect(press('home', 'end', 'home')).toBe('>a b c d');
  expect(screen().at(-1)).toContain('row 1 of 7');
});

test('/ filters by what the cells show, Enter keeps the filter, Escape ends it', () => {
  const { table, screen, add } = rig();
  add('a', 'Running', true);
  add('b', 'Pending', true);
  table.onKey('/');
  expect(table.isTyping).toBe(true);
  for (const key of ['P', 'e', 'x', 'backspace', 'n']) table.onKey(key);
  expect(screen().slice(1, 3)).toEqual([' b      Pending   0s', '']);
  expect(screen().at(-1)).toMatch(/^ \/Pen█ · pods in web · synced · 1 of 2 objects/);
  table.onKey('enter');
  expect(table.isTyping).toBe(false);
  add('c', 'Pending');
  expect(screen().slice(1, 3)).toEqual([' b      Pending   0s', '+c      Pending   0s']);
  table.onKey('escape');
  expect(screen()[1]).toBe(' a      Running   0s');
  for (const key of ['/', 'n', 'o', 'p', 'e']) table.onKey(key);
  expect(screen()[1]).toBe(' no object matches; Escape shows all');
});

test('left and right choose the column to sort by, r turns it round', () => {
  const { table, screen, add } = rig();
  add('a', 'Running', true);
  add('b', 'Pending', true);
  table.onKey('right');
  expect(screen()[0]).toBe(' NAME▲   STATUS    AGE');
  table.onKey('right');
  expect(screen().slice(0, 3)).toEqual([' NAME    STATUS▲   AGE', ' b       Pending   0s', ' a       Running   0s']);
  table.onKey('r');
  expect(screen().slice(0, 2)).toEqual([' NAME    STATUS▼   AGE', ' a       Running   0s']);
  table.onKey('left');
  expect(screen()[0]).toContain('NAME▲');
});

test('Enter opens the object, which stays current; Escape closes it', async () => {
  const { env, table, screen, add, update, remove } = rig();
  add('a', 'Running', true);
  table.onKey('down');
  table.onKey('enter');
  expect(screen().slice(0, 4)).toEqual([' web/a', 'kind: Pod', 'name: a', 'phase: Running']);
  update('a', 'Failed');
  expect(screen()[3]).toBe('phase: Failed');
  remove('a');
  await env.clock.advance(5_000);
  expect(screen().slice(0, 2)).toEqual([' web/a (deleted)', 'kind: Pod']);
  table.onKey('escape');
  expect(screen()[1]).toBe(' no objects');
});

test('S36: names and states with escape sequences are escaped, and every line fits', () => {
  const { screen, add } = rig();
  add('evil\u001b]0;owned\u0007\u202e', '\u009b31mRunning\r\n', true);
  const lines = screen({ columns: 30, rows: 6 });
  for (const line of lines) {
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(line.length).toBeLessThanOrEqual(30);
  }
});

test('an object recreated while its row is struck through is marked as new', () => {
  const { screen, add, remove } = rig();
  add('a', 'Running', true);
  remove('a');
  add('a', 'Pending');
  expect(screen()[1]).toBe('+a      Pending   0s');
  expect(screen().at(-1)).toContain('1 object');
});

test('the status line says that no object has the field of --sort-by, until one has it or another order is chosen', () => {
  const misspelt = () => rig({ order: chosenOrder('.status.phaze') });
  const { screen, add, table } = misspelt();
  expect(screen().at(-1)).not.toContain('--sort-by');
  add('a', 'Running', true);
  expect(screen().at(-1)).toMatch(/^ --sort-by: no object has \.status\.phaze · pods in web/);
  table.onKey('right');
  expect(screen().at(-1)).toMatch(/^ pods in web/);

  const late = misspelt();
  late.add('a', 'Running', true);
  const object = { metadata: { name: 'b', namespace: 'web' }, status: { phaze: 'x' } } as KubeObject;
  void late.table.handler.add?.({ type: 'add', key: 'web/b', object, initial: false });
  late.add('c', 'Running');
  expect(late.screen().at(-1)).toMatch(/^ pods in web/);
});
