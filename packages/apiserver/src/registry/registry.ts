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
  #version = 0;

  get version(): number {
    return this.#version;
  }

  add(served: Served): void {
    this.#served.set(registryIdOf(served.resource), served);
    this.#version += 1;
  }

  /** Sets all served versions of a definition; an empty list removes it. */
  setCustom(definition: string, served: readonly Served[]): void {
    for (const { resource } of this.#custom.get(definition) ?? []) this.#served.delete(registryIdOf(resource));
    if (served.length === 0) this.#custom.delete(definition);
    else this.#custom.set(definition, served);
    for (const one of served) this.#served.set(registryIdOf(one.resource), one);
    this.#version += 1;
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
    for (const served of this.#served.values())
      if (served.resource.group === group && served.resource.resource === resource) return served.atOnce;
    return undefined;
  }

  /** Finds a kind by the apiVersion and kind of a body. */
  findKind(group: string, version: string, kind: string): Served | undefined {
    for (const served of this.#served.values()) {
      const { resource } = served;
      if (resource.kind === kind && resource.group === group && resource.version === version) return served;
    }
    return undefined;
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
}

const registryIdOf = ({ group, version, resource }: Resource): string => `${group}/${version}/${resource}`;
