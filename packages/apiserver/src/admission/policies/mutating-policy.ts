import { mergeApplied } from '../../api/apply/structured-merge/merge-applied.ts';
import { schemaMergeType, mergeTypeOfField, type MergeType } from '../../api/apply/structured-merge/merge-type.ts';
import { objectSchemaType } from '../../api/apply/structured-merge/schema-type.ts';
import { typeCheckError } from '../../api/apply/structured-merge/check-type.ts';
import { FailedPatchTest } from '../../api/patch/cannot-apply.ts';
import { jsonPatch } from '../../api/patch/json-patch.ts';
import { type Fields, isFields, nameField, specFields, textField } from '../../api/kinds/common/fields.ts';
import {
  compilePolicyMutations, mutationOfPolicyVerdict, policyEvaluationWork, jsonOfMutation, policyVerdictApplies, misnamedMutationType, type Mutation, type MutatingPolicy,
} from '../../api/policies/policies.ts'; // prettier-ignore
import type { Authorizer } from '../../auth/authz/authorize.ts';
import type { Value } from '../../cel/values/cel-value.ts';
import { isJson, isSameJson, type Json, type JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { forbiddenStatusError, StatusError } from '../../core/status-error.ts';
import type { EvaluationInput } from '../../api/policies/evaluation.ts';
import type { Work } from '../../core/work.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Attributes } from '../../verbs/admission-gate.ts';
import { decodeKnownRequestFields } from '../../verbs/request/decode-request.ts';
import { Configurations } from '../matching/configurations.ts';
import { matchAdmissionToPolicy } from '../matching/admission-match.ts';
import type { Reinvocation } from '../matching/reinvocation.ts';
import { admissionRequestNamespace, type Version } from '../matching/admission-request.ts';
import { type Binding, policyBinding, refusedPolicyBindingName } from './policy-binding.ts';
import { bindingParams, ConfigurationError, paramResource } from './policy-params.ts';
import { RequestValues } from './policy-values.ts';

interface Policy {
  readonly name: string;
  readonly spec: Fields;
  readonly compiled: MutatingPolicy;
}

/** A policy that is applied with one binding and one parameter. */
interface Invocation {
  readonly policy: Policy;
  readonly binding: Binding;
  readonly params: ApiObject | undefined;
  readonly as: Version;
}

/** The reason that a policy cannot be applied; its failure policy decides about the request. */
interface PolicyError {
  readonly policy: Policy;
  readonly binding: Binding | undefined;
  readonly message: string;
  readonly reason: string;
}

/** MutatingAdmissionPolicies, with their bindings. */
export class MutatingPolicies {
  readonly #registry: Registry;
  readonly #authorizer: Authorizer;
  readonly #policies: Configurations<Policy>;
  readonly #bindings: Configurations<Binding>;

  constructor(registry: Registry, authorizer: Authorizer) {
    this.#registry = registry;
    this.#authorizer = authorizer;
    this.#policies = new Configurations(registry, 'mutatingadmissionpolicies', (object) => {
      const spec = specFields(object);
      return { name: nameField(object), spec, compiled: compilePolicyMutations(spec) };
    });
    this.#bindings = new Configurations(registry, 'mutatingadmissionpolicybindings', policyBinding);
  }

  /** The object after all policies; each sees what those before it changed. Throws a refusal. */
  mutate(attributes: Attributes, again: Reinvocation): ApiObject | undefined {
    const bindings = this.#bindings.all();
    if (bindings.length === 0 || attributes.object === undefined) return attributes.object;
    const errors: PolicyError[] = [];
    const invocations = this.#policies
      .all()
      .flatMap((policy) => this.#invocations(attributes, policy, bindings, errors));
    again.begin(attributes.object);
    const work = policyEvaluationWork();
    let { object } = attributes;
    for (const invocation of invocations) {
      const next = this.#invoke({ ...attributes, object }, { ...invocation, work }, again, errors);
      if (!isSameJson(next, object)) again.changed();
      object = next;
    }
    again.end(object);
    const counted = errors.filter(({ policy }) => textField(policy.spec, 'failurePolicy') !== 'Ignore');
    if (counted.length > 0) throw mutatingPolicyRefusal(attributes, counted);
    return object;
  }

  #invocations(
    attributes: Attributes,
    policy: Policy,
    bindings: readonly Binding[],
    errors: PolicyError[],
  ): Invocation[] {
    const own = bindings.filter(({ policyName }) => policyName === policy.name);
    const { spec } = policy;
    const constraints = isFields(spec['matchConstraints']) ? spec['matchConstraints'] : {};
    const as = own.length === 0 ? undefined : matchAdmissionToPolicy(this.#registry, attributes, constraints);
    if (as === undefined) return [];
    const attempt = <T>(what: string, binding: Binding | undefined, run: () => readonly T[]): readonly T[] => {
      try {
        return run();
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error;
        errors.push({ policy, binding, message: `failed to configure ${what}: ${error.message}`, reason: '' });
        return [];
      }
    };
    return attempt('policy', undefined, () => {
      const params = paramResource(this.#registry, spec);
      return own.flatMap((binding) =>
        attempt('binding', binding, () => {
          const resources = binding.spec['matchResources'];
          if (isFields(resources) && matchAdmissionToPolicy(this.#registry, attributes, resources) === undefined)
            return [];
          return bindingParams(params, binding.spec, admissionRequestNamespace(attributes)).map((one) => ({
            policy, binding, params: one, as,
          })); // prettier-ignore
        }),
      );
    }) as Invocation[];
  }

  #invoke(
    attributes: Attributes,
    invocation: Invocation & { readonly work: Work },
    again: Reinvocation,
    errors: PolicyError[],
  ): ApiObject {
    const { policy, binding, params, as, work } = invocation;
    const input = (object: ApiObject): EvaluationInput => ({
      values: new RequestValues(this.#registry, this.#authorizer, { ...attributes, object }, as).withParams(params).all,
      work,
    });
    let object = attributes.object as ApiObject;
    const failed = (message: string): void => void errors.push({ policy, binding, message, reason: 'Invalid' });
    const met = policyVerdictApplies(policy.compiled.matchConditions, input(object));
    if (typeof met === 'object') failed(met.error);
    const id = `${policy.name}/${binding.name}/${params?.metadata?.namespace}/${params?.metadata?.name}`;
    if (met !== true || again.skips(id)) return object;
    for (const mutation of policy.compiled.mutations) {
      const result = mutationOfPolicyVerdict(mutation, policy.compiled.variables, input(object));
      if ('error' in result) failed(result.error);
      else {
        const next = this.#mutated({ ...attributes, object }, as, mutation, result.value);
        if ('error' in next) failed(next.error);
        else ({ object } = next);
      }
    }
    if (textField(policy.spec, 'reinvocationPolicy') === 'IfNeeded') again.called(id);
    return object;
  }

  #mutated(
    { object, kind, target }: Attributes,
    as: Version,
    { type }: Mutation,
    value: Value,
  ): { readonly object: ApiObject } | { readonly error: string } {
    const before = object as ApiObject;
    const shown = (as.convert?.(before) ?? kind.named(before)) as JsonObject;
    const { schema } = (as.served ?? kind).resource;
    const changed =
      type === 'JSONPatch'
        ? applyMutatingPolicyPatch(shown, value)
        : mergeByMutatingPolicy(shown, value, objectSchemaType(schema));
    if ('error' in changed) return changed;
    const next = (as.restore?.(changed.object as ApiObject) ?? changed.object) as ApiObject;
    const options = { registry: this.#registry, served: kind, fieldValidation: 'Ignore', warn: target.warn } as const;
    const known = decodeKnownRequestFields(
      kind.named(next),
      options,
      [],
      (all) => new StatusError({ ...INTERNAL, message: all.join() }),
    );
    if (kind === (target.served as unknown)) target.served.strategy.applyDefaults(known);
    return { object: known };
  }
}

const INTERNAL = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 500 } as const;

type Changed = { readonly object: JsonObject } | { readonly error: string };

/** Applies the patch of a policy. If a `test` fails, the object stays as it is. */
function applyMutatingPolicyPatch(object: JsonObject, value: Value): Changed {
  const operations = jsonOfMutation(value);
  const patch = (Array.isArray(operations) ? operations : []).filter(isJson);
  try {
    return { object: jsonPatch(object, patch) };
  } catch (error) {
    if (error instanceof FailedPatchTest) return { object };
    return { error: `JSON Patch: ${(error as Error).message}` };
  }
}

function mergeByMutatingPolicy(object: JsonObject, value: Value, type: MergeType): Changed {
  const misnamed = misnamedMutationType(value);
  if (misnamed !== undefined) return { error: `type mismatch: ${misnamed}` };
  const applied: JsonObject = {
    ...(jsonOfMutation(value) as JsonObject),
    apiVersion: object['apiVersion'] as Json,
    kind: object['kind'] as Json,
  };
  const fault = typeCheckError(applied, type, { allowDuplicates: false });
  if (fault !== undefined)
    return { error: `error applying patch: failed to convert patch object to typed object: ${fault}` };
  const atomics = atomicPartsOfMutatingPolicy(applied, type, '');
  if (atomics.length > 0)
    return {
      error: `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`,
    };
  return { object: mergeApplied(object, applied, type) };
}

/** Paths of the lists and maps in a value that can only be replaced as a whole. */
function atomicPartsOfMutatingPolicy(value: Json, type: MergeType, path: string): string[] {
  const form = schemaMergeType(type, value);
  if (form === 'map' && isJson(value) && type.map !== undefined) {
    const { map } = type;
    return [
      ...(map.isAtomic ? [path] : []),
      ...Object.entries(value).flatMap(([name, field]) => {
        const below = mergeTypeOfField(map, name);
        return below === undefined ? [] : atomicPartsOfMutatingPolicy(field, below, `${path}.${name}`);
      }),
    ];
  }
  if (form !== 'list' || !Array.isArray(value) || type.list === undefined) return [];
  const { list } = type;
  return [
    ...(list.kind === 'atomic' ? [path] : []),
    ...value.flatMap((item, index) => atomicPartsOfMutatingPolicy(item, list.items, `${path}[${index}]`)),
  ];
}

/** The first error gives the message and the reason, all of them are causes; the code is always 403. */
function mutatingPolicyRefusal(attributes: Attributes, errors: readonly PolicyError[]): StatusError {
  const texts = errors.map(({ policy, binding, message }) =>
    binding === undefined
      ? `policy ${JSON.stringify(policy.name)} denied request: ${message}`
      : `policy '${policy.name}' with binding '${binding.name}' denied request: ${message}`,
  );
  const causes = texts.map((message) => ({ message }));
  const { status } = forbiddenStatusError(
    attributes.target.served.resource,
    refusedPolicyBindingName(attributes),
    '',
    causes,
  );
  const [first] = errors;
  const reason = first?.reason || 'Forbidden';
  return new StatusError({ ...status, message: texts[0] ?? '', reason });
}
