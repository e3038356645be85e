import { KubeError } from 'kube-informer/core';
import { isShapeCheckObject, checkShape, shapeCheck } from '../../core/shape-check.ts';
import { ACTIONS, COMPANIONS, isWholeResponseInRuleSchema, RULE } from './rule-schema.ts';
import type { FaultAction, FaultAt, FaultMatch, FaultRule } from './rule.ts';

/** The kinds of requests that an action applies to; they decide which seam handles it. */
interface Place {
  /** True for actions on watches only. */
  readonly stream?: true;
  /** True for actions on everything but watches. */
  readonly body?: true;
  /** Whether no real server does it. */
  readonly illegal?: (action: never) => boolean;
  readonly ats: readonly string[];
}

const IN_STREAM = ['bookmark', 'end-bookmark', 'event', 'bytes', 'ms', 'object'];
const ANYWHERE = ['start', 'head', 'end', ...IN_STREAM];
/** Places that only a watch has. */
const STREAM_ATS = ['bookmark', 'end-bookmark', 'event', 'object'];
const isFaultRuleAlwaysIllegal = (): boolean => true;

export const PLACES: ReadonlyMap<string, Place> = new Map<string, Place>(
  Object.entries({
    cut: { ats: ANYWHERE },
    end: { stream: true, ats: IN_STREAM },
    goaway: { ats: ANYWHERE },
    silence: { ats: ANYWHERE },
    hang: { ats: ['start', 'head'] },
    delay: { ats: ['start', 'head', 'bookmark', 'end-bookmark', 'event', 'object'] },
    hold: { stream: true, ats: [] },
    throttle: { ats: [] },
    split: { ats: [] },
    merge: { stream: true, ats: [] },
    status: { ats: ['start', 'head', 'write'] },
    headers: { ats: ['head'] },
    requestHeaders: { ats: ['start'] },
    encoding: { ats: ['start'], illegal: ({ encoding }: { encoding: string }) => encoding === 'protobuf' },
    query: { ats: ['start'] },
    body: { body: true, ats: [] },
    list: { body: true, ats: [] },
    replay: { stream: true, ats: ['start'] },
    duplicate: { stream: true, ats: ['event', 'object', 'bookmark', 'end-bookmark'] },
    drop: {
      stream: true,
      ats: ['event', 'object'],
      illegal: ({ drop }: { drop: string }) => drop === 'events',
    },
    error: { stream: true, ats: IN_STREAM },
    garbage: { ats: IN_STREAM },
    reorder: { stream: true, ats: ['event', 'object'], illegal: isFaultRuleAlwaysIllegal },
    bookmarksBehind: { stream: true, ats: [], illegal: isFaultRuleAlwaysIllegal },
    inject: { stream: true, ats: IN_STREAM, illegal: isFaultRuleAlwaysIllegal },
  }),
);

const ABOUT = 'a fault rule';

const refuseFaultRule = (what: string): never => {
  throw new KubeError('INVALID_OPTION', `${ABOUT}: ${what}`);
};

/** The key that names the action. */
export function faultRuleActionName(action: FaultAction): string {
  const names = Object.keys(action).filter((key) => PLACES.has(key));
  const known = [...PLACES.keys()].join(', ');
  if (names.length > 1)
    return refuseFaultRule(`do: expected one action, got ${names.join(' and ')}: add a rule for each`);
  return names[0] ?? refuseFaultRule(`do: expected one of ${known}, got ${JSON.stringify(action)}`);
}

/** The name of a place: `event` for `{ event: 3 }`. */
export const faultRuleAtName = (at: FaultAt): string => (typeof at === 'string' ? at : (Object.keys(at)[0] as string));

/** Whether an action can apply to watches, or to other requests; the head of a response is not part of a stream. */
export function isFaultRuleAbout({ do: action }: Pick<FaultRule, 'do'>, isWatch: boolean): boolean {
  const place = PLACES.get(faultRuleActionName(action));
  if (!isWatch) return place?.stream !== true;
  return place?.body !== true && !('garbage' in action && isWholeResponseInRuleSchema(action.garbage));
}

