import { type FieldError, invalidFieldError } from '../../core/field-error.ts';

const PREFIX = 'pod-security.kubernetes.io/';

/** Levels, from the most permissive to the strictest. */
const LEVELS = ['privileged', 'baseline', 'restricted'] as const;

export type SecurityLevel = (typeof LEVELS)[number];

/** A level, and the version of the standards that defines it: `latest` or `v1.25`. */
export interface LevelVersion {
  readonly level: SecurityLevel;
  readonly version: string;
}

/** The policy for pods of a namespace. There are no audit logs here, so the audit mode is only validated. */
export interface SecurityPolicy {
  readonly enforce: LevelVersion;
  readonly warn: LevelVersion;
  /** Errors of the labels. The policy is nevertheless complete: invalid values count as `restricted`, for warnings as `privileged`. */
  readonly errors: readonly FieldError[];
}

type Labels = Readonly<Record<string, string>>;

/** Whether a namespace has labels about the security of pods. */
export const hasSecurityLabels = (labels: Labels): boolean =>
  Object.keys(labels).some((label) => label.startsWith(PREFIX));

/** The policy that the labels of a namespace request. */
export function securityPolicy(labels: Labels): SecurityPolicy {
  const errors: FieldError[] = [];
  const mode = (name: string, otherwise: SecurityLevel): LevelVersion => ({
    level: securityLevel(labels, name, otherwise, errors),
    version: securityVersion(labels, `${name}-version`, errors),
  });
  const enforce = mode('enforce', 'restricted');
  mode('audit', 'privileged');
  const warn = mode('warn', 'privileged');
  const isEnforced = LEVELS.includes(labels[`${PREFIX}enforce`] as SecurityLevel);
  if (
    labels[`${PREFIX}warn`] !== undefined ||
    !isEnforced ||
    compareSecurityPolicyLevels(enforce.level, warn.level) <= 0
  )
    return { enforce, warn, errors };
  const version = labels[`${PREFIX}warn-version`] === undefined ? enforce.version : warn.version;
  return { enforce, warn: { level: enforce.level, version }, errors };
}

export const compareSecurityPolicyLevels = (a: SecurityLevel, b: SecurityLevel): number =>
  LEVELS.indexOf(a) - LEVELS.indexOf(b);

export const securityPolicyLevelText = ({ level, version }: LevelVersion): string => `${level}:${version}`;

function securityLevel(labels: Labels, name: string, otherwise: SecurityLevel, errors: FieldError[]): SecurityLevel {
  const value = labels[`${PREFIX}${name}`];
  if (value === undefined) return 'privileged';
  const level = LEVELS.find((one) => one === value);
  if (level === undefined) errors.push(securityLabelError(name, value, `must be one of ${LEVELS.join(', ')}`));
  return level ?? otherwise;
}

function securityVersion(labels: Labels, name: string, errors: FieldError[]): string {
  const value = labels[`${PREFIX}${name}`] ?? 'latest';
  if (value === 'latest' || /^v1\.(?:\d|[1-9]\d*)$/.test(value)) return value;
  errors.push(securityLabelError(name, value, 'must be "latest" or "v1.x"'));
  return 'latest';
}

const securityLabelError = (name: string, value: string, why: string): FieldError =>
  invalidFieldError(`metadata.labels[${PREFIX}${name}]`, value, why);
