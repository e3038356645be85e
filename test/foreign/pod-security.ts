import { join } from 'node:path';
import { onPath } from '../real/harness/go-program.ts';
import { type Manifest, manifestsIn } from './corpus/documents.ts';
import { askerFor } from './corpus/play.ts';
import { runProgram } from './run-program.ts';
import type { Suite } from './suite.ts';

const MODULE = 'k8s.io/pod-security-admission@v0.36.3';

let pods: readonly Manifest[] = [];

/** `restricted/v1.35/fail/hostports0.yaml` in the title of a pod. */
const placeOf = ({ title }: Manifest): { readonly level: string; readonly version: string; readonly isGood: boolean } => {
  const [, level = '', version = '', folder = ''] = /(\w+)\/(v[\d.]+)\/(pass|fail)\//.exec(title) ?? [];
  return { level, version, isGood: folder === 'pass' };
}; // prettier-ignore

/** The pods with which the Pod Security Standards are tested: those of each level and version, to let in and to refuse. */
export const podSecurity: Suite = {
  name: 'pod-security',
  about: `${MODULE.replace('@', ' ')}, its own pods for each level and version of the Pod Security Standards: let in or refused as they should be`,
  isQuick: false,

  async prepare(log) {
    if (!onPath('go')) return 'Go is missing';
    const { code, stdout, stderr } = await runProgram(['go', 'mod', 'download', '-json', MODULE], { timeoutMs: 300_000 });
    if (code !== 0) return `${MODULE} cannot be downloaded: ${stdout}${stderr}`;
    pods = await manifestsIn(join((JSON.parse(stdout) as { Dir: string }).Dir, 'test/testdata'), MODULE);
    log(`${pods.length} pods`);
    return undefined;
  }, // prettier-ignore

  play: (withServer) =>
    withServer(async (kubeconfig) => {
      const ask = await askerFor(kubeconfig);
      const failed: string[] = [];
      const namespaces = new Set<string>();
      for (const pod of pods) {
        const { level, version, isGood } = placeOf(pod);
        const name = `${level}-${version.replace('.', '-')}`;
        const labels = {
          'pod-security.kubernetes.io/enforce': level,
          'pod-security.kubernetes.io/enforce-version': version,
        };
        if (!namespaces.has(name)) {
          await ask('POST', '/api/v1/namespaces', { metadata: { name, labels } });
          await ask('POST', `/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } });
        }
        namespaces.add(name);
        // Names of the files, which some pods have, need not be names of pods.
        const body = { ...pod.object, metadata: { ...pod.object.metadata, name: 'p' } };
        const { status, text } = await ask('POST', `/api/v1/namespaces/${name}/pods?dryRun=All`, body);
        const isRefused = status === 403 && text.includes(`violates PodSecurity \\"${level}:${version}\\"`);
        if (isGood ? status !== 201 : !isRefused)
          failed.push(`${pod.title}: ${status} ${(JSON.parse(text) as { message?: string }).message ?? ''}`);
      }
      return { passed: pods.length - failed.length, failed, skipped: 0 };
    }),
};
