/**
 * Shared with `@kube-informer/cli`, so that the terminal and the page agree. Not part of the public API: any release may
 * change or remove what is exported here.
 */
export { EventRate } from './caches/event-rate.ts';
export { CacheSizes } from './caches/cache-sizes.ts';
export { RestartCounter } from './caches/restart-counter.ts';
export {
  objectAgeAt,
  objectAgeSince,
  objectAgeClock as ageClockTime,
  objectAgeText,
  objectAgeInstant,
} from './objects/object-age.ts';
export {
  objectField,
  objectFieldCondition,
  objectFieldEntries,
  type Fields,
  isObjectFields,
  isObjectFieldConditionTrue as isFieldConditionTrue,
  objectFieldObjects as objectFieldItems,
  objectFieldNumber,
  objectFieldText,
  objectFieldTexts,
} from './objects/object-fields.ts';
export { jobObjectState as jobObjectStatus } from './objects/job-object.ts';
export { podObjectReady, podObjectRestarts, podObjectStatus } from './objects/pod-object.ts';
export { statusTone } from './objects/status-tone.ts';
