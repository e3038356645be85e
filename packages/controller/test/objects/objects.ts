/** The functions of the room, for its tests. */
export { type Applied, applyObject, type ApplyMark } from '../../src/objects/apply-object.ts';
export { type Condition, setCondition } from '../../src/objects/condition.ts';
export { addFinalizer, finalizerWaitMs, finalizerStep, removeFinalizers } from '../../src/objects/finalizer.ts';
export type { ObjectClient } from '../../src/objects/object-client.ts';
export { ownedFields } from '../../src/objects/owned-fields.ts';
export {
  checkOwnerReference as checkOwner,
  confirmOwnerReference as confirmOwner,
  controllerReferenceOfOwner as controllerOf,
  hasOwnerReferenceTo as isControlledBy,
  ownerReferenceTo,
} from '../../src/objects/owner-reference.ts';
export { pruneOwned } from '../../src/objects/prune-owned.ts';
export { type StatusWrite, writeStatus } from '../../src/objects/write-status.ts';
