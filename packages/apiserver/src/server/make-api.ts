import { defined, type Env } from 'kube-informer/core';
import { LazyAdmission } from '../admission/gate.ts';
import type { WebhookOptions } from '../admission/webhooks/webhook-address.ts';
import type { Authorizer } from '../auth/authz/authorize.ts';
import { kindContext } from '../registry/kind-context.ts';
import { Registry } from '../registry/registry.ts';
import { serveBuiltinResource } from '../registry/serve-resource.ts';
import type { HistoryLimits } from '../storage/store/stored-history.ts';
import { Store } from '../storage/store/stored-objects.ts';
import type { Api } from '../verbs/api-context.ts';

/** The options of a server that its verbs need. */
export interface ApiOptions {
  readonly history?: HistoryLimits;
  readonly managedFields?: boolean;
  readonly webhooks?: WebhookOptions;
}

/** The server in the form that verbs use, with admission that can be opened. */
export interface ServerApi extends Api {
  readonly admission: LazyAdmission;
}

/** Makes the store, the registry of built-in kinds and admission. */
export function makeApi(
  env: Env,
  authorizer: () => Authorizer,
  { history, managedFields = true, webhooks }: ApiOptions,
): ServerApi {
  const store = new Store(defined({ history }));
  const registry = new Registry();
  const admission = new LazyAdmission({ env, registry, authorizer, webhooks });
  for (const served of serveBuiltinResource(store)) registry.add(served);
  return {
    env,
    store,
    registry,
    kindContext: kindContext(env, registry),
    tracksManagers: managedFields,
    admission,
  };
}
