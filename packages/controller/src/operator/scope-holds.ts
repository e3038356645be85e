import type { UserCode } from 'kube-informer';
import type { ControllerScope } from '../front/controller-options.ts';

/** The function `holds` of a user's scope, in a form that can be guarded. */
export function scopeHolds(scope: UserCode<ControllerScope>): ControllerScope['holds'] {
  const given = scope as ControllerScope;
  return (key, object) => given.holds(key, object);
}
