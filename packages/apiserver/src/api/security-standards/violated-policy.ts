import { BASELINE_CHECKS } from './baseline-checks.ts';
import { RESTRICTED_CHECKS } from './restricted-checks.ts';
import type { CheckedPod, SecurityCheck, Violation } from './security-check.ts';
import type { LevelVersion } from './security-policy.ts';

/** The checks of a level that a pod does not pass, in the order of messages. */
export function violatedPolicyChecks(pod: CheckedPod, { level, version }: LevelVersion): Violation[] {
  if (level === 'privileged') return [];
  const minor = version === 'latest' ? Infinity : Number(version.slice('v1.'.length));
  const exists = ({ since }: SecurityCheck): boolean => since <= minor;
  const restricted = level === 'restricted' ? RESTRICTED_CHECKS.filter(exists) : [];
  const overridden = new Set(restricted.map(({ overrides }) => overrides));
  const baseline = BASELINE_CHECKS.filter((check) => exists(check) && !overridden.has(check.id));
  return [...baseline, ...restricted].flatMap((check) => check.check(pod, minor) ?? []);
}

/** The violations as text: `privileged (container "c" must not …), hostPort (…)` */
export const violatedPolicyText = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');
