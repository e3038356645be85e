import { Environment, LIBRARIES } from '../../cel/expression.ts';
import { formats } from './library/formats.ts';
import { ip } from './library/ip.ts';
import { lists } from './library/lists.ts';
import { quantity } from './library/quantity.ts';
import { regex } from './library/regex.ts';
import { semver } from './library/semver.ts';
import { urls } from './library/url.ts';

/** What rules may use: the language's own libraries and those of Kubernetes, without the authorizer, which rules do not get. */
export const ruleEnvironment: Environment = new Environment([
  ...LIBRARIES, regex, lists, urls, quantity, ip, formats, semver,
]); // prettier-ignore
