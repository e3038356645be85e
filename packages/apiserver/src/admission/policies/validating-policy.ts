import { type Fields, isFields, nameField, specFields, textField, textsField } from '../../api/kinds/common/fields.ts';
import {
  compileValidatingPolicy,
  policyEvaluationWork,
  type ValidatingPolicy,
  policyVerdict,
} from '../../api/policies/policies.ts';
import type { Refusal } from '../../api/policies/policy-verdict.ts';
import type { Authorizer } from '../../auth/authz/authorize.ts';
import { forbiddenStatusError, StatusError } from '../../core/status-error.ts';
import type { Work } from '../../core/work.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Attributes } from '../../verbs/admission-gate.ts';
import { Configurations } from '../matching/configurations.ts';
import { matchAdmissionToPolicy } from '../matching/admission-match.ts';
import { admissionRequestNamespace } from '../matching/admission-request.ts';
import { type Binding, policyBinding, refusedPolicyBindingName } from './policy-binding.ts';
import { bindingParams, ConfigurationError, paramResource } from './policy-params.ts';
import { RequestValues } from './policy-values.ts';

interface Policy {
  readonly name: string;
  readonly spec: Fields;
  readonly compiled: ValidatingPolicy;
}

interface Denial extends Pick<Refusal, 'message' | 'reason'> {
  readonly policy: string;
  readonly binding: string | undefined;
}

/** ValidatingAdmissionPolicies, with their bindings. */
export class ValidatingPolicies {
  readonly #registry: Registry;
  readonly #authorizer: Authorizer;
  readonly #policies: Configurations<Policy>;
  readonly #bindings: Configurations<Binding>;

  constructor(registry: Registry, authorizer: Authorizer) {
    this.#registry = registry;
    this.#authorizer = authorizer;
    this.#policies = new Configurations(registry, 'validatingadmissionpolicies', (object) => {
      const spec = specFields(object);
      return { name: nameField(object), spec, compiled: compileValidatingPolicy(spec) };
    });
    this.#bindings = new Configurations(registry, 'validatingadmissionpolicybindings', policyBinding);
  }

  /** Throws the first refusal. */
  validate(attributes: Attributes): void {
    const bindings = this.#bindings.all();
    if (bindings.length === 0) return;
    const work = policyEvaluationWork();
    const boundTo = (name: string): Binding[] => bindings.filter(({ policyName }) => policyName === name);
    const [first] = this.#policies
      .all()
      .flatMap((policy) => this.#denials(attributes, policy, boundTo(policy.name), work));
    if (first !== undefined) throw deniedByValidatingPolicy(attributes, first);
  }

  #denials(attributes: Attributes, policy: Policy, bindings: readonly Binding[], work: Work): Denial[] {
    const { name, spec } = policy;
    const as =
      bindings.length === 0
        ? undefined
        : matchAdmissionToPolicy(this.#registry, attributes, validatingPolicyConstraints(spec));
    if (as === undefined) return [];
    const misconfigured = (error: unknown, what: string, binding?: string): Denial[] => {
      if (!(error instanceof ConfigurationError)) throw error;
      if (ignoresValidatingPolicyFailure(policy)) return [];
      return [{ policy: name, binding, message: `failed to configure ${what}: ${error.message}`, reason: '' }];
    };
    try {
      const params = paramResource(this.#registry, spec);
      const values = new RequestValues(this.#registry, this.#authorizer, attributes, as);
      return bindings.flatMap((binding) => {
        try {
          if (!this.#isBound(attributes, binding)) return [];
          return bindingParams(params, binding.spec, admissionRequestNamespace(attributes)).flatMap((one) =>
            validatingPolicyDenials(attributes, policy, binding, values.withParams(one), work),
          );
        } catch (error) {
          return misconfigured(error, 'binding', binding.name);
        }
      });
    } catch (error) {
      return misconfigured(error, 'policy');
    }
  }

  #isBound(attributes: Attributes, { spec }: Binding): boolean {
    const resources = spec['matchResources'];
    return !isFields(resources) || matchAdmissionToPolicy(this.#registry, attributes, resources) !== undefined;
  }
}

const validatingPolicyConstraints = (spec: Fields): Fields =>
  isFields(spec['matchConstraints']) ? spec['matchConstraints'] : {};

const ignoresValidatingPolicyFailure = ({ spec }: Policy): boolean => textField(spec, 'failurePolicy') === 'Ignore';

/**
 * Reasons for which one binding, with one set of parameters, denies a request. If it only warns, the warnings
 * are sent.
 */
function validatingPolicyDenials(
  { target }: Attributes,
  policy: Policy,
  binding: Binding,
  values: Parameters<typeof policyVerdict>[1],
  work: Work,
): Denial[] {
  const actions = textsField(binding.spec, 'validationActions');
  const refusals = policyVerdict(policy.compiled, values, work, ignoresValidatingPolicyFailure(policy));
  return refusals.flatMap(({ message, reason, isFinal }) => {
    if (actions.includes('Warn') && isFinal !== true)
      target.warn(
        `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`,
      );
    const isDenied = actions.includes('Deny') || isFinal === true;
    return isDenied ? [{ policy: policy.name, binding: binding.name, message, reason }] : [];
  });
}

const CODES: ReadonlyMap<string, number> = new Map(Object.entries({
  Unauthorized: 401, Forbidden: 403, RequestEntityTooLarge: 413, Invalid: 422,
})); // prettier-ignore

function deniedByValidatingPolicy(
  attributes: Attributes,
  { policy, binding, message, reason: given }: Denial,
): StatusError {
  const by = binding === undefined ? '' : ` with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`;
  const reason = given === '' ? 'Invalid' : given;
  const { status } = forbiddenStatusError(
    attributes.target.served.resource,
    refusedPolicyBindingName(attributes),
    text,
    [{ message: text }],
  );
  return new StatusError({ ...status, reason, code: CODES.get(reason) ?? 422 });
}
