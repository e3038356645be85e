import type { Resource } from '../api/schema/resource.ts';
import type { Served } from './served.ts';

/**
 * The resources that the server currently serves.
 *
 * Built-in ones never change; those of a CustomResourceDefinition are added and removed together. `version`
 * changes with every change, for documents that are built from the list: discovery, OpenAPI.
 */
export class Registry {
  readonly #served = new Map<string, Served>();
  readonly #custom = new Map<string, readonly Served[]>();
  /** Results of searches through all resources, until one is added or goes. */
  readonly #found = new Map<string, Served>();
  #version = 0;

  get version(): number {
    return this.#version;
  }

  add(served: Served): void {
    this.#served.set(registryIdOf(served.resource), served);
    this.#changed();
  }

  /** Sets all served versions of a definition; an empty list removes it. */
  setCustom(definition: string, served: readonly Served[]): void {
    for (const { resource } of this.#custom.get(definition) ?? []) this.#served.delete(registryIdOf(resource));
    if (served.length === 0) this.#custom.delete(definition);
    else this.#custom.set(definition, served);
    for (const one of served) this.#served.set(registryIdOf(one.resource), one);
    this.#changed();
  }

  /** Names of the definitions that are served. */
  definitions(): readonly string[] {
    return [...this.#custom.keys()];
  }

  custom(definition: string): readonly Served[] {
    return this.#custom.get(definition) ?? [];
  }

  find(group: string, version: string, resource: string): Served | undefined {
    return this.#served.get(`${group}/${version}/${resource}`);
  }

  /** Finds a resource in any version, for controllers, to which the version does not matter. */
  findAnyVersion(group: string, resource: string): Served | undefined {
    return this.#search(`${group}/${resource}`, ({ resource: one }) => one.group === group && one.resource === resource)
      ?.atOnce;
  }

  /** Finds a kind by the apiVersion and kind of a body. */
  findKind(group: string, version: string, kind: string): Served | undefined {
    return this.#search(
      `${group}/${version} ${kind}`,
      ({ resource: one }) => one.kind === kind && one.group === group && one.version === version,
    );
  }

  *all(): Iterable<Served> {
    yield* this.#served.values();
  }

  resources(): readonly Resource[] {
    return [...this.#served.values()].map(({ resource }) => resource);
  }

  /** Whether paths below `/apis/<group>` belong to the server's own handlers. */
  hasBuiltinGroup(group: string): boolean {
    for (const { resource } of this.#served.values()) if (!resource.custom && resource.group === group) return true;
    return false;
  }

  #changed(): void {
    this.#version += 1;
    this.#found.clear();
  }

  /** The first resource that fits. Only what is found is kept: clients can ask for any name. */
  #search(key: string, fits: (served: Served) => boolean): Served | undefined {
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    for (const served of this.#served.values()) {
      if (!fits(served)) continue;
      this.#found.set(key, served);
      return served;
    }
    return undefined;
  }
}

const registryIdOf = ({ group, version, resource }: Resource): string => `${group}/${version}/${resource}`;
