import { KubeError, printableText, UNPRINTABLE } from 'kube-informer/core';
import { expect, test } from 'vitest';
import { shippedSources } from '../../../../test/release/sources.ts';

const HIDDEN = '\u001b\u009b\u200b\u202e\u2028\ufeff\u034f\u3164\ufe0f\u{e0100}\ud800';

test('S117: everything that hides or reorders text is escaped, in errors too', () => {
  expect(printableText(`a${HIDDEN}\n\tb`)).toMatch(/^a(?:\\u\{[0-9a-f]+\}){11}\n\tb$/);
  expect(new KubeError('TRANSPORT', HIDDEN, { cause: new Error(HIDDEN) }).message.search(UNPRINTABLE)).toBe(-1);
  expect(printableText('plain, é, 漢字, 🎉')).toBe('plain, é, 漢字, 🎉');
});

test('S117: there is one list of such characters', () => {
  const lists = shippedSources().filter(({ text }) => /\\p\{Cf\}/.test(text));
  expect(lists.map(({ path }) => path).toSorted()).toEqual([
    'packages/kube-informer/src/core/unprintable.ts',
    // Imports nothing, see docs/ARCHITECTURE.md.
    'packages/kubernetes/src/generate/generated-names.ts',
  ]);
});
