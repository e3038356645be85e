import type { Script } from '../script.ts';
import { cuts } from './cuts.ts';
import { data } from './data.ts';
import { events } from './events.ts';
import { expired } from './expired.ts';
import { garbage } from './garbage.ts';
import { inputs } from './inputs.ts';
import { lists } from './lists.ts';
import { overload } from './overload.ts';
import { processes } from './process.ts';
import { servers } from './servers.ts';
import { silence } from './silence.ts';
import { streams } from './streams.ts';

/** All scripts, the long ones first, so that the run does not end with one of them alone. */
export const scripts: readonly Script[] = [
  ...silence,
  ...streams,
  ...processes,
  ...inputs,
  ...servers,
  ...cuts,
  ...expired,
  ...overload,
  ...garbage,
  ...events,
  ...lists,
  ...data,
];
