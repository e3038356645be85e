import { onPath } from '../real/harness/go-program.ts';
import { type Manifest, manifestsIn, withoutRepetitions } from './corpus/documents.ts';
import { answersTo } from './corpus/play.ts';
import { runProgram } from './run-program.ts';
import type { Suite } from './suite.ts';

/** Go modules with definitions, many of them with CEL rules, and with examples. */
const MODULES = [
  'sigs.k8s.io/gateway-api@v1.4.0',
  'sigs.k8s.io/karpenter@v1.8.0',
  'sigs.k8s.io/cluster-api@v1.14.2',
  'github.com/cert-manager/cert-manager@v1.21.2',
  'github.com/prometheus-operator/prometheus-operator@v0.85.0',
  'github.com/argoproj/argo-rollouts@v1.10.1',
];

let manifests: readonly Manifest[] = [];

/** Manifests of known projects; what counts is that both servers say the same. */
export const corpus: Suite = {
  name: 'corpus',
  about: `definitions and manifests in ${MODULES.length} Go modules, from gateway-api to argo-rollouts: accepted`,
  isQuick: false,

  async prepare(log) {
    if (!onPath('go')) return 'Go is missing';
    const all: Manifest[] = [];
    for (const module of MODULES) {
      const download = ['go', 'mod', 'download', '-json', module];
      const { code, stdout, stderr } = await runProgram(download, { timeoutMs: 300_000 });
      if (code !== 0) return `${module} cannot be downloaded: ${stdout}${stderr}`;
      all.push(...(await manifestsIn((JSON.parse(stdout) as { Dir: string }).Dir, module)));
    }
    manifests = withoutRepetitions(all);
    log(`${manifests.length} manifests`);
    return undefined;
  },

  play: (withServer) =>
    withServer(async (kubeconfig) => {
      const answers = await answersTo(manifests, kubeconfig);
      const refused = [...answers].filter(([, answer]) => answer !== 'accepted');
      return { passed: answers.size - refused.length, failed: refused.map(([title]) => title), skipped: 0, answers };
    }),
};
