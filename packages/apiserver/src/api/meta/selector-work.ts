import { Work } from '../../core/work.ts';

/**
 * Maximum number of requirements of a selector. Each is checked for each object of a collection, and `in`
 * accepts any number of values.
 */
const MAX_REQUIREMENTS = 200;

/** A budget that spends one step for each requirement while a selector is parsed. */
export const selectorWork = (): Work => new Work('the selector', MAX_REQUIREMENTS);
