import type { OptionSpec } from './invocation.ts';

type Options<Name extends string> = Readonly<Record<Name, OptionSpec>>;

/** Options that select the cluster. */
export const CONNECTION_OPTIONS: Options<
  | 'kubeconfig'
  | 'context'
  | 'server'
  | 'token'
  | 'certificate-authority'
  | 'insecure-skip-tls-verify'
  | 'as'
  | 'as-group'
  | 'exec-policy'
> = {
  kubeconfig: { type: 'string', value: 'file', help: 'kubeconfig file; default: KUBECONFIG or ~/.kube/config' },
  context: { type: 'string', value: 'name', help: 'context of the kubeconfig; default: the current one' },
  server: {
    type: 'string',
    short: 's',
    value: 'url',
    help: 'URL of the API server; without --context or --kubeconfig, no kubeconfig is read',
  },
  token: {
    type: 'string',
    value: 'text',
    help: 'bearer token; other users of this machine may see it in the process list',
  },
  'certificate-authority': { type: 'string', value: 'file', help: 'file with CA certificates, PEM' },
  'insecure-skip-tls-verify': {
    type: 'boolean',
    help: "do not verify the server's certificate: anyone on the network path can read and change the traffic",
  },
  as: { type: 'string', value: 'user', help: 'act as this user (impersonation)' },
  'as-group': {
    type: 'string',
    multiple: true,
    value: 'group',
    help: 'act as a member of this group; may be repeated',
  },
  'exec-policy': {
    type: 'string',
    value: 'allow|deny|programs',
    help: 'credential plugins of the kubeconfig that may run: allow, deny, or names and paths with commas; default: allow',
  },
};

/** Options that select namespaces. */
export const NAMESPACE_OPTIONS: Options<'namespace' | 'all-namespaces'> = {
  namespace: { type: 'string', short: 'n', value: 'name', help: "namespace; default: the context's" },
  'all-namespaces': { type: 'boolean', short: 'A', help: 'select all namespaces' },
};

/** Options that select objects. */
export const SELECTOR_OPTIONS: Options<'selector' | 'field-selector'> = {
  selector: { type: 'string', short: 'l', value: 'labels', help: "label selector: 'app=shop,tier in (front,back)'" },
  'field-selector': { type: 'string', value: 'fields', help: "field selector: 'spec.nodeName=node-1'" },
};

/** Options of commands that print whole objects. */
export const SECRET_OPTIONS: Options<'show-secrets' | 'show-managed-fields'> = {
  'show-secrets': { type: 'boolean', help: 'print Secrets and credentials instead of masking them' },
  'show-managed-fields': { type: 'boolean', help: 'print metadata.managedFields' },
};

/** Option that serves the inspector page. */
export const UI_OPTION: Options<'ui'> = {
  ui: { type: 'boolean', help: 'serve a web page about the informers, on localhost; prints its address' },
};

/** Option of commands that start an API server. */
export const FORCE_OPTION: Options<'force'> = {
  force: { type: 'boolean', help: 'start even if NODE_ENV is production' },
};

/** Options of tables and other output of objects. */
export const TABLE_OPTIONS: Options<'sort-by' | 'show-labels'> = {
  'sort-by': { type: 'string', value: 'path', help: "sort by a field: '.metadata.creationTimestamp', '.status.phase'" },
  'show-labels': { type: 'boolean', help: 'add a column with the labels' },
};

export const HELP_OPTION: Options<'help'> = {
  help: { type: 'boolean', short: 'h', help: 'print this help' },
};

/** The option `--output` with these choices. A choice that ends with `=` takes a value: `jsonpath={.metadata.name}`. */
export const outputOptionOfCommand = (...choices: readonly string[]): OptionSpec => ({
  type: 'string',
  short: 'o',
  value: choices.map((choice) => (choice.endsWith('=') ? `${choice}…` : choice)).join('|'),
  help: `output format; default: ${choices[0] ?? ''}`,
  choices,
});
