/**
 * Shared with `@kube-informer/cli`, so that the terminal and the page agree. Not part of the public API: any release may
 * change or remove what is exported here.
 */
export { EventRate } from './caches/event-rate.ts';
export { CacheSizes } from './caches/cache-sizes.ts';
export { RestartCounter } from './caches/restart-counter.ts';
export { ageAt, ageOf, clockTime, humanAge, instant } from './objects/age.ts';
export { defined } from './objects/defined.ts';
export {
  at,
  conditionAt,
  entriesAt,
  type Fields,
  isFields,
  isTrue,
  itemsAt,
  numberAt,
  textAt,
  textsAt,
} from './objects/fields.ts';
export { podReady, podRestarts, podStatus } from './objects/pod.ts';
