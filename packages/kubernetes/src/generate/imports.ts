import { byText, claimName, quote } from './names.ts';

/** The import specifier of a module: a relative path, or a package that already has it. */
export type Locate = (module: string) => string;

/**
 * The imports of one generated file, collected while its body is written.
 *
 * Modules are imported whole, under an alias (`apps_v1`), so that equal type names do not clash.
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
    const alias = claimName(
      module.includes('/') ? module.replaceAll(/[^A-Za-z0-9]/g, '_') : `core_${module}`,
      this.#taken,
    );
    this.#aliases.set(module, alias);
    return alias;
  }

  toString(): string {
    const lines = [...this.#aliases].map(
      ([module, alias]) => `import type * as ${alias} from ${quote(this.#locate(module))};\n`,
    );
    return lines.toSorted(byText).join('');
  }
}
