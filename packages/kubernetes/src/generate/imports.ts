import { byText, claim, quote } from './names.ts';

/** Where a module is imported from: a path between the generated files, or a package that has it already. */
export type Locate = (module: string) => string;

/**
 * The imports of one generated file, gathered while its body is written.
 *
 * Modules are imported whole and under a name of their own (`apps_v1`), so two types that are called the same
 * never meet.
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
    const alias = claim(module.includes('/') ? module.replaceAll(/[^A-Za-z0-9]/g, '_') : `core_${module}`, this.#taken);
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
