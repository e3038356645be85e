import type { Library } from '../../cel/check/environment.ts';
import { Environment, LIBRARIES } from '../../cel/expression.ts';
import { authorizerLibrary } from './library/authorizer.ts';
import { formats } from './library/rule-formats.ts';
import { ip } from './library/rule-ip.ts';
import { lists } from './library/rule-lists.ts';
import { quantity } from './library/rule-quantity.ts';
import { regex } from './library/rule-regex.ts';
import { semver } from './library/rule-semver.ts';
import { urls } from './library/rule-url.ts';

/**
 * The language's own libraries and those of Kubernetes. Rules can use the functions of the authorizer, but
 * have no authorizer.
 */
export const KUBERNETES_LIBRARIES: readonly Library[] = [
  ...LIBRARIES, regex, lists, urls, quantity, ip, formats, semver, authorizerLibrary,
]; // prettier-ignore

/** The libraries that rules may use. */
export const ruleEnvironment: Environment = new Environment(KUBERNETES_LIBRARIES);
