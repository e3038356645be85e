import type { Scene } from './scene.ts';
import { LIVES } from './scenes-lives.ts';
import { READING } from './scenes-reading.ts';
import { WRITING } from './scenes-writing.ts';

/** All scenes, each in a namespace of its own, so that they can run side by side. */
export const SCENES: readonly Scene[] = [...READING, ...WRITING, ...LIVES];
