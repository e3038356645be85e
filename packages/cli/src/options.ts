import type { OptionSpec } from './arguments.ts';

/** How a cluster is found. */
export const CONNECTION_OPTIONS = {
  kubeconfig: { type: 'string', value: 'file', help: 'the kubeconfig to use, instead of KUBECONFIG or ~/.kube/config' },
  context: { type: 'string', value: 'name', help: 'the context of the kubeconfig' },
  server: { type: 'string', short: 's', value: 'url', help: 'the address of the API server' },
  token: { type: 'string', value: 'text', help: 'a bearer token; other users of this machine may see it' },
  'certificate-authority': { type: 'string', value: 'file', help: 'certificates to trust, PEM' },
} as const satisfies Record<string, OptionSpec>;

/** Which namespaces are meant. */
export const NAMESPACE_OPTIONS = {
  namespace: { type: 'string', short: 'n', value: 'name', help: "one namespace; the context's if left out" },
  'all-namespaces': { type: 'boolean', short: 'A', help: 'all namespaces' },
} as const satisfies Record<string, OptionSpec>;

/** Which objects are meant. */
export const SELECTOR_OPTIONS = {
  selector: { type: 'string', short: 'l', value: 'labels', help: "a label selector: 'app=shop,tier in (front,back)'" },
  'field-selector': { type: 'string', value: 'fields', help: "a field selector: 'spec.nodeName=node-1'" },
} as const satisfies Record<string, OptionSpec>;

/** Of commands that print whole objects. */
export const SECRET_OPTIONS = {
  'show-secrets': { type: 'boolean', help: 'print the values of Secrets; they are masked otherwise' },
  'show-managed-fields': { type: 'boolean', help: 'print metadata.managedFields as well' },
} as const satisfies Record<string, OptionSpec>;

export const HELP_OPTION = {
  help: { type: 'boolean', short: 'h', help: 'this text' },
} as const satisfies Record<string, OptionSpec>;

export const outputOption = (...choices: readonly string[]): OptionSpec => ({
  type: 'string',
  short: 'o',
  value: choices.join('|'),
  help: `how it is printed; ${choices[0] ?? ''} if left out`,
  choices,
});
