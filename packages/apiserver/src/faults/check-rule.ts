import { KubeError } from 'kube-informer/core';
import type { FaultAction, FaultAt, FaultRule } from './rule.ts';

/** Where an action is at home: it decides which seam looks at it. */
interface Place {
  /** For watches only. */
  readonly stream?: true;
  /** For everything but watches. */
  readonly body?: true;
  /** No real server does it. */
  readonly illegal?: (action: never) => boolean;
  /** Values that are allowed, where there are few. */
  readonly values?: readonly unknown[];
  readonly ats: readonly string[];
}

const ANYWHERE = ['start', 'head', 'end', 'bookmark', 'end-bookmark', 'event', 'bytes', 'ms', 'object'];
const IN_STREAM = ['bookmark', 'end-bookmark', 'event', 'bytes', 'ms', 'object'];
const always = (): boolean => true;

export const PLACES: Readonly<Record<string, Place>> = {
  cut: { ats: ANYWHERE, values: ['rst', 'fin', 'goaway', 'rst-stream'] },
  end: { stream: true, ats: IN_STREAM },
  goaway: { ats: ANYWHERE },
  silence: { ats: ANYWHERE, values: [true, 'deaf'] },
  hang: { ats: ['start', 'head'], values: ['headers'] },
  delay: { ats: ['start', 'head', 'bookmark', 'end-bookmark', 'event', 'object'] },
  hold: { stream: true, ats: [] },
  throttle: { ats: [] },
  split: { ats: [] },
  merge: { stream: true, ats: [] },
  status: { ats: ['start', 'head', 'write'] },
  headers: { ats: ['head'] },
  requestHeaders: { ats: ['start'] },
  query: { ats: ['start'] },
  body: { body: true, ats: [] },
  list: { body: true, ats: [], values: ['duplicate-item', 'missing-item', 'no-resource-version'] },
  replay: { stream: true, ats: ['start'] },
  duplicate: { stream: true, ats: ['event', 'object', 'bookmark', 'end-bookmark'] },
  drop: {
    stream: true,
    ats: ['event', 'object'],
    values: ['bookmarks', 'end-bookmark', 'events'],
    illegal: ({ drop }: { drop: string }) => drop === 'events',
  },
  error: { stream: true, ats: IN_STREAM },
  garbage: { ats: IN_STREAM },
  reorder: { stream: true, ats: ['event', 'object'], illegal: always },
  bookmarksBehind: { stream: true, ats: [], illegal: always },
  inject: { stream: true, ats: IN_STREAM, illegal: always },
};

const FIELDS: ReadonlySet<string> = new Set(['match', 'at', 'do', 'times', 'probability', 'forMs', 'illegal']);
const MATCH_FIELDS: ReadonlySet<string> = new Set(
  'verb resource group namespace name subresource user userAgent path query headers nth where'.split(' '),
);

const refuse = (what: string): never => {
  throw new KubeError('INVALID_OPTION', `a fault rule: ${what}`);
};

/** The one key of an action that says what it is. */
export function actionName(action: FaultAction): string {
  const name = Object.keys(action).find((key) => Object.hasOwn(PLACES, key));
  return name ?? refuse(`expected do to be one of ${Object.keys(PLACES).join(', ')}, got ${JSON.stringify(action)}`);
}

/** `event` for `{ event: 3 }`. */
export const atName = (at: FaultAt): string => (typeof at === 'string' ? at : (Object.keys(at)[0] as string));

/** A rule that comes from anywhere, JSON included; patterns may be written as `{ "regexp": "…" }` there. */
export function checkRule(value: unknown): FaultRule {
  const rule = revived(value) as FaultRule;
  if (rule === null || typeof rule !== 'object') return refuse(`expected an object, got ${JSON.stringify(value)}`);
  for (const key of Object.keys(rule)) if (!FIELDS.has(key)) refuse(`there is no ${key}`);
  for (const key of Object.keys(rule.match ?? {})) if (!MATCH_FIELDS.has(key)) refuse(`there is no match.${key}`);
  if (rule.do === null || typeof rule.do !== 'object') refuse('do is missing');
  const name = actionName(rule.do);
  const place = PLACES[name] as Place;
  const chosen = (rule.do as unknown as Record<string, unknown>)[name];
  if (place.values !== undefined && !place.values.includes(chosen))
    refuse(`expected ${name} to be one of ${place.values.join(', ')}, got ${JSON.stringify(chosen)}`);
  if (rule.at !== undefined && !place.ats.includes(atName(rule.at)))
    refuse(
      `${name} cannot be at ${JSON.stringify(rule.at)}${place.ats.length === 0 ? '' : `: ${place.ats.join(', ')}`}`,
    );
  if (place.illegal?.(rule.do as never) === true && rule.illegal !== true)
    refuse(`no real server does ${name}: say illegal: true if that is what you want`);
  const { times = 1, probability = 1 } = rule;
  if (typeof times !== 'number' || !(times > 0)) refuse(`expected times to be above 0, got ${times}`);
  if (!(probability >= 0 && probability <= 1)) refuse(`expected probability to be 0 to 1, got ${probability}`);
  return rule;
}

/** JSON has no patterns and no infinity. */
function revived(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || value instanceof RegExp) return value;
  if (Array.isArray(value)) return value.map(revived);
  const { regexp } = value as { regexp?: unknown };
  if (typeof regexp === 'string') return new RegExp(regexp);
  const entries = Object.entries(value).map(([key, field]) => [
    key,
    key === 'times' && field === 'always' ? Infinity : key === 'do' ? field : revived(field),
  ]);
  return Object.fromEntries(entries);
}
