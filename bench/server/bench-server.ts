import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Cluster } from 'kube-informer';
import { ControlPlane } from '../../test/real/harness/control-plane.ts';
import { NO_TIME } from '../data/workload.ts';
import { fillEtcd, makeTemplate, type Template } from './fill-etcd.ts';
import { type Load, loadObjects, prepareCluster } from './load.ts';
import { rawGet } from './raw-get.ts';

const here = dirname(fileURLToPath(import.meta.url));

/** Where builds and loaded servers are kept: outside the repository. */
export function benchCache(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kube-informer', 'bench');
}

/** A server with the objects of a run. */
export interface BenchServer extends AsyncDisposable {
  readonly kubeconfig: string;
  readonly version: string;
}

/**
 * Starts kube-apiserver and etcd with the objects.
 *
 * Writing them takes minutes, so the content of etcd is kept, by what it was made of.
 */
export async function startServer(loads: readonly Load[], log: (line: string) => void): Promise<BenchServer> {
  // etcd reads it; the default of 2 GB is too small for 100,000 objects and their history.
  process.env['ETCD_QUOTA_BACKEND_BYTES'] ??= String(8 << 30);
  const plane = await ControlPlane.start({ log });
  const kept = join(benchCache(), `etcd-${await hashOf(loads)}.db`);
  if (!existsSync(kept)) {
    const cluster = await Cluster.connect({ kubeconfigFile: plane.kubeconfig });
    await prepareCluster(cluster);
    const templates: Template[] = [];
    for (const load of loads) templates.push(await makeTemplate(cluster, load));
    await cluster.close();
    await plane.killApiserver();
    for (const template of templates) {
      log(`writing ${template.size} ${template.resource} (${template.data})`);
      await fillEtcd(plane, template);
    }
    // Ended in order, etcd has written everything into this file. A snapshot through its JSON API would be one string, and too long.
    await plane.killEtcd('SIGTERM');
    await mkdir(benchCache(), { recursive: true });
    await copyFile(join(plane.dir, 'etcd/member/snap/db'), `${kept}.new`);
    await rename(`${kept}.new`, kept);
  }
  await plane.killApiserver();
  await plane.killEtcd();
  await plane.restoreEtcd(kept, '--skip-hash-check');
  plane.startEtcd();
  await plane.startApiserver();
  return {
    kubeconfig: plane.kubeconfig,
    version: await versionOf(plane.kubeconfig),
    [Symbol.asyncDispose]: () => plane[Symbol.asyncDispose](),
  };
}

/** Uses a cluster of yours: its objects are created there, in namespaces of their own, and stay. */
export async function useServer(
  kubeconfigFile: string,
  loads: readonly Load[],
  log: (line: string) => void,
): Promise<BenchServer> {
  const cluster = await Cluster.connect({ kubeconfigFile });
  await prepareCluster(cluster);
  for (const load of loads) await loadObjects(cluster, load, log);
  await cluster.close();
  const version = `${await versionOf(kubeconfigFile)} of a given cluster`;
  return { kubeconfig: kubeconfigFile, version, [Symbol.asyncDispose]: async () => {} };
}

async function versionOf(kubeconfig: string): Promise<string> {
  const text = Buffer.concat(await rawGet(kubeconfig, '/version', 'application/json')).toString();
  return `kube-apiserver ${(JSON.parse(text) as { gitVersion: string }).gitVersion}`;
}

async function hashOf(loads: readonly Load[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(loads)).update(NO_TIME);
  for (const file of ['../data/workload.ts', '../data/random.ts', 'load.ts', 'fill-etcd.ts'])
    hash.update(await readFile(join(here, file)));
  return hash.digest('hex').slice(0, 12);
}
