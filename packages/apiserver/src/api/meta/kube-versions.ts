const KUBE_VERSION = /^v(?<major>[1-9]\d*)(?:(?<stage>alpha|beta)(?<minor>[1-9]\d*))?$/;
const STAGES: ReadonlyMap<string, number> = new Map<string, number>(Object.entries({ alpha: 0, beta: 1, ga: 2 }));

/** Orders versions as servers prefer them: `v2`, `v1`, `v2beta1`, `v1alpha1`, then whatever else by name. */
export function compareKubeVersions(a: string, b: string): number {
  const [left, right] = [rankKubeVersion(a), rankKubeVersion(b)];
  if (left === undefined || right === undefined) {
    if (left !== right) return left === undefined ? 1 : -1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return right.stage - left.stage || right.major - left.major || right.minor - left.minor;
}

function rankKubeVersion(version: string): { stage: number; major: number; minor: number } | undefined {
  const { major, stage = 'ga', minor = '0' } = KUBE_VERSION.exec(version)?.groups ?? {};
  if (major === undefined) return undefined;
  return { stage: STAGES.get(stage) ?? 0, major: Number(major), minor: Number(minor) };
}
