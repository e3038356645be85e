import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { onPath } from '../real/harness/go-program.ts';
import { foreignCache } from './cache.ts';
import { runProgram } from './run-program.ts';
import { linesResult, type Suite } from './suite.ts';

const VERSION = '1.40.1';
const folder = join(foreignCache(), `kopf-${VERSION}`);
const python = join(folder, 'bin/python');

/** An operator written with kopf (Python), driven by kubectl. */
export const kopf: Suite = {
  name: 'kopf',
  about: `an operator on kopf ${VERSION}: handlers, finalizer, timer, events`,
  isQuick: true,

  async prepare(log) {
    for (const program of ['python3', 'kubectl', 'bash']) if (!onPath(program)) return `${program} is missing`;
    if (existsSync(join(folder, 'installed'))) return undefined;
    log(`installing kopf ${VERSION} from PyPI`);
    await mkdir(foreignCache(), { recursive: true });
    const steps = [
      ['python3', '-m', 'venv', folder],
      [python, '-m', 'pip', 'install', '--quiet', `kopf==${VERSION}`],
      ['touch', join(folder, 'installed')],
    ];
    for (const step of steps) {
      const { code, stderr } = await runProgram(step, { timeoutMs: 300_000 });
      if (code !== 0) return `${step.join(' ')}: ${stderr.trim().split('\n').at(-1) ?? ''}`;
    }
    return undefined;
  },

  play: (withServer, log) =>
    withServer(async (kubeconfig) => {
      const scenario = join(import.meta.dirname, 'kopf/scenario.sh');
      const env = { KUBECONFIG: kubeconfig, PYTHON: python };
      const { stdout, stderr } = await runProgram(['bash', scenario], { env, timeoutMs: 300_000 });
      const result = linesResult(stdout);
      if (result.failed.length > 0 || result.passed === 0) log(stderr);
      return result.passed === 0 ? { ...result, failed: ['the scenario printed no result'] } : result;
    }),
};
