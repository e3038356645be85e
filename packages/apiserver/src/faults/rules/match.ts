import { nameInFieldSelector } from '../../api/meta/field-selector.ts';
import type { FaultRequest } from '../../http/seams.ts';
import type { Write } from '../../storage/store/collection.ts';
import type { FaultMatch, TextMatch } from './rule.ts';

/** Whether a rule is about a request; `nth` is counted by the rule. */
export function matches(match: FaultMatch, faulted: FaultRequest): boolean {
  const { info, query, user, userAgent, request } = faulted;
  return (
    isVerb(match.verb, info.verb) &&
    isText(match.resource, info.resource) &&
    isText(match.group, info.group) &&
    isText(match.namespace, info.namespace) &&
    isText(match.name, nameOf(faulted)) &&
    isText(match.subresource, info.subresource) &&
    isText(match.user, user?.name ?? '') &&
    isText(match.userAgent, userAgent) &&
    isText(match.path, info.path) &&
    Object.entries(match.query ?? {}).every(([key, wanted]) => isThere(wanted, query.get(key) ?? undefined)) &&
    Object.entries(match.headers ?? {}).every(([key, wanted]) => isThere(wanted, header(request.headers[key]))) &&
    (match.where?.(faulted) ?? true)
  );
}

/** A list or watch of one name is about that object. */
const nameOf = ({ info, query }: FaultRequest): string =>
  info.name === '' ? (nameInFieldSelector(query.get('fieldSelector') ?? '') ?? '') : info.name;

const VERBS: Readonly<Record<Write['type'], readonly string[]>> = {
  ADDED: ['create'],
  MODIFIED: ['update', 'patch'],
  DELETED: ['delete', 'deletecollection'],
};

/** The same for a write. Nobody knows any more who asked for it and how. */
export function matchesWrite(match: FaultMatch, { collection, type, namespace, name }: Write): boolean {
  const dot = collection.indexOf('.');
  return (
    VERBS[type].some((verb) => isVerb(match.verb, verb)) &&
    isText(match.resource, dot === -1 ? collection : collection.slice(0, dot)) &&
    isText(match.group, dot === -1 ? '' : collection.slice(dot + 1)) &&
    isText(match.namespace, namespace) &&
    isText(match.name, name)
  );
}

const isVerb = (wanted: FaultMatch['verb'], verb: string): boolean =>
  wanted === undefined || wanted === '*' || wanted === verb || (typeof wanted === 'object' && wanted.includes(verb));

function isText(wanted: TextMatch | undefined, text: string): boolean {
  if (wanted === undefined || wanted === '*') return true;
  return typeof wanted === 'string' ? wanted === text : text.search(wanted) !== -1; // unlike test, search does not remember where it was
}

const isThere = (wanted: TextMatch, text: string | undefined): boolean => text !== undefined && isText(wanted, text);

const header = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;
