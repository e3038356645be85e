import { expect, test } from 'vitest';
import { failDoctorFinding, doctorFindingLines, okDoctorFinding } from '../../src/doctor/doctor-finding.ts';
import { safe } from '../../src/text/safe.ts';
import { plainStyle } from '../../src/text/style.ts';
import { wrapToWidth } from '../../src/text/width.ts';

test('a text is broken between words; a longer word has a line of its own', () => {
  expect(wrapToWidth(safe`one two three`, 7)).toEqual(['one two', 'three']);
  expect(wrapToWidth(safe`a https://127.0.0.1:16443/ b`, 7)).toEqual(['a', 'https://127.0.0.1:16443/', 'b']);
  expect(wrapToWidth(safe``, 7)).toEqual(['']);
});

test('doctor: a finding continues below where its text began in a terminal, and is one line in a pipe', () => {
  const ok = okDoctorFinding('permissions', 'you may list and watch pods, services and deployments');
  expect(doctorFindingLines(ok, plainStyle, 60)).toEqual([
    'ok    permissions   you may list and watch pods, services',
    '                    and deployments',
  ]);
  expect(doctorFindingLines(ok, plainStyle)).toHaveLength(1);
  expect(
    doctorFindingLines(failDoctorFinding('TLS', 'not trusted', 'set the certificate authority of it'), plainStyle, 50),
  ).toEqual([
    'FAIL  TLS           not trusted',
    '                    fix: set the certificate',
    '                    authority of it',
  ]);
});
