import { KubeError, requireOption } from '../../core/errors.ts';
import { splitKey } from '../../core/object/key.ts';
import type { ApiResource } from './discovery-documents.ts';
import type { Discovery, LookupOptions } from './discovery.ts';
import { checkTarget, resourcePath } from '../request/url.ts';

type Address = Pick<ApiResource, 'group' | 'version' | 'resource'>;

/**
 * Where the objects of one resource are.
 *
 * A full name (`apps/v1/deployments`) is its own address: nothing is asked, so that an informer needs no discovery and a
 * server that is down is told by the request itself. Any other name, and whether a bare name needs the default namespace,
 * is looked up. Whatever the caller brings is checked before the first request.
 *
 * Room rule: names and paths; sends nothing itself.
 */
export class ResourceLocator {
  readonly name: string;
  readonly #discovery: Discovery;
  readonly #defaultNamespace: string;
  readonly #address: Address | undefined;

  constructor(name: string, discovery: Discovery, defaultNamespace: string) {
    this.name = name;
    this.#discovery = discovery;
    this.#defaultNamespace = defaultNamespace;
    this.#address = fullAddress(name);
  }

  /** An empty namespace means all of them. */
  async collection(namespace: string, options: LookupOptions): Promise<string> {
    checkTarget({ namespace });
    const address = await this.#where(options);
    await this.#refuseNamespace(namespace, options);
    return resourcePath({ ...address, namespace });
  }

  /** One namespace, or the cluster: where objects are made. A missing namespace is the default one. */
  async home(namespace: string | undefined, options: LookupOptions): Promise<string> {
    checkTarget({ namespace });
    return this.collection(await this.#in(namespace, options), options);
  }

  /** As `home`, for who must say which namespace is meant. */
  async chosenHome(namespace: string | undefined, options: LookupOptions): Promise<string> {
    if (!namespace && (await this.#isNamespaced(options))) {
      throw new KubeError('INVALID_OPTION', `namespace: expected one, ${this.name} have no other collection`);
    }
    return this.collection(namespace ?? '', options);
  }

  /** `namespace/name`, or `name` in the default namespace or of a cluster-scoped resource. */
  async object(key: string, options: LookupOptions, subresource?: string): Promise<string> {
    requireOption(typeof key === 'string', 'key', 'namespace/name or name', key);
    const { namespace, name } = splitKey(key);
    if (key.startsWith('/')) throw new KubeError('INVALID_KEY', 'key: expected a namespace before the slash');
    checkTarget({ namespace, name, subresource });
    const own = await this.#in(namespace, options);
    const address = await this.#where(options);
    await this.#refuseNamespace(own, options);
    return resourcePath({ ...address, namespace: own, name, subresource });
  }

  /** Whether the address comes from the server's own list, and may have changed since. */
  get isLookedUp(): boolean {
    return this.#address === undefined;
  }

  /** The server says there is no such thing: what was looked up may be out of date. */
  forget(): void {
    this.#discovery.refresh();
  }

  async #where(options: LookupOptions): Promise<Address> {
    return this.#address ?? (await this.#discovery.find(this.name, options));
  }

  async #in(namespace: string | undefined, options: LookupOptions): Promise<string> {
    if (namespace) return namespace;
    return (await this.#isNamespaced(options)) ? this.#defaultNamespace : '';
  }

  async #isNamespaced(options: LookupOptions): Promise<boolean> {
    const known = this.#discovery.peek(this.name) ?? (await this.builtIn());
    return (known ?? (await this.#discovery.find(this.name, options))).namespaced;
  }

  /** Of what every cluster has nobody needs to be asked: not everybody may read the server's list. */
  async builtIn(): Promise<Pick<ApiResource, 'group' | 'version' | 'kind' | 'namespaced'> | undefined> {
    const address = this.#address;
    if (address === undefined) return undefined;
    const { kinds } = await import('@kube-informer/kubernetes/kinds');
    const { group, version, resource } = address;
    return kinds.find((kind) => kind.resource === resource && kind.group === group && kind.version === version);
  }

  /** Only when it is known already: else the server says it. Asked once more before: a custom resource can change its scope. */
  async #refuseNamespace(namespace: string, options: LookupOptions): Promise<void> {
    if (namespace === '' || this.#discovery.peek(this.name)?.namespaced !== false) return;
    this.#discovery.refresh();
    if ((await this.#discovery.find(this.name, options)).namespaced) return;
    throw new KubeError('INVALID_OPTION', `namespace: expected none, ${this.name} are cluster-scoped`);
  }
}

/** `v1/pods` and `apps/v1/deployments`; a capital letter makes it a kind, which only the server can translate. */
function fullAddress(name: string): Address | undefined {
  const parts = typeof name === 'string' ? name.split('/') : [];
  const [resource = '', version = '', group = ''] = parts.toReversed();
  const isName = name !== '' && parts.length >= 1 && parts.length <= 3;
  requireOption(isName, 'resource', 'version/plural, group/version/plural or a kind', name);
  if (parts.length === 1 || /[A-Z]/.test(resource)) return undefined;
  resourcePath({ group, version, resource }); // a mistake is told to the one who made it
  return { group, version, resource };
}
