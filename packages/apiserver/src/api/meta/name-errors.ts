import { isIP } from 'node:net';
import { type FieldError, invalidFieldError } from '../../core/field-error.ts';
import type { Resource } from '../schema/resource.ts';
import {
  labelSyntaxComplaints,
  pathSegmentSyntaxComplaints,
  subdomainSyntaxComplaints,
  subdomainSyntaxComplaintsInBytes,
} from './name-syntax.ts';

type Rule = (name: string) => string[];

/** Length of the suffix of a generated name, which must still fit into a label. */
const SUFFIX_LENGTH = 5;
const PREFIX_MAX = 63 - SUFFIX_LENGTH;

/** Characters of the suffix: no vowels and none that look alike, so that names form no words. */
const SUFFIX_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** A CronJob's Jobs append eleven characters to its name, and a Job's name is a label's value. */
const CRON_JOB_MAX = 63 - 11;

/** Rules of kinds whose names are not plain subdomains. */
const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>(
  Object.entries({
    '/namespaces': labelSyntaxComplaints,
    '/services': labelSyntaxComplaints,
    'apps/statefulsets': labelSyntaxComplaints,
    'batch/cronjobs': nameErrorsOfCronJob,
    'networking.k8s.io/ipaddresses': nameErrorsOfIpAddress,
    'rbac.authorization.k8s.io/roles': pathSegmentSyntaxComplaints,
    'rbac.authorization.k8s.io/rolebindings': pathSegmentSyntaxComplaints,
    'rbac.authorization.k8s.io/clusterroles': pathSegmentSyntaxComplaints,
    'rbac.authorization.k8s.io/clusterrolebindings': pathSegmentSyntaxComplaints,
    'certificates.k8s.io/certificatesigningrequests': pathSegmentSyntaxComplaints,
    'apiregistration.k8s.io/apiservices': pathSegmentSyntaxComplaints,
    'policy/poddisruptionbudgets': pathSegmentSyntaxComplaints,
    '/events': pathSegmentSyntaxComplaints,
    '/replicationcontrollers': subdomainSyntaxComplaintsInBytes,
    'resource.k8s.io/deviceclasses': subdomainSyntaxComplaintsInBytes,
  }),
);

type NamedResource = Pick<Resource, 'group' | 'resource'>;

/** Errors of a name, by the rule of its kind. An empty name is reported elsewhere. */
export function nameErrors(resource: NamedResource, name: string, field = 'metadata.name'): FieldError[] {
  return nameErrorRule(resource)(name).map((complaint) => invalidFieldError(field, name, complaint));
}

/** Errors of a `generateName` by the rule of its kind; it may end in a dash. */
export function nameErrorsOfPrefix(resource: NamedResource, prefix: string): FieldError[] {
  const rule = nameErrorRule(resource);
  // Kinds whose checks were written later check only the resulting name.
  if (rule === subdomainSyntaxComplaintsInBytes) return [];
  // The server replaces the last *two* characters of such a prefix by an `a`, and checks the result.
  const isMasked = rule !== pathSegmentSyntaxComplaints && prefix.length > 1 && prefix.endsWith('-');
  const complaints = rule(isMasked ? `${prefix.slice(0, -2)}a` : prefix);
  return complaints.map((complaint) => invalidFieldError('metadata.generateName', prefix, complaint));
}

/** Errors of a `generateName` by the rule of all kinds, checked after the kind's own rule. */
export function nameErrorsOfPrefixSegment(prefix: string): FieldError[] {
  // As a prefix, even a dot may lead to a valid name.
  const complaints = /^\.{1,2}$/.test(prefix) ? [] : pathSegmentSyntaxComplaints(prefix);
  return complaints.map((complaint) => invalidFieldError('metadata.generateName', prefix, complaint));
}

/** A name that begins with the prefix, or with as much of it as leaves room. `random` is uniform in [0, 1). */
export function generateName(prefix: string, random: () => number): string {
  let name = prefix.slice(0, PREFIX_MAX);
  for (let count = 0; count < SUFFIX_LENGTH; count++) {
    name += SUFFIX_CHARACTERS.charAt(Math.floor(random() * SUFFIX_CHARACTERS.length));
  }
  return name;
}

function nameErrorRule({ group, resource }: NamedResource): Rule {
  return RULES.get(`${group}/${resource}`) ?? subdomainSyntaxComplaints;
}

function nameErrorsOfCronJob(name: string): string[] {
  const complaints = subdomainSyntaxComplaints(name);
  if (Buffer.byteLength(name) > CRON_JOB_MAX) complaints.push(`must be no more than ${CRON_JOB_MAX} characters`);
  return complaints;
}

function nameErrorsOfIpAddress(name: string): string[] {
  if (isIP(name) === 0) return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
  const canonical = isIP(name) === 6 ? new URL(`http://[${name}]/`).hostname.slice(1, -1) : name;
  return canonical === name ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
}
