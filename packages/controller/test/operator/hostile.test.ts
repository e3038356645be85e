import { expect, test } from 'vitest';
import { configMap, rig, widget, WIDGETS } from './rig.ts';

const KEY = 'web/a';
const OWNER = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'a', uid: 'ua', controller: true };

test('S104: an object of another namespace is not a child, whatever its owner reference', async () => {
  const seen: string[][] = [];
  const { lab } = await rig(
    {
      owns: ['v1/configmaps'],
      reconcile: (run) => void seen.push(run.owned('v1/configmaps').map(({ metadata }) => metadata?.namespace ?? '')),
    },
    { lab: { objects: [widget('a', {}, { uid: 'ua' })] } },
  );
  await lab.user.apply(configMap('planted', {}, { namespace: 'evil', ownerReferences: [OWNER] }));
  await lab.user.apply(configMap('child', {}, { ownerReferences: [OWNER] }));
  await lab.settled();
  expect(seen.at(-1)).toEqual(['web']);
  expect(seen.flat()).not.toContain('evil');
});

test('S108: names and paths of users are printable and bounded in reasons and in why', async () => {
  const { lab, operator } = await rig(
    { reconcile: () => {}, on: () => true },
    { lab: { objects: [widget('a', { size: 1 })] } },
  );
  const names = Array.from({ length: 8 }, (_, at) => `\u{1b}[2J\u{202e}${at}${'x'.repeat(20_000)}`);
  await lab.user.patch(WIDGETS, KEY, { spec: Object.fromEntries(names.map((name) => [name, 1])) });
  await lab.settled();
  const { sentence, last } = operator.why('widgets', KEY);
  const shown = [sentence, ...(last?.reasons ?? [])].join('\n');
  expect(shown).toContain(String.raw`updated(spec.\u{1b}[2J`);
  expect(shown).not.toMatch(/[^\P{C}\n]/u);
  expect(shown.length).toBeLessThan(6_000);
});
