import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { built, type GoModule, onPath, whatBuildingLacks } from './go-program.ts';

const here = dirname(fileURLToPath(import.meta.url));

/** The programs of a real control plane. */
export interface Binaries {
  readonly apiserver: string;
  readonly etcd: string;
  /** Restores snapshots of etcd; KUBEBUILDER_ASSETS usually has none. */
  readonly etcdutl: string;
}

type Log = (line: string) => void;

const ETCD: GoModule = {
  name: 'etcd',
  source: join(here, 'etcd'),
  packages: { etcd: 'go.etcd.io/etcd/server/v3', etcdutl: 'go.etcd.io/etcd/etcdutl/v3' },
};

const APISERVER: GoModule = {
  name: 'apiserver',
  source: join(here, 'apiserver'),
  packages: { 'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver' },
};

/** The newest kubectl. */
const KUBECTL: GoModule = { ...APISERVER, packages: { kubectl: 'k8s.io/kubernetes/cmd/kubectl' } };

/** A Kubernetes without streaming lists. */
const OLD: GoModule = {
  name: 'apiserver-1.26',
  source: join(here, 'apiserver-1.26'),
  packages: { 'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver' },
  tags: 'providerless',
};

/** Programs that only some tests need. */
export type Part = 'etcdutl' | 'kube-apiserver 1.26' | 'kubectl';

/** The folder of envtest's programs; nothing is built then. */
const assets = (): string | undefined => process.env['KUBEBUILDER_ASSETS'];

/** The reason real tests cannot run here, as a sentence; undefined if they can. */
export async function whatIsMissing(...parts: readonly Part[]): Promise<string | undefined> {
  if (!onPath('openssl')) return 'openssl is not installed';
  if (parts.includes('kube-apiserver 1.26')) {
    const lacking = await whatBuildingLacks(OLD);
    if (lacking !== undefined) return `${lacking} 1.26`;
  }
  const dir = assets();
  if (dir === undefined) {
    const needed = [ETCD, APISERVER, ...(parts.includes('kubectl') ? [KUBECTL] : [])];
    for (const module of needed) {
      const lacking = await whatBuildingLacks(module);
      if (lacking !== undefined) return `${lacking}, and there is no KUBEBUILDER_ASSETS`;
    }
    return undefined;
  }
  const names = ['kube-apiserver', 'etcd', ...parts.filter((part) => part !== 'kube-apiserver 1.26')];
  const lacking = names.filter((name) => !existsSync(join(dir, name)));
  return lacking.length === 0 ? undefined : `KUBEBUILDER_ASSETS has no ${lacking.join(' and no ')}`;
}

/** Finds the binaries, or builds them from their Go modules. */
export async function findBinaries(log?: Log): Promise<Binaries> {
  const [apiserver, etcd] = [await programs(APISERVER, log), await programs(ETCD, log)];
  return {
    apiserver: join(apiserver, 'kube-apiserver'),
    etcd: join(etcd, 'etcd'),
    etcdutl: join(etcd, 'etcdutl'),
  };
}

/** kube-apiserver 1.26, built at the first call. */
export async function findOldApiserver(log?: Log): Promise<string> {
  return join(await built(OLD, log), 'kube-apiserver');
}

export async function findNewestKubectl(log?: Log): Promise<string> {
  return join(await programs(KUBECTL, log), 'kubectl');
}

const programs = async (module: GoModule, log?: Log): Promise<string> => assets() ?? (await built(module, log));
