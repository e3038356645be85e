import { join } from 'node:path';
import { built, type GoModule, onPath, whatBuildingLacks } from '../real/harness/go-program.ts';
import { runProgram } from './run-program.ts';
import { linesResult, type Suite } from './suite.ts';

const VERSION = 'v3.22.0';
const MODULE: GoModule = {
  name: 'foreign-helm',
  source: join(import.meta.dirname, 'helm'),
  packages: { helm: 'helm.sh/helm/v3/cmd/helm' },
};

/** The helm CLI (Go) with a chart of our own: helm/scenario.sh. Without controllers nothing is waited for. */
export const helm: Suite = {
  name: 'helm',
  about: `helm ${VERSION}, a chart with a definition and hooks: install, upgrade, rollback, test, uninstall`,
  // Building it takes minutes.
  isQuick: false,

  prepare: async (log) => {
    for (const program of ['kubectl', 'bash']) if (!onPath(program)) return `${program} is missing`;
    const lacking = await whatBuildingLacks(MODULE);
    if (lacking === undefined) await built(MODULE, log);
    return lacking;
  },

  play: (withServer, log) =>
    withServer(
      async (kubeconfig, { hasControllers }) => {
        const program = join(await built(MODULE), 'helm');
        const env = { KUBECONFIG: kubeconfig, HELM: program, MOVES: hasControllers ? 'yes' : 'no' };
        const scenario = join(import.meta.dirname, 'helm/scenario.sh');
        const { stdout, stderr } = await runProgram(['bash', scenario], { env, timeoutMs: 400_000 });
        const result = linesResult(stdout);
        if (result.failed.length > 0 || result.passed === 0) log(stderr);
        return result.passed === 0 ? { ...result, failed: ['the scenario printed no result'] } : result;
      },
      { controllers: true },
    ),
};
