/** The queue of a controller, usable alone. */
export type { KeyState } from './queue-entry.ts';
export type { AddOptions, Taken, WorkQueueOptions } from './queue-options.ts';
export { WorkQueue } from './work-queue.ts';
