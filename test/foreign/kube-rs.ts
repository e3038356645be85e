import { join } from 'node:path';
import { onPath } from '../real/harness/go-program.ts';
import { foreignCache } from './cache.ts';
import { runProgram } from './run-program.ts';
import { programResult, type Suite } from './suite.ts';

const VERSION = '4.2.0';
const source = join(import.meta.dirname, 'kube-rs');
const target = join(foreignCache(), `kube-rs-${VERSION}`);

/** A program on kube-rs (Rust). */
export const kubeRs: Suite = {
  name: 'kube-rs',
  about: `a program on kube-rs ${VERSION}: watchers, a controller, a derived definition, apply, status, finalizer, leases`,
  // Building the crates takes minutes.
  isQuick: false,

  async prepare(log) {
    if (!onPath('cargo')) return 'Rust is missing';
    log(`building a program on kube-rs ${VERSION} from crates; this takes minutes, once`);
    const build = ['cargo', 'build', '--locked', '--target-dir', target];
    const { code, stderr } = await runProgram(build, { cwd: source, timeoutMs: 1_800_000 });
    return code === 0 ? undefined : `cargo build: ${stderr.trim().split('\n').at(-1) ?? ''}`;
  },

  play: (withServer, log) =>
    withServer(async (kubeconfig) => {
      const program = [join(target, 'debug/foreign-kube-rs')];
      return programResult(await runProgram(program, { env: { KUBECONFIG: kubeconfig }, timeoutMs: 240_000 }), log);
    }),
};
