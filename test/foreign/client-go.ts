import { join } from 'node:path';
import { built, type GoModule, whatBuildingLacks } from '../real/harness/go-program.ts';
import { runProgram } from './run-program.ts';
import { programResult, type Suite } from './suite.ts';

const VERSION = 'v0.36.3';
const MODULE: GoModule = {
  name: 'foreign-client-go',
  source: join(import.meta.dirname, 'client-go'),
  packages: { 'foreign-client-go': '.' },
};

/** A program on client-go (Go). */
export const clientGo: Suite = {
  name: 'client-go',
  about: `a program on client-go ${VERSION}: typed, dynamic and metadata informers, apply, status, finalizers, leader election`,
  isQuick: true,

  prepare: async (log) => {
    const lacking = await whatBuildingLacks(MODULE);
    if (lacking === undefined) await built(MODULE, log);
    return lacking;
  },

  play: (withServer, log) =>
    withServer(async (kubeconfig) => {
      const program = [join(await built(MODULE), 'foreign-client-go')];
      return programResult(await runProgram(program, { env: { KUBECONFIG: kubeconfig }, timeoutMs: 300_000 }), log);
    }),
};
