import { join } from 'node:path';
import { built, type GoModule, whatBuildingLacks } from '../harness/go-program.ts';

const CONTROLLER_RUNTIME: GoModule = {
  name: 'controller-runtime',
  source: join(import.meta.dirname, '../controller-runtime'),
  packages: { 'controller-runtime': '.' },
};

/** The reason the Go program cannot run here, as a sentence; undefined if it can. */
export const whatGoLacks = (): Promise<string | undefined> => whatBuildingLacks(CONTROLLER_RUNTIME);

/** Path of the Go program; it is built if needed. */
export const goProgram = async (): Promise<string> =>
  join(await built(CONTROLLER_RUNTIME, (line) => console.log(line)), 'controller-runtime');
