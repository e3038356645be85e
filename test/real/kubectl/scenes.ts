import type { Scene } from './scene.ts';
import { LIVES } from './scenes-lives.ts';
import { READING } from './scenes-reading.ts';
import { WRITING } from './scenes-writing.ts';

/** Every command of the list, each scene in a namespace of its own, so that scenes can run side by side. */
export const SCENES: readonly Scene[] = [...READING, ...WRITING, ...LIVES];
