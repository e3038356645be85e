import fc from 'fast-check';
import { expect, test } from 'vitest';
import { showLive } from '../../src/terminal/live.ts';
import { Screen } from '../../src/terminal/screen.ts';
import { textWidth } from '../../src/text/width.ts';
import { fakeHost, screenOf } from '../rigs/fake-host.ts';
import { escapeLines } from '../../src/text/escape.ts';
import { repeatSafe, safe, type Safe } from '../../src/text/safe.ts';

const SIZE = { columns: 20, rows: 4 };

function rig() {
  const host = fakeHost({ isTerminal: true, size: SIZE });
  const shown = { lines: [safe`one`, safe`two`] as readonly Safe[], keys: [] as string[] };
  const view = {
    lines: () => shown.lines,
    onKey: (key: string) => void shown.keys.push(key),
  };
  return { host, shown, view };
}

test('a screen shows the drawn lines, whatever it showed before', () => {
  const line = fc.string({ unit: 'grapheme-ascii', maxLength: 20 }).filter((text) => !text.includes('\u001b'));
  const frame = fc.array(line.map(escapeLines), { maxLength: 4 });
  fc.assert(
    fc.property(fc.array(frame, { minLength: 1, maxLength: 6 }), (frames) => {
      const { stdout } = fakeHost({ isTerminal: true, size: SIZE });
      const screen = new Screen(stdout);
      screen.enter();
      for (const one of frames) screen.draw(one);
      const last = (frames.at(-1) ?? []).map((text) => text.trimEnd());
      const { lines } = screenOf(stdout.text, SIZE);
      expect(lines).toEqual([...last, ...Array.from({ length: 4 - last.length }, () => '')]);
    }),
  );
});

test('an unchanged screen writes nothing', () => {
  const { stdout } = fakeHost({ isTerminal: true });
  const screen = new Screen(stdout);
  screen.enter();
  screen.draw([safe`one`, safe`two`]);
  const before = stdout.text;
  screen.draw([safe`one`, safe`two`]);
  expect(stdout.text).toBe(before);
  screen.draw([safe`one`, safe`three`]);
  expect(stdout.text.slice(before.length)).toBe('\u001b[2;1Hthree\u001b[K');
});

test.each(['q', '\u0003'])('the key %j ends a live view and restores the terminal', async (key) => {
  const { host, view } = rig();
  const showing = showLive(host, view);
  await host.env.clock.advance(100);
  expect(screenOf(host.stdout.text, SIZE)).toEqual({
    lines: ['one', 'two', '', ''],
    isAlternate: true,
    hasCursor: false,
  });
  host.type(key);
  await showing;
  expect(screenOf(host.stdout.text, SIZE)).toMatchObject({ isAlternate: false, hasCursor: true });
  expect(host.env.clock.sleeping).toBe(0);
});

test('a view that throws restores the terminal', async () => {
  const { host } = rig();
  const broken = { lines: (): readonly Safe[] => { throw new Error('broken'); } }; // prettier-ignore
  await expect(showLive(host, broken)).rejects.toThrow('broken');
  expect(screenOf(host.stdout.text, SIZE)).toMatchObject({ isAlternate: false, hasCursor: true });
});

test('a process that exits restores the terminal', async () => {
  const { host, view } = rig();
  const showing = showLive(host, view);
  await host.env.clock.advance(0);
  host.exit();
  expect(screenOf(host.stdout.text, SIZE)).toMatchObject({ isAlternate: false, hasCursor: true });
  host.interrupt('SIGTERM');
  await showing;
});

test('Ctrl-Z restores the terminal, and the screen is drawn again when the process continues', async () => {
  const { host, view } = rig();
  let goOn = (): void => {};
  const stopping = { ...host, suspend: (resumed: () => void) => void (goOn = resumed) };
  const showing = showLive(stopping, view);
  await host.env.clock.advance(0);
  host.type('\u001a');
  expect(screenOf(host.stdout.text, SIZE)).toMatchObject({ isAlternate: false });
  goOn();
  await host.env.clock.advance(200);
  expect(screenOf(host.stdout.text, SIZE)).toMatchObject({ isAlternate: true, lines: ['one', 'two', '', ''] });
  host.type('q');
  await showing;
});

test('a resized terminal is drawn again, in its new size', async () => {
  const { host, shown, view } = rig();
  const showing = showLive(host, view);
  await host.env.clock.advance(0);
  shown.lines = [safe`1`, safe`2`, safe`3`, safe`4`, safe`5`, safe`6`];
  host.stdout.resize({ columns: 20, rows: 2 });
  const { lines } = screenOf(host.stdout.text, SIZE);
  expect(lines).toEqual(['1', '2', '', '']);
  host.type('q');
  await showing;
});

test('no written line is longer than the screen', async () => {
  const { host, shown, view } = rig();
  shown.lines = [repeatSafe(safe`x`, 50), safe`\u001b[7m${repeatSafe(safe`大`, 30)}\u001b[0m`];
  const showing = showLive(host, view);
  for (let columns = 1; columns <= 60; columns += 1) {
    const before = host.stdout.text.length;
    host.stdout.resize({ columns, rows: 4 });
    await host.env.clock.advance(0);
    // oxlint-disable-next-line no-control-regex
    const lines = host.stdout.text.slice(before).split(/\u001b\[\d+;1H/).map((line) => line.replace(/\u001b\[[\d;]*[A-Za-z]/g, '')); // prettier-ignore
    expect(lines.slice(1).map(textWidth)).toEqual([Math.min(50, columns), Math.min(60, columns - (columns % 2))]);
  }
  host.type('q');
  await showing;
});

test('arrow keys and letters reach the view by name', async () => {
  const { host, shown, view } = rig();
  const showing = showLive(host, view);
  for (const key of ['\u001b[A', 'j', '\u001b[6~', 'x']) host.type(key);
  expect(shown.keys).toEqual(['up', 'down', 'pagedown', 'x']);
  host.type('q');
  await showing;
});

test('every key of a chunk counts, Ctrl-C among them', async () => {
  const { host, shown, view } = rig();
  const showing = showLive(host, view);
  await host.env.clock.advance(100);
  host.type('\u001b[A\u001b[A\u001bOBé\u001b[99~\r');
  expect(shown.keys).toEqual(['up', 'up', 'down', 'é', 'enter']);
  host.type('j\u001b[B\u0003jj');
  await showing;
  expect(shown.keys.slice(5)).toEqual(['down', 'down']);
});

test('while text is typed, q and letters that move are text, and Ctrl-C still quits', async () => {
  const { host, shown, view } = rig();
  const showing = showLive(host, { ...view, isTyping: true });
  await host.env.clock.advance(100);
  host.type('qj\u007f');
  expect(shown.keys).toEqual(['q', 'j', 'backspace']);
  host.type('\u0003');
  await showing;
});
