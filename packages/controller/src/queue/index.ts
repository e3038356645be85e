/** The queue of a controller, usable alone. */
export type { KeyState } from './entry.ts';
export { type AddOptions, type Taken, WorkQueue, type WorkQueueOptions } from './work-queue.ts';
