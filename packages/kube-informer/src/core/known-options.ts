import { KubeError, requireOption } from './errors.ts';

/** Every name that options of type `O` may have; the compiler checks that the list is complete. */
export type KnownOptions<O> = Readonly<Record<keyof O, true>>;

/**
 * Throws INVALID_OPTION for an unknown name. The compiler finds most of them, but not in JavaScript and not in object
 * variables: `deleteCollection` with a misspelled selector would delete everything.
 */
export function requireKnown<O extends object>(where: string, options: O, known: KnownOptions<O>): void {
  requireOption(typeof options === 'object' && options !== null, where, 'an object of options', options);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(known, name)) continue;
    const names = Object.keys(known).toSorted().join(', ');
    throw new KubeError('INVALID_OPTION', `${where}: unknown option ${JSON.stringify(name)}: expected one of ${names}`);
  }
}
