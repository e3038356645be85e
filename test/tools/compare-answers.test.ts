import { expect, test } from 'vitest';
import { compareAnswers } from '../foreign/suite.ts';

test('answers of two servers are compared by verdict, then by message, in whatever order causes are named', () => {
  const ours = new Map([
    ['both accept', 'accepted'],
    ['same message', '422 A "a" is invalid: [x: Required value, y: Invalid value: 1: no]'],
    ['other words', '422 A "a" is invalid: x: Required value'],
    ['other code', '400 no'],
    ['accepted here only', 'accepted'],
    ['not served there', 'accepted'],
  ]);
  const real = new Map([
    ['both accept', 'accepted'],
    ['same message', '422 A "a" is invalid: [y: Invalid value: 1: no, x: Required value]'],
    ['other words', '422 A "a" is invalid: z: Required value'],
    ['other code', '422 no'],
    ['accepted here only', '422 no'],
  ]);
  const differences: string[] = [];
  const compared = compareAnswers(ours, real, (title, _our, _their, isVerdict) =>
    differences.push(`${title}${isVerdict ? '!' : ''}`),
  );
  expect(compared).toEqual({ asked: 6, sameVerdict: 3, refused: 2, sameMessage: 1 });
  expect(differences).toEqual(['other words', 'other code!', 'accepted here only!', 'not served there!']);
});
