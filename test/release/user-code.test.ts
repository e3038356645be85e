import { expect, test } from 'vitest';
import { unguardedOptions } from '../../tools/lint/check-user-code.ts';

const ENTRY = "export type { PodOptions } from './pods.ts';";
const check = (members: string, exceptions: Record<string, string> = {}): string[] =>
  unguardedOptions(
    new Map([
      ['src/index.ts', ENTRY],
      ['src/pods.ts', `export type Filter<T> =\n  (object: T) => boolean;\nexport interface PodOptions<T> {\n${members}\n}\n`],
    ]),
    exceptions,
  ); // prettier-ignore
const refused = (member: string): string[] => [
  `src/pods.ts: PodOptions.${member} carries code of the user: its type must be UserCode<…>`,
];

test('U5: a function in public options is UserCode, however it is written', () => {
  expect(check('  readonly name?: string;\n  readonly onError?: UserCode<(error: unknown) => void>;')).toEqual([]);
  expect(check('  readonly filters?: Readonly<Record<string, UserCode<Filter<T>>>>;')).toEqual([]);
  expect(check('  readonly onError?: (error: unknown) => void;')).toEqual(refused('onError'));
  expect(check('  /** With => in words. */\n  readonly name?: string;\n  onError?(error: unknown): void;')).toEqual(
    refused('onError'),
  );
  expect(check('  readonly filter?: Filter<T>;')).toEqual(refused('filter'));
  expect(check('  readonly a: UserCode<() => void>;\n  readonly both?:\n    | UserCode<() => void>\n    | { each: Filter<T> };')).toEqual(refused('both')); // prettier-ignore
});

test('U5: so are the log and the metrics of the user', () => {
  expect(check('  readonly env?: UserCode<Env>;\n  readonly metrics?: UserCode<Metrics>;')).toEqual([]);
  expect(check('  readonly env?: Env;')).toEqual(refused('env'));
  expect(check('  readonly metrics?: Metrics;')).toEqual(refused('metrics'));
});

test('U5: options that are not public are ours, and an exception must be needed', () => {
  const inside = new Map([
    ['src/index.ts', ENTRY],
    ['src/loop.ts', 'export interface LoopOptions {\n  readonly next: () => void;\n}\n'],
  ]);
  expect(unguardedOptions(inside, {})).toEqual([]);
  expect(check('  readonly next: () => void;', { 'PodOptions.next': 'the loop guards it' })).toEqual([]);
  expect(check('  readonly n: number;', { 'PodOptions.next': 'gone' })).toEqual([
    'tools/lint/check-user-code.ts: the exception PodOptions.next is not needed',
  ]);
});
