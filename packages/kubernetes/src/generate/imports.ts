import { uniqueGeneratedName, quoteGeneratedName } from './generated-names.ts';
import { compareForSorting } from './sorting.ts';

/** Returns the specifier for importing a module: a relative path, or a package that already has it. */
export type Locate = (module: string) => string;

/**
 * The imports of one generated file, collected while its body is written.
 *
 * Modules are imported as namespaces (`apps_v1`), so two types of the same name do not collide.
 */
export class Imports {
  readonly #locate: Locate;
  readonly #aliases = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(locate: Locate) {
    this.#locate = locate;
  }

  alias(module: string): string {
    const known = this.#aliases.get(module);
    if (known !== undefined) return known;
    const alias = uniqueGeneratedName(
      // A group may begin with a digit (3scale.net), a name may not.
      module.includes('/') ? module.replaceAll(/[^A-Za-z0-9]/g, '_').replace(/^(?=\d)/, '_') : `core_${module}`,
      this.#taken,
    );
    this.#aliases.set(module, alias);
    return alias;
  }

  toString(): string {
    const lines = [...this.#aliases].map(
      ([module, alias]) => `import type * as ${alias} from ${quoteGeneratedName(this.#locate(module))};\n`,
    );
    return lines.toSorted(compareForSorting).join('');
  }
}
