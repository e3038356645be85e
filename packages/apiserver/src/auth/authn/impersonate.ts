import { badRequestStatusError } from '../../core/status-error.ts';
import type { User } from '../../core/user.ts';
import type { Action, Authorizer } from '../authz/authorize.ts';
import { forbiddenRequest } from '../authz/forbidden.ts';
import { serviceAccountGroups, serviceAccountOf } from '../user/service-account.ts';
import { ANONYMOUS, withGroupOfUserTable, UNAUTHENTICATED } from '../user/user-table.ts';

/** The user that a request impersonates: `kubectl --as`. */
export interface Impersonation {
  readonly user: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

const PREFIX = 'impersonate-';
const EXTRA = 'impersonate-extra-';
/** Length of the shortest header name: most other headers are ruled out by their length without comparing text. */
const SHORTEST = 'impersonate-uid'.length;

/**
 * Reads the `Impersonate-` headers; undefined if there are none. Takes name and value in turns, as Node's
 * `rawHeaders` has them: the parsed headers join repeated ones with commas, which may be part of a group's
 * name.
 */
export function whomToImpersonate(rawHeaders: readonly string[]): Impersonation | undefined {
  let found = false;
  let user = '';
  let uid = '';
  const groups: string[] = [];
  const extra: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const header = rawHeaders[i] as string;
    if (header.length < SHORTEST) continue;
    const name = header.toLowerCase();
    if (!name.startsWith(PREFIX)) continue;
    const value = rawHeaders[i + 1] as string;
    if (name === 'impersonate-user') user = value;
    else if (name === 'impersonate-uid') uid = value;
    else if (name === 'impersonate-group') groups.push(value);
    else if (name.startsWith(EXTRA)) (extra[unescapeImpersonateKey(name.slice(EXTRA.length))] ??= []).push(value);
    else continue;
    found = true;
  }
  return found ? { user, uid, groups, extra } : undefined;
}

/** The impersonated user, if `by` may impersonate all its attributes; otherwise throws 400 or 403. */
export function impersonate(by: User, wanted: Impersonation, authorizer: Authorizer, request?: Action): User {
  if (wanted.user === '')
    throw badRequestStatusError(`requested ${impersonatedText(wanted)} without impersonating a user name`);
  let isSomebody = false;
  for (const action of impersonatingActions(wanted)) {
    const { allowed, reason } = authorizer.allows(by, action);
    if (!allowed)
      throw forbiddenRequest(
        by,
        isSomebody ? action : (impersonateConstrained(wanted.user, request) ?? action),
        reason,
      );
    isSomebody = true;
  }
  const account = serviceAccountOf(wanted.user);
  const groups =
    wanted.groups.length > 0 ? wanted.groups : account === undefined ? [] : serviceAccountGroups(account.namespace);
  const user: User = {
    name: wanted.user,
    ...(wanted.uid === '' ? {} : { uid: wanted.uid }),
    groups,
    ...(Object.keys(wanted.extra).length === 0 ? {} : { extra: wanted.extra }),
  };
  if (user.name === ANONYMOUS.name)
    return groups.includes(UNAUTHENTICATED) ? user : { ...user, groups: [...groups, UNAUTHENTICATED] };
  return groups.includes(UNAUTHENTICATED) ? user : withGroupOfUserTable(user);
}

/** The actions that an impersonation needs: the verb `impersonate` on each attribute of the impersonated user. */
function* impersonatingActions({ user, uid, groups, extra }: Impersonation): Generator<Action> {
  const account = serviceAccountOf(user);
  yield account === undefined
    ? impersonateAction({ resource: 'users', name: user })
    : impersonateAction({ resource: 'serviceaccounts', ...account });
  for (const name of groups) yield impersonateAction({ resource: 'groups', name });
  for (const [subresource, values] of Object.entries(extra))
    for (const name of values)
      yield impersonateAction({ group: AUTHENTICATION, resource: 'userextras', subresource, name });
  if (uid !== '') yield impersonateAction({ group: AUTHENTICATION, resource: 'uids', name: uid });
}

/**
 * The refusal of a user name, worded for the newer, constrained kind of impersonation. Rules of that kind are
 * not evaluated here.
 */
function impersonateConstrained(user: string, request: Action | undefined): Action | undefined {
  if (request === undefined) return undefined;
  const mode =
    serviceAccountOf(user) !== undefined
      ? 'serviceaccount'
      : user.startsWith('system:node:')
        ? 'arbitrary-node'
        : 'user-info';
  return { ...request, verb: `impersonate-on:${mode}:${request.verb}` };
}

const AUTHENTICATION = 'authentication.k8s.io';

const impersonateAction = (part: Partial<Action>): Action => ({
  verb: 'impersonate',
  path: '',
  isResource: true,
  group: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  ...part,
});

/** Unescapes a key. Header names cannot contain a slash; `%2F` stands for it. Invalid escapes stay as they are. */
function unescapeImpersonateKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** The impersonated user as the server prints it in this one message. */
function impersonatedText({ uid, groups, extra }: Impersonation): string {
  const list = (values: readonly string[]): string => `{${values.map((value) => JSON.stringify(value)).join(', ')}}`;
  const extras = Object.entries(extra).map(([key, values]) => `${JSON.stringify(key)}:[]string${list(values)}`);
  const groupsText = groups.length === 0 ? '(nil)' : list(groups);
  const extraText = extras.length === 0 ? '(nil)' : `{${extras.join(', ')}}`;
  return `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:[]string${groupsText}, Extra:map[string][]string${extraText}}`;
}
