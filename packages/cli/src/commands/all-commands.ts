import type { Command } from '../arguments/command.ts';
import { demo } from './demo.ts';
import { diff } from './diff.ts';
import { doctor } from './doctor.ts';
import { generateTypes } from './generate-types.ts';
import { get } from './get.ts';
import { serve } from './serve.ts';
import { top } from './top.ts';
import { verify } from './verify.ts';
import { watch } from './watch.ts';
import { why } from './why.ts';

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [demo, watch, top, get, diff, verify, why, doctor, serve, generateTypes];
