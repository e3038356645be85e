import { nameInFieldSelector } from '../../api/meta/field-selector.ts';
import type { FaultRequest } from '../../http/seams.ts';
import type { Write } from '../../storage/store/stored-collection.ts';
import type { FaultMatch, TextMatch } from './rule.ts';

/** Whether a rule matches a request; `nth` is counted by the rule. */
export function faultRuleMatchesRequest(match: FaultMatch, faulted: FaultRequest): boolean {
  const { info, query, user, userAgent, request } = faulted;
  return (
    matchesVerb(match.verb, info.verb) &&
    matchesText(match.resource, info.resource) &&
    matchesText(match.group, info.group) &&
    matchesText(match.namespace, info.namespace) &&
    matchesText(match.name, matchedName(faulted)) &&
    matchesText(match.subresource, info.subresource) &&
    matchesText(match.user, user?.name ?? '') &&
    matchesText(match.userAgent, userAgent) &&
    matchesText(match.path, info.path) &&
    Object.entries(match.query ?? {}).every(([key, wanted]) =>
      faultRuleMatchesText(wanted, query.get(key) ?? undefined),
    ) &&
    Object.entries(match.headers ?? {}).every(([key, wanted]) =>
      faultRuleMatchesText(wanted, headerToMatch(request.headers[key])),
    ) &&
    (match.where?.(faulted) ?? true)
  );
}

/** The name that a request is about; a list or watch may select one by name. */
const matchedName = ({ info, query }: FaultRequest): string =>
  info.name === '' ? (nameInFieldSelector(query.get('fieldSelector') ?? '') ?? '') : info.name;

const VERBS: Readonly<Record<Write['type'], readonly string[]>> = {
  ADDED: ['create'],
  MODIFIED: ['update', 'patch'],
  DELETED: ['delete', 'deletecollection'],
};

/** Whether a rule matches a write. The user and the request of a write are unknown. */
export function faultRuleMatchesWrite(match: FaultMatch, { collection, type, namespace, name }: Write): boolean {
  const dot = collection.indexOf('.');
  return (
    VERBS[type].some((verb) => matchesVerb(match.verb, verb)) &&
    matchesText(match.resource, dot === -1 ? collection : collection.slice(0, dot)) &&
    matchesText(match.group, dot === -1 ? '' : collection.slice(dot + 1)) &&
    matchesText(match.namespace, namespace) &&
    matchesText(match.name, name)
  );
}

const matchesVerb = (wanted: FaultMatch['verb'], verb: string): boolean =>
  wanted === undefined || wanted === '*' || wanted === verb || (typeof wanted === 'object' && wanted.includes(verb));

function matchesText(wanted: TextMatch | undefined, text: string): boolean {
  if (wanted === undefined || wanted === '*') return true;
  return typeof wanted === 'string' ? wanted === text : text.search(wanted) !== -1; // unlike test, ignores lastIndex
}

const faultRuleMatchesText = (wanted: TextMatch, text: string | undefined): boolean =>
  text !== undefined && matchesText(wanted, text);

const headerToMatch = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;
