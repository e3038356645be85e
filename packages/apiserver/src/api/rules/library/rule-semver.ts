import { globalFunction, type Library, memberFunction } from '../../../cel/check/environment.ts';
import { UNIT_ESTIMATE } from '../../../cel/cost/call-cost.ts';
import { costOfFirst } from '../../../cel/cost/costs.ts';
import { BOOL, INT, opaqueType, STRING, type Type } from '../../../cel/types/type.ts';
import { fail, OpaqueValue, type Value } from '../../../cel/values/cel-value.ts';

const SEMVER: Type = opaqueType('kubernetes.Semver');

class SemverValue extends OpaqueValue {
  readonly type = SEMVER;
  readonly numbers: readonly bigint[];
  /** Parts of a pre-release: `rc`, `1`. */
  readonly pre: readonly string[];

  constructor(numbers: readonly bigint[], pre: readonly string[]) {
    super();
    this.numbers = numbers;
    this.pre = pre;
  }

  /** Compares versions without their build metadata. */
  equals(other: Value): boolean {
    return other instanceof SemverValue && compareSemvers(this, other) === 0n;
  }
}

const NUMBER = '(?:0|[1-9]\\d*)';
const VERSION = new RegExp(
  `^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})(?:-((?:${NUMBER}|\\d*[A-Za-z-][0-9A-Za-z-]*)(?:\\.(?:${NUMBER}|\\d*[A-Za-z-][0-9A-Za-z-]*))*))?(?:\\+([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?$`,
);

/** Removes a `v` and leading zeros, and adds missing numbers. */
function normalizedSemver(text: string): string {
  const [, numbers = '', rest = ''] = /^v?([^+-]*)(.*)$/s.exec(text.trim()) ?? [];
  const parts = numbers.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  while (parts.length < 3) {
    if (rest !== '') return text;
    parts.push('0');
  }
  return parts.join('.') + rest;
}

function parsedSemver([given, isNormalized]: readonly Value[]): Value {
  const text = isNormalized === true ? normalizedSemver(given as string) : (given as string);
  const found = VERSION.exec(text);
  if (found !== null) return new SemverValue(found.slice(1, 4).map(BigInt), found[4]?.split('.') ?? []);
  if (text === '') return fail('Version string empty');
  if (text.split('.').length < 3) return fail('No Major.Minor.Patch elements found');
  const bad = text
    .split(/[-+]/)[0]
    ?.split('.')
    .find((part) => !/^\d+$/.test(part));
  return fail(
    bad === undefined
      ? `Invalid version: ${text}`
      : `Invalid character(s) found in ${['major', 'minor', 'patch'][text.split('.').indexOf(bad)] ?? 'patch'} number "${bad}"`,
  );
}

const signOfSemver = (value: bigint): bigint => (value < 0n ? -1n : value > 0n ? 1n : 0n);

/** Compares versions. A pre-release is before its release; numbers in it are before words. */
function compareSemvers(a: SemverValue, b: SemverValue): bigint {
  for (const [index, number] of a.numbers.entries()) {
    const order = signOfSemver(number - (b.numbers[index] as bigint));
    if (order !== 0n) return order;
  }
  if (a.pre.length === 0 || b.pre.length === 0)
    return signOfSemver(BigInt((a.pre.length === 0 ? 1 : 0) - (b.pre.length === 0 ? 1 : 0)));
  for (let index = 0; index < Math.max(a.pre.length, b.pre.length); index += 1) {
    const order = compareSemverPreRelease(a.pre[index], b.pre[index]);
    if (order !== 0n) return order;
  }
  return 0n;
}

function compareSemverPreRelease(a: string | undefined, b: string | undefined): bigint {
  if (a === undefined || b === undefined) return a === b ? 0n : a === undefined ? -1n : 1n;
  const [first, second] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (first && second) return signOfSemver(BigInt(a) - BigInt(b));
  if (first !== second) return first ? -1n : 1n;
  return a < b ? -1n : a > b ? 1n : 0n;
}

const semverOf = (value: Value | undefined): SemverValue => value as SemverValue;
const comparedSemvers = ([a, b]: readonly Value[]): bigint => compareSemvers(semverOf(a), semverOf(b));

/** Functions of versions: `semver('1.2.3').isLessThan(semver('2.0.0'))` */
export const semver: Library = {
  types: [SEMVER],
  equality: new Map([[SEMVER.name, () => UNIT_ESTIMATE]]),
  functions: {
    semver: [
      globalFunction('string_to_semver', [STRING], SEMVER, parsedSemver, costOfFirst()),
      globalFunction('string_bool_to_semver', [STRING, BOOL], SEMVER, parsedSemver, costOfFirst()),
    ],
    isSemver: [
      globalFunction(
        'is_semver_string',
        [STRING],
        BOOL,
        (args) => parsedSemver(args) instanceof SemverValue,
        costOfFirst(),
      ),
      globalFunction(
        'is_semver_string_bool',
        [STRING, BOOL],
        BOOL,
        (args) => parsedSemver(args) instanceof SemverValue,
        costOfFirst(),
      ),
    ],
    isGreaterThan: [
      memberFunction('semver_is_greater_than', [SEMVER, SEMVER], BOOL, (args) => comparedSemvers(args) > 0n),
    ],
    isLessThan: [memberFunction('semver_is_less_than', [SEMVER, SEMVER], BOOL, (args) => comparedSemvers(args) < 0n)],
    compareTo: [memberFunction('semver_compare_to', [SEMVER, SEMVER], INT, comparedSemvers)],
    major: [memberFunction('semver_major', [SEMVER], INT, ([a]) => semverOf(a).numbers[0] as bigint)],
    minor: [memberFunction('semver_minor', [SEMVER], INT, ([a]) => semverOf(a).numbers[1] as bigint)],
    patch: [memberFunction('semver_patch', [SEMVER], INT, ([a]) => semverOf(a).numbers[2] as bigint)],
  },
};
