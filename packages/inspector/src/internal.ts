/**
 * Shared with `@kube-informer/cli`, so that the terminal and the page agree. Not part of the public API: any release may
 * change or remove what is exported here.
 */
export { EventRate } from './caches/event-rate.ts';
export { CacheSizes } from './caches/cache-sizes.ts';
export { RestartCounter } from './caches/restart-counter.ts';
export { objectAgeAt, objectAgeSince, ageClockTime, objectAgeText, objectAgeInstant } from './objects/age.ts';
export {
  objectField,
  objectFieldCondition,
  objectFieldEntries,
  type Fields,
  isObjectFields,
  isFieldConditionTrue,
  objectFieldItems,
  objectFieldNumber,
  objectFieldText,
  objectFieldTexts,
} from './objects/fields.ts';
export { jobObjectStatus } from './objects/job.ts';
export { podObjectReady, podObjectRestarts, podObjectStatus } from './objects/pod.ts';
export { statusTone } from './objects/status-tone.ts';
