import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { GoPackage } from './protobuf-facts.ts';

/** Go modules that hold the types of built-in kinds. */
const MODULES = ['k8s.io/api', 'k8s.io/apimachinery', 'k8s.io/apiextensions-apiserver', 'k8s.io/kube-aggregator'];

/** The Go packages of all built-in kinds, in the version of the API server that the harness builds. */
export async function goPackages(): Promise<GoPackage[]> {
  const here = dirname(fileURLToPath(import.meta.url));
  const { stdout } = await promisify(execFile)('go', ['list', '-m', '-f', '{{.Dir}}', ...MODULES], {
    cwd: join(here, '../../test/real/harness/apiserver'),
  });
  const packages: GoPackage[] = [];
  for (const root of stdout.trim().split('\n')) {
    const protos = (await readdir(root, { recursive: true })).filter((path) => path.endsWith('/generated.proto'));
    for (const path of protos.toSorted()) packages.push(await readPackage(join(root, dirname(path))));
  }
  return packages;
}

async function readPackage(dir: string): Promise<GoPackage> {
  const sources = (await readdir(dir)).filter((name) => /^types.*\.go$/.test(name) && !name.includes('generated'));
  const [proto = '', ...go] = await Promise.all(
    ['generated.proto', ...sources].map((name) => readFile(join(dir, name), 'utf8')),
  );
  return { proto, go };
}
