import type { OptionSpec } from './invocation.ts';

type Options<Name extends string> = Readonly<Record<Name, OptionSpec>>;

/** Options that select the cluster. */
export const CONNECTION_OPTIONS: Options<'kubeconfig' | 'context' | 'server' | 'token' | 'certificate-authority'> = {
  kubeconfig: { type: 'string', value: 'file', help: 'the kubeconfig to use, instead of KUBECONFIG or ~/.kube/config' },
  context: { type: 'string', value: 'name', help: 'the context of the kubeconfig' },
  server: { type: 'string', short: 's', value: 'url', help: 'the address of the API server' },
  token: { type: 'string', value: 'text', help: 'a bearer token; other users of this machine may see it' },
  'certificate-authority': { type: 'string', value: 'file', help: 'certificates to trust, PEM' },
};

/** Options that select namespaces. */
export const NAMESPACE_OPTIONS: Options<'namespace' | 'all-namespaces'> = {
  namespace: { type: 'string', short: 'n', value: 'name', help: "one namespace; the context's if left out" },
  'all-namespaces': { type: 'boolean', short: 'A', help: 'all namespaces' },
};

/** Options that select objects. */
export const SELECTOR_OPTIONS: Options<'selector' | 'field-selector'> = {
  selector: { type: 'string', short: 'l', value: 'labels', help: "a label selector: 'app=shop,tier in (front,back)'" },
  'field-selector': { type: 'string', value: 'fields', help: "a field selector: 'spec.nodeName=node-1'" },
};

/** Options of commands that print whole objects. */
export const SECRET_OPTIONS: Options<'show-secrets' | 'show-managed-fields'> = {
  'show-secrets': { type: 'boolean', help: 'print the values of Secrets; they are masked otherwise' },
  'show-managed-fields': { type: 'boolean', help: 'print metadata.managedFields as well' },
};

/** Option that serves the inspector page. */
export const UI_OPTION: Options<'ui'> = {
  ui: { type: 'boolean', help: 'serve a page about these informers, on this machine only; the address is printed' },
};

/** Option of commands that start an API server. */
export const FORCE_OPTION: Options<'force'> = {
  force: { type: 'boolean', help: 'start although NODE_ENV is production' },
};

export const HELP_OPTION: Options<'help'> = {
  help: { type: 'boolean', short: 'h', help: 'this text' },
};

export const outputOption = (...choices: readonly string[]): OptionSpec => ({
  type: 'string',
  short: 'o',
  value: choices.join('|'),
  help: `how it is printed; ${choices[0] ?? ''} if left out`,
  choices,
});
