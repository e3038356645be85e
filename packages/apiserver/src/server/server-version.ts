import { kubernetesVersion } from '@kube-informer/kubernetes/kinds';

/** The document at `/version`: the version whose behaviour is copied, marked as embedded. */
export function serverVersionInfo(gitVersion = `v${kubernetesVersion}.0+embedded`): Record<string, string> {
  const [major = '1', minor = ''] = gitVersion.replace(/^v/, '').split('.');
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Math.max(0, Number(minor) - 1)),
    gitVersion,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: 'typescript',
    platform: 'linux/amd64',
  };
}
