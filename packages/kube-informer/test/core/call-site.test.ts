import { expect, test } from 'vitest';
import { callSite } from '../../src/core/call-site.ts';

const OWN = '/app/node_modules/kube-informer/dist/';

/** A stack as V8 prints it. */
function rig(...frames: string[]): string {
  return ['Error: here', ...frames.map((frame) => `    at ${frame}`)].join('\n');
}

test('REF-02: the first frame outside the package, as file:line', () => {
  const stack = rig(
    `callSite (file://${OWN}core/call-site.js:10:5)`,
    `new Reflector (file://${OWN}informer/reflector.js:90:14)`,
    'main (file:///app/src/main.js:12:3)',
    'file:///app/src/index.js:1:1',
  );
  expect(callSite(stack, OWN)).toBe('main.js:12');
});

test.each([
  ['a frame without a function', '/app/src/main.ts:7:21', 'main.ts:7'],
  ['a path of Windows', 'main (C:\\app\\src\\main.js:12:3)', 'main.js:12'],
  ['a frame with an async function', 'async Promise.all (file:///app/a b/main.js:3:9)', 'main.js:3'],
])('REF-02: it reads %s', (_, frame, name) => {
  expect(callSite(rig(frame), OWN)).toBe(name);
});

test.each([
  ['there is no stack', undefined],
  ['the stack is empty', ''],
  ['every frame is ours', rig(`a (file://${OWN}a.js:1:1)`, `b (file://${OWN}b.js:2:2)`)],
  ['frames have no place', rig('<anonymous>', 'native')],
  ['frames belong to the platform', rig('process.run (node:internal/process/task_queues:95:5)')],
])('REF-02: without a name when %s', (_, stack) => {
  expect(callSite(stack, OWN)).toBe(stack === undefined ? callSite(undefined, OWN) : '????');
});

test('REF-02: after ten frames it gives up', () => {
  const own = Array.from({ length: 10 }, (_, i) => `f${i} (file://${OWN}f.js:${i + 1}:1)`);
  const outside = 'main (file:///app/main.js:1:1)';
  expect(callSite(rig(...own.slice(1), outside), OWN)).toBe('main.js:1');
  expect(callSite(rig(...own, outside), OWN)).toBe('????');
});

test('REF-02: without arguments it finds this file', () => {
  expect(callSite()).toMatch(/^call-site\.test\.ts:\d+$/);
});
