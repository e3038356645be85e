import type { ApiResource, Client } from 'kube-informer/client';
import { type Invocation, quoteInvocationWord, invocationError } from '../arguments/invocation.ts';
import { type Safe } from '../text/safe.ts';
import { escapeText } from '../text/escape.ts';

/** The resource a command works on, and the selection of its objects. */
export interface Target {
  readonly resource: ApiResource;
  /** Full name, such as `apps/v1/deployments`. */
  readonly name: string;
  /** Empty for all namespaces and for cluster-scoped resources. */
  readonly namespace: string;
  readonly labels: string;
  readonly fields: string;
  /** `pods in all namespaces`, for output. */
  readonly title: string;
}

export const targetFullName = ({ group, version, resource }: ApiResource): string =>
  `${group === '' ? '' : `${group}/`}${version}/${resource}`;

/** `pod`, `deployment.apps`: the part before the slash in `pod/web`. */
export const targetKindName = ({ group, singular, kind }: ApiResource): Safe =>
  escapeText(`${singular || kind.toLowerCase()}${group === '' ? '' : `.${group}`}`);

/** Resolves names such as `po`, `deploy`, `deployments.apps`, `v1/pods` or `Widget`. */
export async function findTarget(
  client: Client,
  word: string,
  invocation: Invocation,
  { signal, allByDefault = false }: { readonly signal: AbortSignal; readonly allByDefault?: boolean },
): Promise<Target> {
  const resource = await findTargetResource(client, word, signal);
  const one = invocation.text('namespace');
  const all = invocation.has('all-namespaces');
  if (one !== undefined && all) throw invocationError('--namespace and --all-namespaces cannot be used together');
  const chosen = all || (allByDefault && one === undefined) ? '' : (one ?? client.connection.namespace);
  const namespace = resource.namespaced ? chosen : '';
  const labels = invocation.text('selector') ?? '';
  const fields = invocation.text('field-selector') ?? '';
  const where = resource.namespaced ? ` in ${namespace === '' ? 'all namespaces' : namespace}` : '';
  const which = [labels, fields].filter((text) => text !== '').join('; ');
  const title = `${resource.resource}${where}${which === '' ? '' : ` (${which})`}`;
  return { resource, name: targetFullName(resource), namespace, labels, fields, title };
}

export async function findTargetResource(client: Client, word: string, signal: AbortSignal): Promise<ApiResource> {
  if (word.includes(','))
    throw invocationError(
      `expected one resource, got ${quoteInvocationWord(word)}: get, watch and top take several, other commands one`,
    );
  if (isObjectTarget(word))
    throw invocationError(
      `expected a resource, got the object ${quoteInvocationWord(word)}: use get or diff for a single object`,
    );
  const found = await client.discovery.find(targetSpelling(word), { signal });
  if (found.verbs.includes('list') && found.verbs.includes('watch')) return found;
  throw invocationError(`${quoteInvocationWord(targetFullName(found))} does not support list and watch`);
}

/** The resources of `pods,services`, each once, for commands that take several. */
export async function findTargets(
  client: Client,
  word: string,
  invocation: Invocation,
  { signal }: { readonly signal: AbortSignal },
): Promise<readonly Target[]> {
  const found = new Map<string, Target>();
  for (const one of targetWords(word)) {
    const target = await findTarget(client, one, invocation, { signal });
    found.set(target.name, target);
  }
  return [...found.values()];
}

/** The words between commas: `pods` and `services` for `pods,services`. */
export function targetWords(word: string): readonly string[] {
  const words = word.split(',').filter((one) => one !== '');
  return words.length === 0 ? [word] : words;
}

/** Whether the word has the form `pod/web`. `v1/pods`, which starts with a version, is a resource. */
export const isObjectTarget = (word: string): boolean => /^(?!v\d)[^/]*\/[^/]*$/.test(word);

/** Lower-cases `Pods` and `PODS`; kinds such as `ReplicaSet` keep their capitals. */
function targetSpelling(word: string): string {
  return /^[A-Z]+$/.test(word) || /^[A-Z][a-z]+s$/.test(word) ? word.toLowerCase() : word;
}
