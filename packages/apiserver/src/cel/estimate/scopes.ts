import type { Range } from '../cost/cost-range.ts';
import type { Path } from './estimate-path.ts';

/** The sizes of the entries of a list or a map. */
export interface EntrySize {
  readonly container: 'list' | 'map';
  readonly key: Range;
  readonly value: Range;
}

/** A variable of a loop. */
interface LocalVariable {
  readonly path: Path;
  readonly size: Range | undefined;
  readonly entrySize: EntrySize | undefined;
}

/** The variables of loops; an inner variable hides outer ones of the same name. */
export class LocalScopes {
  readonly #variables = new Map<string, LocalVariable[]>();

  push(name: string, variable: LocalVariable): void {
    this.#variables.set(name, [...(this.#variables.get(name) ?? []), variable]);
  }

  pop(name: string): void {
    this.#variables.get(name)?.pop();
  }

  peek(name: string): LocalVariable | undefined {
    return this.#variables.get(name)?.at(-1);
  }
}
