import { KubeError, requireOption } from './errors.ts';

/** Every name that options of type `O` may have: the compiler sees to it that none is missing and none too many. */
export type KnownOptions<O> = Readonly<Record<keyof O, true>>;

/**
 * Throws INVALID_OPTION for a name that nobody reads. Types find most of them, but not in JavaScript and not in objects
 * that were made before: `deleteCollection` with a selector that is spelled wrongly would delete everything.
 */
export function requireKnown<O extends object>(where: string, options: O, known: KnownOptions<O>): void {
  requireOption(typeof options === 'object' && options !== null, where, 'options', options);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(known, name)) continue;
    const names = Object.keys(known).toSorted().join(', ');
    throw new KubeError('INVALID_OPTION', `${where}: there is no option ${JSON.stringify(name)}: expected ${names}`);
  }
}
