import type { UserCode } from 'kube-informer';
import type { ControllerScope } from '../front/controller-options.ts';

/** `holds` of a user's scope, for a guard. */
export function scopeHolds(scope: UserCode<ControllerScope>): ControllerScope['holds'] {
  const given = scope as ControllerScope;
  return (key, object) => given.holds(key, object);
}