/** Checks a rule from any source, including JSON, where patterns are written as `{ "regexp": "…" }`. */
export function checkRule(value: unknown): FaultRule {
  const rule = reviveFaultRule(value) as FaultRule;
  checkShape(RULE, rule, '', ABOUT);
  const name = faultRuleActionName(rule.do);
  const fields = { [name]: ACTIONS.get(name), ...COMPANIONS.get(name) } as Parameters<typeof shapeCheck>[0];
  checkShape(shapeCheck(fields, [name]), rule.do, 'do', ABOUT);
  const place = PLACES.get(name) as Place;
  if (rule.at !== undefined && !place.ats.includes(faultRuleAtName(rule.at)))
    refuseFaultRule(
      `at: ${name} cannot be at ${JSON.stringify(rule.at)}: ` +
        (place.ats.length === 0 ? 'this action takes no `at`' : `expected one of ${place.ats.join(', ')}`),
    );
  if (place.illegal?.(rule.do as never) === true && rule.illegal !== true)
    refuseFaultRule(`no real server does ${name}: set illegal: true to allow it`);
  checkRuleVerbs(rule, name);
  return rule;
}

/** Refuses rules that could never apply, or would not apply where expected. */
function checkRuleVerbs(rule: FaultRule, name: string): void {
  const { match = {}, at } = rule;
  const verbs = faultRuleVerbs(match);
  if (at === 'write') {
    const field = (['subresource', 'user', 'userAgent', 'path', 'query', 'headers', 'where'] as const).find(
      (one) => match[one] !== undefined,
    );
    if (field !== undefined)
      refuseFaultRule(`match.${field}: cannot be matched at 'write': the request is not known there`);
    const reads = verbs?.find((verb) => !WRITES.includes(verb));
    if (reads !== undefined)
      refuseFaultRule(`match.verb: at write, expected one of ${WRITES.join(', ')}, got ${reads}`);
    return;
  }
  if (match.name !== undefined && verbs?.includes('create') === true)
    refuseFaultRule("match.name: the name is in the body, which is not decoded yet; use at: 'write'");
  if (verbs === undefined) return;
  const isStream = PLACES.get(name)?.stream === true || (at !== undefined && STREAM_ATS.includes(faultRuleAtName(at)));
  const isWatch = verbs.includes('watch');
  const others = verbs.find((verb) => verb !== 'watch');
  if (isStream && !isWatch) refuseFaultRule(`match.verb: this applies to watches only, got ${verbs.join(', ')}`);
  if (isWatch && !isFaultRuleAbout(rule, true))
    refuseFaultRule(`match.verb: ${describeFaultRuleAction(rule, name)} applies to complete responses, not to watches`);
  if (others !== undefined && !isFaultRuleAbout(rule, false))
    refuseFaultRule(`match.verb: ${name} applies to watches only, got ${others}`);
}

const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'];

const describeFaultRuleAction = ({ do: action }: FaultRule, name: string): string =>
  'garbage' in action ? `${name} ${action.garbage}` : name;

/** The verbs that a rule matches. Undefined for any. */
function faultRuleVerbs({ verb }: FaultMatch): readonly string[] | undefined {
  if (verb === undefined || verb === '*') return undefined;
  return typeof verb === 'string' ? [verb] : verb;
}

/** Converts patterns and infinity, which JSON does not have. */
function reviveFaultRule(value: unknown): unknown {
  if (!isShapeCheckObject(value)) return value;
  const { match, times, ...rest } = value;
  return {
    ...rest,
    ...(match === undefined ? {} : { match: reviveFaultRulePatterns(match) }),
    ...(times === undefined ? {} : { times: times === 'always' ? Infinity : times }),
  };
}

function reviveFaultRulePatterns(value: unknown): unknown {
  if (!isShapeCheckObject(value)) return value;
  const { regexp } = value;
  if (typeof regexp === 'string' && Object.keys(value).length === 1) {
    try {
      return new RegExp(regexp);
    } catch (cause) {
      throw new KubeError('INVALID_OPTION', `${ABOUT}: match: ${(cause as Error).message}`, { cause });
    }
  }
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, reviveFaultRulePatterns(field)]));
}
