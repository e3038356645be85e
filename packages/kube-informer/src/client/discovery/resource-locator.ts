import { defined } from '../../core/defined.ts';
import { KubeError, requireOption } from '../../core/errors.ts';
import { splitKey } from '../../core/object/key.ts';
import type { TypeRef } from '../../core/object/object.ts';
import type { ApiResource } from './discovery-documents.ts';
import { builtInKinds } from './built-in-kinds.ts';
import type { Discovery, LookupOptions } from './discovery.ts';
import { similarNames } from './similar-names.ts';
import { checkUrl, resourceUrlPath } from '../request/url.ts';

type Address = Pick<ApiResource, 'group' | 'version' | 'resource'>;

/**
 * The paths of one resource and its objects.
 *
 * A full name (`apps/v1/deployments`) needs no discovery, so that an informer sends its list first and sees
 * at once if the server is down. Discovery resolves any other name, and decides whether a name without a
 * namespace belongs to the default one. Names and namespaces are checked before the first request.
 *
 * Room rule: knows names and paths. Discovery sends the requests.
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
    this.#address = parseForResourceLocator(name);
  }

  /** The path of a list. An empty namespace means all namespaces. */
  async collection(namespace: string, options: LookupOptions): Promise<string> {
    checkUrl({ namespace });
    const address = await this.#where(options);
    await this.#refuseNamespace(namespace, options);
    return resourceUrlPath({ ...address, namespace });
  }

  /** The path to create an object at. A missing namespace is the default one. */
  async creation(namespace: string | undefined, options: LookupOptions): Promise<string> {
    checkUrl({ namespace });
    return this.collection(await this.#namespaceOr(namespace, options), options);
  }

  /** The path of one namespace, or of a cluster-scoped resource. Throws INVALID_OPTION when the namespace is missing. */
  async oneCollection(namespace: string | undefined, options: LookupOptions): Promise<string> {
    if (!namespace && (await this.#isNamespaced(options))) {
      throw new KubeError('INVALID_OPTION', `namespace: expected a namespace, ${this.name} are namespaced`);
    }
    return this.collection(namespace ?? '', options);
  }

  /** The path of an object. `key` is `namespace/name`, or `name` (in the default namespace, or cluster-scoped). */
  async object(key: string, options: LookupOptions, subresource?: string): Promise<string> {
    requireOption(typeof key === 'string', 'key', 'namespace/name or name', key);
    const { namespace, name } = splitKey(key);
    if (key.startsWith('/')) throw new KubeError('INVALID_KEY', 'key: expected a namespace before the slash');
    checkUrl({ namespace, name, subresource });
    const own = await this.#namespaceOr(namespace, options);
    const address = await this.#where(options);
    await this.#refuseNamespace(own, options);
    return resourceUrlPath({ ...address, namespace: own, name, subresource });
  }

  /** True when it is known, without a request, that its objects are in namespaces. */
  async isKnownNamespaced(): Promise<boolean> {
    return (this.#discovery.peek(this.name) ?? (await this.builtIn()))?.namespaced === true;
  }

  /** Built-in resources that may be meant by a full name the server does not know. Sends no request. */
  async similar(): Promise<readonly string[]> {
    if (this.#address === undefined || (await this.builtIn()) !== undefined) return [];
    return similarNames(this.name, await builtInKinds());
  }

  /** True when the path comes from discovery and may be out of date. */
  get isLookedUp(): boolean {
    return this.#address === undefined;
  }

  /** Empties the discovery cache, after a 404. */
  forget(): void {
    this.#discovery.refresh();
  }

  async #where(options: LookupOptions): Promise<Address> {
    return this.#address ?? (await this.#discovery.find(this.name, options));
  }

  async #namespaceOr(namespace: string | undefined, options: LookupOptions): Promise<string> {
    if (namespace) return namespace;
    return (await this.#isNamespaced(options)) ? this.#defaultNamespace : '';
  }

  async #isNamespaced(options: LookupOptions): Promise<boolean> {
    const known = this.#discovery.peek(this.name) ?? (await this.builtIn());
    return (known ?? (await this.#discovery.find(this.name, options))).namespaced;
  }

  /**
   * The type of the objects, as far as it is known without a request. The kind of a custom resource is known after
   * discovery only.
   */
  async type(): Promise<TypeRef> {
    const known = this.#discovery.peek(this.name) ?? (await this.builtIn().catch(() => undefined));
    const address = known ?? this.#address;
    if (address === undefined) return {};
    const { group, version } = address;
    const kind = known?.kind;
    return { apiVersion: group === '' ? version : `${group}/${version}`, ...defined({ kind }) };
  }

  /** The type of the objects with its kind. Asks discovery about a custom resource. */
  async fullType(options: LookupOptions): Promise<Pick<ApiResource, 'group' | 'version' | 'kind'>> {
    const known = this.#discovery.peek(this.name) ?? (await this.builtIn());
    return known ?? (await this.#discovery.find(this.name, options));
  }

  /** Whether the resource belongs to a stable API of Kubernetes itself, as far as that is known without a request. */
  async isStableBuiltIn(): Promise<boolean> {
    const address = this.#discovery.peek(this.name) ?? this.#address;
    if (address === undefined || !/^v\d+$/.test(address.version)) return false;
    const { group, version, resource } = address;
    const kinds = await builtInKinds().catch(() => []);
    return kinds.some((kind) => kind.resource === resource && kind.group === group && kind.version === version);
  }

  /** A built-in resource, without discovery: some users may not read the discovery endpoints. */
  async builtIn(): Promise<Pick<ApiResource, 'group' | 'version' | 'kind' | 'namespaced'> | undefined> {
    const address = this.#address;
    if (address === undefined) return undefined;
    const { group, version, resource } = address;
    return (await builtInKinds()).find(
      (kind) => kind.resource === resource && kind.group === group && kind.version === version,
    );
  }

  /**
   * Throws INVALID_OPTION for a resource that discovery lists as cluster-scoped. Refreshes discovery first: a custom
   * resource can change its scope. If discovery is not cached, the server refuses.
   */
  async #refuseNamespace(namespace: string, options: LookupOptions): Promise<void> {
    if (namespace === '' || this.#discovery.peek(this.name)?.namespaced !== false) return;
    this.#discovery.refresh();
    if ((await this.#discovery.find(this.name, options)).namespaced) return;
    throw new KubeError('INVALID_OPTION', `namespace: expected none, ${this.name} are cluster-scoped`);
  }
}

/** Parses `v1/pods` and `apps/v1/deployments`. Undefined for a kind (capital letter) or a short name: they need discovery. */
function parseForResourceLocator(name: string): Address | undefined {
  const parts = typeof name === 'string' ? name.split('/') : [];
  const [resource = '', version = '', group = ''] = parts.toReversed();
  const isName = name !== '' && parts.length >= 1 && parts.length <= 3;
  requireOption(isName, 'resource', 'version/plural, group/version/plural or a kind', name);
  if (parts.length === 1 || /[A-Z]/.test(resource)) return undefined;
  resourceUrlPath({ group, version, resource }); // throws for an invalid name here, not at the first request
  return { group, version, resource };
}
