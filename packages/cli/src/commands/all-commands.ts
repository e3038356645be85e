import type { Command } from '../arguments/command.ts';
import { demo } from './demo-command.ts';
import { diff } from './diff-command.ts';
import { doctor } from './doctor-command.ts';
import { generateTypes } from './generate-types-command.ts';
import { get } from './get-command.ts';
import { serve } from './serve-command.ts';
import { top } from './top-command.ts';
import { verify } from './verify-command.ts';
import { watch } from './watch-command.ts';
import { why } from './why-command.ts';

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [demo, watch, top, get, diff, verify, why, doctor, serve, generateTypes];
