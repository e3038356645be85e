import { KubeError, type ErrorCode } from 'kube-informer/core';
import { expect, test } from 'vitest';
import { describeCommandFailure } from '../../src/output/command-failure.ts';

test.each<[code: ErrorCode, advice: RegExp]>([
  ['CREDENTIALS', /log in again/],
  ['WATCH_BUFFERED', /proxy_buffering off/],
  ['WATCH_DEAF', /loses events/],
])('an error with the code %s says what to do', (code, advice) => {
  expect(describeCommandFailure(new KubeError(code, 'no'))).toEqual({
    message: 'no',
    advice: expect.stringMatching(advice) as string,
  });
});
