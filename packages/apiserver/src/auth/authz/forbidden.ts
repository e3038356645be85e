import { statusError, forbiddenStatusError, type StatusError } from '../../core/status-error.ts';
import type { User } from '../../core/user.ts';
import type { Action } from './authorize.ts';

/** The status 403 for a request that no rule allows. `reason` comes from the authorizer and is often empty. */
export function forbiddenRequest(user: Pick<User, 'name'>, action: Action, reason: string): StatusError {
  const why = `User ${JSON.stringify(user.name)} cannot ${forbiddenActionText(action)}${reason === '' ? '' : `: ${reason}`}`;
  if (!action.isResource) return statusError(403, 'Forbidden', `forbidden: ${why}`, { details: {} });
  return forbiddenStatusError({ group: action.group, resource: action.resource, kind: '' }, action.name, why);
}

function forbiddenActionText({ verb, path, isResource, group, resource, subresource, namespace }: Action): string {
  if (!isResource) return `${verb} path ${JSON.stringify(path)}`;
  const target = JSON.stringify(subresource === '' ? resource : `${resource}/${subresource}`);
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return `${verb} resource ${target} in API group ${JSON.stringify(group)} ${scope}`;
}
