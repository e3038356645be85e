import type { Env } from 'kube-informer/core';
import type { Authorizer } from '../auth/authz/authorize.ts';
import { loadPolicies } from '../api/policies/load-policies.ts';
import type { ApiObject } from '../core/kube-object.ts';
import { internalStatusError } from '../core/status-error.ts';
import type { Registry } from '../registry/registry.ts';
import type { AdmissionGate, Attributes } from '../verbs/admission-gate.ts';
import type { Steps } from '../verbs/steps.ts';
import type { AdmissionChain } from './chain.ts';
import { isEscalationAllowed, refuseEscalation } from './escalation.ts';
import { type AdmissionHook, type AdmissionOptions, InProcessHooks } from './webhooks/in-process-webhook.ts';
import type { WebhookOptions } from './webhooks/webhook-address.ts';
import { CONFIGURATION_GROUP, configurationCollection, type ConfigurationResource } from './matching/configurations.ts';

const MUTATING: readonly ConfigurationResource[] = ['mutatingadmissionpolicybindings', 'mutatingwebhookconfigurations'];
const VALIDATING: readonly ConfigurationResource[] = [
  'validatingadmissionpolicybindings',
  'validatingwebhookconfigurations',
];

export interface AdmissionParts {
  readonly env: Env;
  readonly registry: Registry;
  readonly authorizer: () => Authorizer;
  readonly webhooks?: WebhookOptions | undefined;
}

/**
 * Passes every write through policies and webhooks. As long as there are none, nothing is loaded and writes
 * take no extra time.
 */
export class LazyAdmission implements AdmissionGate {
  readonly #parts: AdmissionParts;
  readonly #registry: Registry;
  /** Functions of this process that act as webhooks. */
  #hooks: InProcessHooks | undefined;
  #chain: AdmissionChain | undefined;
  #isOpen = false;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
    this.#registry = parts.registry;
  }

  /** Adds a function that acts as a webhook. */
  add(options: AdmissionOptions): AdmissionHook {
    const hook = this.#ownHooks().add(options);
    void this.load();
    return hook;
  }

  /**
   * Starts admission; writes during the start of a server are not admitted. Stored configurations load what later
   * writes need.
   */
  async open(): Promise<void> {
    this.#isOpen = true;
    for (const resource of [...MUTATING, ...VALIDATING])
      configurationCollection(this.#registry, resource)?.listen(() => void this.load());
    await this.load();
  }

  *mutate(attributes: Attributes): Steps<ApiObject | undefined> {
    const object = this.#has(MUTATING) ? yield* this.#loaded().mutate(attributes) : attributes.object;
    if (isEscalationAllowed(attributes))
      refuseEscalation(this.#registry, this.#parts.authorizer(), { ...attributes, object });
    return object;
  }

  *validate(attributes: Attributes): Steps<void> {
    if (this.#has(VALIDATING)) yield* this.#loaded().validate(attributes);
  }

  /**
   * Loads the modules that a write needs: because policies or webhooks exist, or because the write is one,
   * which must be validated.
   */
  load(group?: string): Promise<void> | undefined {
    const isNeeded = group === CONFIGURATION_GROUP || this.#has([...MUTATING, ...VALIDATING]);
    return this.#chain !== undefined || !isNeeded ? undefined : this.#load();
  }

  async #load(): Promise<void> {
    const [{ AdmissionChain: Chain }, { WebhookCaller }] = await Promise.all([
      import('./chain.ts'),
      import('./webhooks/call-webhook.ts'),
      loadPolicies(),
    ]);
    const { env, registry, authorizer, webhooks = {} } = this.#parts;
    const hooks = this.#ownHooks();
    const caller = new WebhookCaller(env, webhooks, hooks);
    this.#chain ??= new Chain({ env, registry, authorizer: authorizer(), caller, hooks });
  }

  #has(resources: readonly ConfigurationResource[]): boolean {
    return (
      this.#isOpen &&
      ((this.#hooks?.size ?? 0) > 0 ||
        resources.some((resource) => (configurationCollection(this.#registry, resource)?.size ?? 0) > 0))
    );
  }

  #ownHooks(): InProcessHooks {
    return (this.#hooks ??= new InProcessHooks());
  }

  #loaded(): AdmissionChain {
    if (this.#chain === undefined)
      throw internalStatusError(
        'policies and webhooks are not loaded yet: write the object over HTTP, or in a later turn of the event loop',
      );
    return this.#chain;
  }
}
